import { Result } from "effect"
import type { Command } from "./Command.ts"
import type { Refusal } from "../base/Refusal.ts"

/** A command whose refusal was clear before it was sent, so that its idempotency key remembers that too. */
export const rejectWith = (name: string, refusal: Refusal): Command<never> => ({
  name,
  reads: [],
  decide: () => Result.fail(refusal)
})
