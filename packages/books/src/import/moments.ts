import type { Timestamp } from "@bursar/core/base/Timestamp"

const tokens: Readonly<Record<string, string>> = {
  YYYY: String.raw`(?<year>\d{4})`,
  MM: String.raw`(?<month>\d{1,2})`,
  DD: String.raw`(?<day>\d{1,2})`,
  HH: String.raw`(?<hour>\d{1,2})`,
  mm: String.raw`(?<minute>\d{2})`,
  ss: String.raw`(?<second>\d{2}(?:\.\d{1,9})?)`
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)

/** The pattern of a form such as `DD.MM.YYYY HH:mm`; undefined where it does not say year, month and day, each once. */
export const dateForm = (form: string): RegExp | undefined => {
  const parts = form.split(/(YYYY|MM|DD|HH|mm|ss)/u)
  const named = parts.filter((part) => part in tokens)
  if (new Set(named).size !== named.length || !["YYYY", "MM", "DD"].every((one) => named.includes(one)))
    return undefined
  return new RegExp(`^${parts.map((part) => tokens[part] ?? escaped(part)).join("")}$`, "u")
}

const padded = (text: string | undefined, length = 2): string => (text ?? "0").padStart(length, "0")

const iso = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?$/u

/** A moment in a form, with an offset where it says none; undefined where it is none. The 31st of a month of 30 days is none. */
export const momentIn = (text: string, form: RegExp | "iso", offset: string): Timestamp | undefined => {
  if (form === "iso") {
    const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/u.test(text) && text.length > "2026-11-23".length
    if (!zoned && !iso.test(text)) return undefined
    const day = text.length === "2026-11-23".length
    return whole(
      Date.parse(zoned ? text.replace(" ", "T") : `${text.replace(" ", "T")}${day ? "T00:00" : ""}${offset}`),
      text
    )
  }
  const { day, hour, minute, month, second, year } = form.exec(text)?.groups ?? {}
  if (year === undefined) return undefined
  const date = `${year}-${padded(month)}-${padded(day)}`
  return whole(Date.parse(`${date}T${padded(hour)}:${padded(minute)}:${padded(second)}${offset}`), date)
}

/** The moment, where its day is one of the calendar: JavaScript takes the 31st of April for the 1st of May. */
const whole = (at: number, text: string): Timestamp | undefined => {
  const date = text.slice(0, "2026-11-23".length)
  const midnight = Date.parse(`${date}T00:00Z`)
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date)
  return Number.isNaN(at) || !isDay ? undefined : at
}
