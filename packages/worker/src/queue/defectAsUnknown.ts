import { type ProviderResult, unknown } from "@bursar/core/port/ProviderResult"
import { Effect } from "effect"

/** A provider's bug must not look like an answer: of a call that dies, nothing is known. */
export const defectAsUnknown = <A>(call: Effect.Effect<ProviderResult<A>>): Effect.Effect<ProviderResult<A>> =>
  Effect.catchDefect(call, (defect) => Effect.succeed(unknown(`the adapter failed: ${String(defect)}`)))
