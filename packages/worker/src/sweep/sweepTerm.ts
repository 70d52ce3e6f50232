import type { Rate } from "@bursar/core/money/Rate"
import type { Writer } from "@bursar/core/engine/Writer"
import type { JobQueue } from "@bursar/core/port/JobQueue"
import type { Fenced } from "@bursar/core/port/Leadership"
import type { Queries } from "@bursar/core/store/Queries"
import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import { freshly } from "@bursar/core/port/Prices"
import { Effect } from "effect"
import type { Send } from "../transactions/Send.ts"
import { advanceOpen } from "./advanceOpen.ts"
import { defaultSweepLimits, type SweepLimits } from "./SweepLimits.ts"
import type { Sweeping } from "./Sweeping.ts"
import { sweepWaiting } from "./sweepWaiting.ts"

/** What is swept, and by what prices. */
export interface SweepOptions {
  readonly usd: (currency: string) => Effect.Effect<Rate | null>
  readonly limits?: SweepLimits
}

/** One round over all that is due. Returns whether anything was. */
export const sweepPass = Effect.fn("sweep.pass")(function* (sweeping: Sweeping) {
  const followed = yield* advanceOpen(sweeping)
  const found = yield* sweepWaiting(sweeping)
  return followed || found
})

/**
 * The sweeping on a network during one term of leadership over its sending, beside it: rounds without end. It reserves outbound transactions; the
 * sender carries them to their end. Fails when another process leads.
 */
export const sweepTerm = Effect.fn("sweep.term")(function* (
  send: Send,
  { limits = defaultSweepLimits, usd }: SweepOptions
): Effect.fn.Return<never, Fenced | StorageError, JobQueue | Queries | Writer> {
  const sweeping: Sweeping = { send, limits, usd: (currency) => freshly(usd(currency)) }
  while (true) {
    const busy = yield* sweepPass(sweeping).pipe(
      Effect.catchTag("StorageError", (error) => Effect.as(logStorageError(error), false))
    )
    yield* busy ? Effect.yieldNow : Effect.sleep(limits.idleMs)
  }
})
