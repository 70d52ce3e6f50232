/** Just before a time has passed, with some left for the test to run. */
export const justBefore = (ms: number): number => ms - Math.min(30_000, ms / 2)

/** Just after it has. */
export const justAfter = (ms: number): number => ms + 1_000

/** A reference that no provider has given. */
export const madeUp = "1000000001"
