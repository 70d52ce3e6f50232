import type { Timestamp } from "@bursar/core/base/Timestamp"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Clock, Effect } from "effect"

/**
 * By how much what is written may be ahead of the database's clock or behind it, in milliseconds. It takes a tenant's time along, which never
 * goes back: well below the 15 seconds after which what arrives on an address counts as sent before the address was there.
 */
export const offsetMaxMs = 5_000

/** A clock that is wrong is told this often: it is at every commit. */
const toldEveryMs = 60_000

/** Refuses what is to be written at a moment that is further ahead of the database's clock than is allowed. */
export type RefuseLead = (doing: string, moment: Timestamp, databaseNow: Timestamp) => Effect.Effect<void, StorageError>

/**
 * The earliest moment at which something may be written. By a clock that is behind, what has ended would go on for a tenant that did nothing since,
 * such as a quoted price.
 */
export type EarliestMoment = (moment: Timestamp, databaseNow: Timestamp) => Effect.Effect<Timestamp>

/** Says whether to tell something: at once, and once a minute by the database's clock. */
const onceAMinute = (): ((databaseNow: Timestamp) => boolean) => {
  let toldAt: Timestamp | undefined
  return (databaseNow) => {
    if (toldAt !== undefined && Math.abs(databaseNow - toldAt) < toldEveryMs) return false
    toldAt = databaseNow
    return true
  }
}

/** Makes what refuses a lead and tells it (`clock.ahead`). */
export const makeRefuseLead = (maxMs: number): RefuseLead => {
  const isToTell = onceAMinute()
  return (doing, moment, databaseNow) =>
    Effect.suspend(() => {
      const aheadMs = moment - databaseNow
      if (aheadMs <= maxMs) return Effect.void
      const cause = new Error(`the clock of this process is ${aheadMs} ms ahead of the database's: nothing is written`)
      const refused = Effect.fail(new StorageError({ doing, cause }))
      if (!isToTell(databaseNow)) return refused
      return Effect.andThen(Effect.annotateLogs(Effect.logError("clock.ahead"), { aheadMs, maxMs }), refused)
    })
}

/** Makes what says the earliest moment, and tells where the clock of this process is further behind (`clock.behind`). */
export const makeEarliestMoment = (maxMs: number): EarliestMoment => {
  const isToTell = onceAMinute()
  return Effect.fnUntraced(function* (moment: Timestamp, databaseNow: Timestamp) {
    const earliest = databaseNow - maxMs
    // a moment may also be an old one that has waited for the lock
    if (moment >= earliest) return earliest
    const behindMs = databaseNow - (yield* Clock.currentTimeMillis)
    if (behindMs > maxMs && isToTell(databaseNow))
      yield* Effect.annotateLogs(Effect.logError("clock.behind"), { behindMs, maxMs })
    return earliest
  })
}
