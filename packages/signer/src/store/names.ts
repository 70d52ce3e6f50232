/** What is remembered of a transaction stands under this. */
export const hashKey = (network: string, hash: string): string => `${network}|${hash}`

/** Whether two lists have a name in common. */
export const shares = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.some((name) => other.includes(name))

/** Whether these are the same names, in whatever order. */
export const sameNames = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((name) => other.includes(name))
