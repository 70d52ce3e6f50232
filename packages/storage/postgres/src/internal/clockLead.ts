import type { Timestamp } from "@bursar/core/base/Timestamp"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Effect } from "effect"

/**
 * By how much the clock of a process may be ahead of the database's, in milliseconds. What is written takes a tenant's time along, which never
 * goes back: well below the 15 seconds after which what arrives on an address counts as sent before the address was there.
 */
export const leadMaxMs = 5_000

/** A clock that is ahead is told this often: it is at every commit. */
const toldEveryMs = 60_000

/** Refuses what is to be written at a moment that is further ahead of the database's clock than is allowed. */
export type RefuseLead = (doing: string, moment: Timestamp, databaseNow: Timestamp) => Effect.Effect<void, StorageError>

/** Makes what refuses that and tells it (`clock.ahead`): at once, and once a minute by the database's clock. */
export const makeRefuseLead = (maxMs: number): RefuseLead => {
  let toldAt: Timestamp | undefined
  return (doing, moment, databaseNow) =>
    Effect.suspend(() => {
      const aheadMs = moment - databaseNow
      if (aheadMs <= maxMs) return Effect.void
      const cause = new Error(`the clock of this process is ${aheadMs} ms ahead of the database's: nothing is written`)
      const refused = Effect.fail(new StorageError({ doing, cause }))
      if (toldAt !== undefined && Math.abs(databaseNow - toldAt) < toldEveryMs) return refused
      toldAt = databaseNow
      return Effect.andThen(Effect.annotateLogs(Effect.logError("clock.ahead"), { aheadMs, maxMs }), refused)
    })
}
