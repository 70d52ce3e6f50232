/** A time in words of a few letters: 850 ms, 12 s, 4.5 min, 3 h. */
export const shortTime = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`
  if (ms < 7_200_000) return `${Math.round(ms / 6_000) / 10} min`
  return `${Math.round(ms / 360_000) / 10} h`
}
