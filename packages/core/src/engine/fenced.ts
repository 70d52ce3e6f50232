import { Result } from "effect"
import type { Command } from "./Command.ts"
import { defineFact, readFact } from "./Records.ts"
import { Refusal } from "../base/Refusal.ts"

/** A leadership as its holder knows it: the epoch rises each time somebody takes it. */
export interface Fence {
  readonly name: string
  readonly epoch: number
}

/** The epoch of a leadership by its name, 0 where nobody ever led. Nobody takes it over before the commit that read it ends. */
export const leaseEpoch = defineFact<number>({ name: "leaseEpoch", none: 0 })

/** Refuses a command (`fenced`) whose sender has been replaced by another process since it looked at the world. */
export const fenced = <A>(fence: Fence, command: Command<A>): Command<A> => ({
  name: command.name,
  reads: [...command.reads, readFact(leaseEpoch, fence.name)],
  decide: (view) =>
    view.fact(leaseEpoch, fence.name) === fence.epoch
      ? command.decide(view)
      : Result.fail(new Refusal({ code: "fenced", message: `Another process leads ${fence.name}.` }))
})
