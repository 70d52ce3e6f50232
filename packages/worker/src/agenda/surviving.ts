import { type Answer, unknown } from "@bursar/core/port/Answer"
import { Effect } from "effect"

/** A provider's bug must not look like an answer: of a call that dies, nothing is known. */
export const surviving = <A>(call: Effect.Effect<Answer<A>>): Effect.Effect<Answer<A>> =>
  Effect.catchDefect(call, (defect) => Effect.succeed(unknown(`the adapter failed: ${String(defect)}`)))
