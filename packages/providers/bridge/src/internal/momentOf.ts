import { DateTime, Option } from "effect"

/** When something was, as Bridge writes it; NaN where that is no date. `Date.parse` would take one without a zone for a time of this machine's. */
export const momentOf = (date: string): number =>
  Option.match(DateTime.make(date), { onNone: () => NaN, onSome: DateTime.toEpochMillis })
