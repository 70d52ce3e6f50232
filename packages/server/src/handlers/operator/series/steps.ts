import type { SeriesSpan } from "@bursar/api/operator/OperatorSeries"
import { toIso, type Timestamp } from "@bursar/core/base/Timestamp"
import type { Steps } from "@bursar/core/store/Series"

const [hourMs, dayMs] = [3_600_000, 86_400_000]

/** How many steps a span has, and how long they are. */
const spans: Readonly<Record<SeriesSpan, readonly [count: number, stepMs: number]>> = {
  day: [24, hourMs],
  week: [168, hourMs],
  month: [31, dayMs],
  quarter: [92, dayMs]
}

/** The steps of a span, the last of which is under way now. */
export const stepsOf = (span: SeriesSpan, now: Timestamp): Steps => {
  const [count, stepMs] = spans[span]
  const until = (Math.floor(now / stepMs) + 1) * stepMs
  return { from: until - count * stepMs, until, stepMs }
}

/** Steps as answers say them. */
export const stepsToWire = ({ from, stepMs, until }: Steps) => ({
  from: toIso(from),
  until: toIso(until),
  step_seconds: stepMs / 1_000
})
