import type { Timestamp } from "@bursar/core/base/Timestamp"
import { dayMs, hourMs } from "../storage/totals.ts"

/** A span of time: `since` inclusive, `until` exclusive, each open where it is absent. */
export interface Span {
  readonly since?: Timestamp | undefined
  readonly until?: Timestamp | undefined
}

/** What a span is made of: whole days, whole hours, and what is left at its ends, which is less than an hour each. */
export interface TotalSpans {
  readonly days: ReadonlyArray<Span>
  readonly hours: ReadonlyArray<Span>
  readonly rest: ReadonlyArray<Span>
}

const up = (at: Timestamp | undefined, step: number) => (at === undefined ? undefined : Math.ceil(at / step) * step)

const down = (at: Timestamp | undefined, step: number) => (at === undefined ? undefined : Math.floor(at / step) * step)

const isBefore = (one: Timestamp | undefined, other: Timestamp | undefined): boolean =>
  one === undefined || other === undefined || one < other

/** The ends of a span that steps of a length leave over, and the middle that they fill, if they fill any. */
const cut = ({ since, until }: Span, step: number) => {
  const [from, to] = [up(since, step), down(until, step)]
  if (!isBefore(from, to)) return { middle: undefined, ends: isBefore(since, until) ? [{ since, until }] : [] }
  const ends = [
    { since, until: from },
    { since: to, until }
  ]
  return {
    middle: { since: from, until: to },
    // an end that is open, or where the step begins, is none
    ends: ends.filter((end) => end.since !== undefined && end.until !== undefined && end.since < end.until)
  }
}

/** Divides a span into days, hours and what is left. */
export const totalSpans = (span: Span): TotalSpans => {
  const byHour = cut(span, hourMs)
  if (byHour.middle === undefined) return { days: [], hours: [], rest: byHour.ends }
  const byDay = cut(byHour.middle, dayMs)
  return { days: byDay.middle === undefined ? [] : [byDay.middle], hours: byDay.ends, rest: byHour.ends }
}
