import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import { toIso } from "../base/Timestamp.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readGroup } from "../engine/Records.ts"
import { allPeriods, ClosedPeriod, lastClosed } from "./ClosedPeriod.ts"
import { nextPeriod, type Period, periodEnd } from "./Period.ts"

const conflict = (message: string) => new Refusal({ code: "state_conflict", message })

/**
 * Why a period cannot be closed now, given those that are; undefined where it can. `firstBooked` is the month of the first posting
 * that is in no period yet, null where there is none.
 */
export const objectionToClosing = (
  period: Period,
  known: {
    readonly now: number
    readonly closed: ReadonlyArray<ClosedPeriod>
    readonly firstBooked: Period | null
    readonly tenantSince: number
  }
): Refusal | undefined => {
  const end = periodEnd(period)
  if (known.now < end) return conflict(`${period} is not over before ${toIso(end)}.`)
  if (end <= known.tenantSince) return conflict(`The tenant did not exist in ${period}.`)
  const last = lastClosed(known.closed)
  if (last !== undefined) {
    const next = nextPeriod(last.period)
    return next === period ? undefined : conflict(`The period to close next is ${next}.`)
  }
  return known.firstBooked !== null && known.firstBooked < period
    ? conflict(`The period to close first is ${known.firstBooked}: something was booked then.`)
    : undefined
}

/** What closing a period fixes, made from the books before the command. */
export interface PeriodToClose extends Omit<ClosedPeriod, "closedAt"> {
  /** The month of the first posting that is in no closed period; null where there is none. */
  readonly firstBooked: Period | null
}

/**
 * Fixes a period and its statement. One that is closed stays as it is, and is the reply. Refused (`state_conflict`): a period that is
 * not over, or that is not the next one; `stale` where another was closed since the statement was made.
 */
export const closePeriod = ({ firstBooked, ...wanted }: PeriodToClose): Command<ClosedPeriod> => ({
  name: "ClosePeriod",
  reads: [readGroup(ClosedPeriod, allPeriods)],
  decide: (view) => {
    const closed = view.group(ClosedPeriod, allPeriods)
    const there = closed.find(({ period }) => period === wanted.period)
    if (there !== undefined) return Result.succeed({ changes: [], reply: there })
    const tenantSince = view.tenant.createdAt
    const objection = objectionToClosing(wanted.period, { now: view.now, closed, firstBooked, tenantSince })
    if (objection !== undefined) return Result.fail(objection)
    if (wanted.after !== (lastClosed(closed)?.through ?? 0))
      return Result.fail(new Refusal({ code: "stale", message: "Another period was closed meanwhile." }))
    const record: ClosedPeriod = { ...wanted, closedAt: view.now }
    return Result.succeed({ changes: [putRecord(ClosedPeriod, record)], reply: record })
  }
})
