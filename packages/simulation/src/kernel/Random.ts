/** Numbers that follow from a seed alone. */
export interface Random {
  /** A whole number from 0 on, below the bound. */
  readonly below: (bound: number) => number
  /** True so often in a thousand. */
  readonly chance: (perThousand: number) => boolean
  /** One of a list that is not empty. */
  readonly pick: <A>(list: readonly [A, ...ReadonlyArray<A>]) => A
  readonly bytes: (length: number) => Uint8Array<ArrayBuffer>
  /** A generator of its own for a purpose: what is drawn from it changes nothing of what others draw. */
  readonly for: (purpose: string) => Random
}

const mixed = (seed: number, text: string): number => {
  let hash = seed ^ 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
}

/** The generator of a seed (mulberry32). */
export const makeRandom = (seed: number): Random => {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return (value ^ (value >>> 14)) >>> 0
  }
  const below = (bound: number): number => Math.floor((next() / 4_294_967_296) * bound)
  return {
    below,
    chance: (perThousand) => below(1_000) < perThousand,
    pick: (list) => list[below(list.length)] ?? list[0],
    bytes: (length) => Uint8Array.from({ length }, () => below(256)),
    for: (purpose) => makeRandom(mixed(seed, purpose))
  }
}

/** The seed of the n-th world of a run. */
export const seedOfWorld = (seed: number, world: number): number => mixed(seed, `world ${world}`)
