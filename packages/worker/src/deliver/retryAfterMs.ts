/** Reads a `Retry-After` (RFC 9110, section 10.2.3): seconds or a date. Null where there is none that can be read. */
export const retryAfterMs = (header: string | undefined, now: number): number | null => {
  const text = header?.trim() ?? ""
  if (/^[0-9]{1,9}$/u.test(text)) return Number(text) * 1_000
  // only the date forms of HTTP, which all name the day of the week first
  const date = /^[A-Z][a-z]{2,8},? /u.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
