import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import { Clock, Effect } from "effect"

/** For how long something is kept, and how what is older is removed. */
export interface KeepLimits {
  readonly keptMs: number
  /** How often older ones are looked for. */
  readonly intervalMs: number
  /** How many are removed by one statement. */
  readonly forgottenMax: number
}

/** Removes what is past its time, a limited number at a time, now and from time to time for as long as it runs. */
export const forgetOld = (
  { forgottenMax, intervalMs, keptMs }: KeepLimits,
  forget: (before: number, max: number) => Effect.Effect<number, StorageError>
): Effect.Effect<never> =>
  Clock.currentTimeMillis.pipe(
    Effect.flatMap((now) => forget(now - keptMs, forgottenMax)),
    Effect.map((forgotten) => forgotten === forgottenMax),
    Effect.catchTag("StorageError", (error) => Effect.as(logStorageError(error), false)),
    Effect.flatMap((more) => (more ? Effect.void : Effect.sleep(intervalMs))),
    Effect.forever
  )
