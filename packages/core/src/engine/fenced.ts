import { Result } from "effect"
import type { Command } from "./Command.ts"
import { Refusal } from "./Refusal.ts"

/** A leadership as its holder knows it: the epoch rises each time somebody takes it. */
export interface Fence {
  readonly name: string
  readonly epoch: number
}

/** Refuses a command (`fenced`) whose sender has been replaced by another process since it looked at the world. */
export const fenced = <A>(fence: Fence, command: Command<A>): Command<A> => ({
  name: command.name,
  reads: [...command.reads, { _tag: "Lease", name: fence.name }],
  decide: (view) =>
    view.lease(fence.name) === fence.epoch
      ? command.decide(view)
      : Result.fail(new Refusal({ code: "fenced", message: `Another process leads ${fence.name}.` }))
})
