import type { UnreadableRow } from "@bursar/core/engine/UnreadableRow"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { logUnreadable } from "@bursar/core/reconciliation/logUnreadable"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries, type ReadableRecords } from "@bursar/core/store/Queries"
import { Context, Effect } from "effect"
import { tellLasting } from "../queue/apart.ts"

/** The rows that a look has left out, by what is told of each. Undefined outside of a look. */
const LeftOut = Context.Reference<Set<string> | undefined>("@bursar/worker/reconcile/LeftOut", {
  defaultValue: () => undefined
})

/** Tells of a row that somebody has made unreadable in the database, when it is found and once an hour (`logUnreadable`). */
const tell = (one: UnreadableRow) => tellLasting({ row: one.row }, one.problem, logUnreadable(one))

/** Leaves a row out of a look: what it would explain is missing, and nothing else. It is told of, and the look is not whole (`notingLeftOut`). */
const leaveOut = Effect.fnUntraced(function* (one: UnreadableRow) {
  const leftOut = yield* LeftOut
  leftOut?.add(`${one.row} cannot be read: ${one.problem}`)
  yield* tell(one)
})

/** The records of a list that can be read: one that cannot is left out, and hides no others. */
export const readableOf = <A>({ records, unreadable }: ReadableRecords<A>): Effect.Effect<ReadonlyArray<A>> =>
  Effect.as(Effect.forEach(unreadable, leaveOut, { discard: true }), records)

/** All breaks that can be read. One that cannot keeps no look from being whole but that at its own currency and place, which `unlessUnreadable` leaves out. */
export const readableBreaks = Effect.gen(function* () {
  const { readable } = yield* Queries
  const { records, unreadable } = yield* readable(fleetTenantId, ReconciliationBreak)
  yield* Effect.forEach(unreadable, tell, { discard: true })
  return records
})

/** Undefined where something that is of one row fails by a defect: that row is left out. */
export const unlessUnreadable = <A, E, R>(
  row: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A | undefined, E, R> =>
  Effect.catchDefect(effect, (defect) =>
    Effect.as(leaveOut({ row, problem: defect instanceof Error ? defect.message : String(defect) }), undefined)
  )

/** Does a part of a look, and gives what it has left out: each row with what is wrong with it. */
export const notingLeftOut = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<ReadonlyArray<string>, E, R> =>
  Effect.suspend(() => {
    const leftOut = new Set<string>()
    return Effect.map(Effect.provideService(effect, LeftOut, leftOut), () => [...leftOut])
  })
