/** How often the same thing is said of one key. */
const everyMs = 60_000

/** How many things it is remembered of that they were said. */
const rememberedMax = 10_000

/**
 * Makes what says whether something is to be told now: once a minute each. Whoever has a key may call with it as often as they like, and
 * must not fill the log.
 */
export const makeSeldom = (): ((what: string, now: number) => boolean) => {
  const told = new Map<string, number>()
  return (what, now) => {
    if (now - (told.get(what) ?? Number.NEGATIVE_INFINITY) < everyMs) return false
    if (told.size >= rememberedMax) told.clear()
    told.set(what, now)
    return true
  }
}
