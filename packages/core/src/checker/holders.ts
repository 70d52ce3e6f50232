/** Who has what one alone may have, each by its key: but for one more that is open to somebody who has moved it before after all. */
export interface Holders<A> {
  /** Adds one. Gives two that may not both have it, if there are. */
  readonly add: (key: string, one: A) => readonly [A, A] | undefined
  /** Who has it; of two whoever has moved it. */
  readonly of: (key: string) => A | undefined
}

/** Nobody has anything yet. `hasMovedFor` says whether one has moved what a later one is open to. */
export const makeHolders = <A>(hasMovedFor: (one: A, later: A) => boolean): Holders<A> => {
  const holders = new Map<string, A>()
  const open = new Map<string, A>()
  return {
    add: (key, one) => {
      const other = holders.get(key)
      if (other === undefined) {
        holders.set(key, one)
        return undefined
      }
      const [moved, later] = hasMovedFor(one, other) ? [one, other] : [other, one]
      if (!hasMovedFor(moved, later)) return [moved, later]
      holders.set(key, moved)
      // several that come after it are open to each other as well
      const beside = open.get(key)
      open.set(key, later)
      return beside === undefined ? undefined : [beside, later]
    },
    of: (key) => holders.get(key)
  }
}
