/** How long a `Retry-After` asks to wait, in milliseconds: whole seconds or an HTTP date. Undefined where it is neither. */
export const retryAfterMs = (header: string | null | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ""
  if (/^\d{1,9}$/u.test(text)) return Number(text) * 1000
  const moment = /[a-z]/iu.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now)
}
