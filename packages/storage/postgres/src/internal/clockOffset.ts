import type { Timestamp } from "@bursar/core/base/Timestamp"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Clock, Effect } from "effect"

/**
 * By how much the clock of a process may differ from the database's, in milliseconds. What is written takes a tenant's time along, which never
 * goes back: well below the 15 seconds after which what arrives on an address counts as sent before the address was there.
 */
export const offsetMaxMs = 5_000

/**
 * How long the moment of a commit may have waited to be written, in milliseconds: a process may have been stopped since it took it. It is below the
 * minute that the operators' stream looks back, also with the offset.
 */
export const commitWaitMaxMs = 20_000

/** A clock that differs is told this often: it does at every commit. */
const toldEveryMs = 60_000

/**
 * Refuses what a process writes whose clock differs from the database's by more than is allowed. Nobody knows which of them is right: followed either
 * way, a wrong one would take tenants along for good, or let what has ended go on, such as a quoted price. Also refuses a moment that has waited for
 * longer than it may, where that is given.
 */
export type RefuseOffset = (
  doing: string,
  moment: Timestamp,
  databaseNow: Timestamp,
  waitMaxMs?: number
) => Effect.Effect<void, StorageError>

/** Tells something at once, and then once a minute by the database's clock. */
const onceAMinute = () => {
  let toldAt: Timestamp | undefined
  return (databaseNow: Timestamp, telling: Effect.Effect<void>): Effect.Effect<void> => {
    if (toldAt !== undefined && Math.abs(databaseNow - toldAt) < toldEveryMs) return Effect.void
    toldAt = databaseNow
    return telling
  }
}

/** Makes what refuses that and tells it (`clock.ahead`, `clock.behind`); or what refuses nothing. */
export const makeRefuseOffset = (anyMoment: boolean): RefuseOffset => {
  if (anyMoment) return () => Effect.void
  const tellAhead = onceAMinute()
  const tellBehind = onceAMinute()
  return Effect.fnUntraced(function* (
    doing: string,
    moment: Timestamp,
    databaseNow: Timestamp,
    waitMaxMs = Number.POSITIVE_INFINITY
  ) {
    const refused = (why: string) => new StorageError({ doing, cause: new Error(`${why}: nothing is written`) })
    const aheadMs = moment - databaseNow
    if (aheadMs > offsetMaxMs) {
      yield* tellAhead(
        databaseNow,
        Effect.annotateLogs(Effect.logError("clock.ahead"), { aheadMs, maxMs: offsetMaxMs })
      )
      return yield* refused(`the clock of this process is ${aheadMs} ms ahead of the database's`)
    }
    // the moment may have waited for the lock, so it does not say how far the clock is behind
    const behindMs = databaseNow - (yield* Clock.currentTimeMillis)
    if (behindMs > offsetMaxMs) {
      yield* tellBehind(
        databaseNow,
        Effect.annotateLogs(Effect.logError("clock.behind"), { behindMs, maxMs: offsetMaxMs })
      )
      return yield* refused(`the clock of this process is ${behindMs} ms behind the database's`)
    }
    const waitedMs = databaseNow - moment
    if (waitedMs > waitMaxMs) return yield* refused(`it has waited for ${waitedMs} ms`)
  })
}
