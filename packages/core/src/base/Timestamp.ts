/** A moment, in Unix milliseconds. */
export type Timestamp = number

const dayMs = 86_400_000

/** The last moment that a date can be of. */
const dateMax = 8.64e15

/** The first and the last moment that an RFC 3339 text in UTC can tell: its year has four digits. */
export const [timestampMin, timestampMax] = [-62_167_219_200_000, 253_402_300_799_999] as const

const two = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"))
const three = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, "0"))

/** The day that was written last, as a list has many moments of one day, and how it is written. */
let lastDay = Number.NaN
let lastDate = ""

/** The moment as an RFC 3339 text in UTC; what no such text can tell as the nearest that one can. Throws where there is no such date. */
export const toIso = (given: Timestamp): string => {
  const at = Math.abs(given) > dateMax ? given : Math.min(Math.max(given, timestampMin), timestampMax)
  if (!Number.isInteger(at) || Math.abs(at) > dateMax) return new Date(at).toISOString()
  const day = Math.floor(at / dayMs)
  if (day !== lastDay) {
    lastDate = new Date(day * dayMs).toISOString().slice(0, -"00:00:00.000Z".length)
    lastDay = day
  }
  const ms = at - day * dayMs
  const [hours, minutes, seconds] = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    Math.floor(ms / 1_000) % 60
  ]
  return `${lastDate}${two[hours] ?? ""}:${two[minutes] ?? ""}:${two[seconds] ?? ""}.${three[ms % 1_000] ?? ""}Z`
}
