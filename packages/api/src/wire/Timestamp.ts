import { Schema } from "effect"

const pattern =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u

const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

const [first, last] = [Date.parse("0000-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")]

/** Whether the moment of a date-time can be written in UTC: an offset may lead out of the years that have four digits. */
const isWritable = (text: string): boolean => {
  if (text.endsWith("Z")) return true
  const at = Date.parse(text)
  return at >= first && at <= last
}

const isDateTime = (text: string): boolean => {
  if (!pattern.test(text)) return false
  const day = Number(text.slice(8, 10))
  if (day > 28 && day > daysInMonth(Number(text.slice(0, 4)), Number(text.slice(5, 7)))) return false
  return isWritable(text)
}

/** A moment of the years 0000 to 9999 as an RFC 3339 date-time string, on both sides of the wire; answers are in UTC (`Z`). */
export const Timestamp = Schema.String.check(
  Schema.makeFilter(isDateTime, {
    expected: "an RFC 3339 date-time of the years 0000 to 9999 in UTC",
    toJsonSchema: () => ({ format: "date-time" })
  })
)
/** A moment as an RFC 3339 date-time string. */
export type Timestamp = typeof Timestamp.Type
