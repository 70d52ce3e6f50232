import { type Timestamp, timestampMax, toIso } from "@bursar/core/base/Timestamp"

/**
 * Reads a date-time that the contract has checked. The service counts milliseconds: what is finer is taken up to the next
 * one that can be told, so that `since` lets nothing in that was before it and `until` nothing out.
 */
export const momentOf = (text: string): Timestamp => {
  const finer = /\.\d{3}(\d+)/u.exec(text)?.[1]
  const at = Date.parse(text) + (finer !== undefined && /[1-9]/u.test(finer) ? 1 : 0)
  return Math.min(at, timestampMax)
}

/** Reads a date-time that may be absent. */
export const momentOrUndefined = (text: string | undefined): Timestamp | undefined =>
  text === undefined ? undefined : momentOf(text)

/** Writes a moment; nothing stays nothing. */
export const isoOrNull = (at: Timestamp | null | undefined): string | null =>
  at === null || at === undefined ? null : toIso(at)
