import type { Result } from "effect"
import type { Change } from "./Change.ts"
import type { Read } from "./Read.ts"
import type { Refusal } from "../base/Refusal.ts"
import type { View } from "./View.ts"

/** What a decider answers: facts to write, and what its caller is told. */
export interface Decision<Reply> {
  readonly changes: ReadonlyArray<Change>
  readonly reply: Reply
}

/**
 * A wish of somebody about one tenant: what it needs to know, and the rule that decides it. `decide` is pure: time, ids
 * and everything foreign come with the view or stand in the command itself.
 */
export interface Command<Reply> {
  readonly name: string
  readonly reads: ReadonlyArray<Read>
  readonly decide: (view: View) => Result.Result<Decision<Reply>, Refusal>
}
