import { Schema } from "effect"

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u

const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

const isDateTime = (text: string): boolean => {
  const [, year, month, day] = (pattern.exec(text) ?? []).map(Number)
  return (
    year !== undefined &&
    month !== undefined &&
    day !== undefined &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth(year, month)
  )
}

/** A moment as an RFC 3339 date-time string, on both sides of the wire; answers are in UTC (`Z`). */
export const Timestamp = Schema.String.check(
  Schema.makeFilter(isDateTime, {
    expected: "an RFC 3339 date-time",
    toJsonSchema: () => ({ format: "date-time" })
  })
)
/** A moment as an RFC 3339 date-time string. */
export type Timestamp = typeof Timestamp.Type
