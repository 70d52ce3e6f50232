import { logStorageError } from "@bursar/core/engine/StorageError"
import { Deliveries } from "@bursar/core/port/Deliveries"
import { Clock, Effect } from "effect"
import type { DeliverLimits } from "./DeliverOptions.ts"

/** Removes attempts past their time, a limited number at a time, now and from time to time for as long as it runs. */
export const forgetAttempts = Effect.fn("deliver.forgetAttempts")(function* ({
  attemptsForgottenMax,
  attemptsKeptMs,
  forgetIntervalMs
}: Pick<DeliverLimits, "attemptsForgottenMax" | "attemptsKeptMs" | "forgetIntervalMs">) {
  const deliveries = yield* Deliveries
  const round = Effect.gen(function* () {
    const before = (yield* Clock.currentTimeMillis) - attemptsKeptMs
    const forgotten = yield* deliveries.forget(before, attemptsForgottenMax)
    return forgotten === attemptsForgottenMax
  })
  return yield* round.pipe(
    Effect.catchTag("StorageError", (error) => Effect.as(logStorageError(error), false)),
    Effect.flatMap((more) => (more ? Effect.void : Effect.sleep(forgetIntervalMs))),
    Effect.forever
  )
})
