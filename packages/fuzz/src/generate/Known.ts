import type { Random } from "@bursar/simulation/kernel/Random"

/** What a tenant or the house has that is asked for by its id. */
export type Kind =
  | "account"
  | "adjustment"
  | "api key"
  | "break"
  | "destination"
  | "fee rule"
  | "proposal"
  | "resolution"
  | "session"
  | "signing key"
  | "snapshot"
  | "sweep"
  | "tenant"
  | "wallet"
  | "webhook"
  | "address"
  | "customer"
  | "cursor"
  | "deposit"
  | "key"
  | "operation"
  | "payout"
  | "quote"
  | "swap"
  | "transfer"
  | "withdrawal"
  | "xpub"

/** What is known of a tenant's records: what its answers have told. */
export interface Known {
  readonly learn: (kind: Kind, id: string) => void
  /** One of a kind; undefined where there is none. It always takes one number. */
  readonly pick: (kind: Kind, random: Random) => string | undefined
  readonly has: (id: string) => boolean
  readonly all: (kind: Kind) => ReadonlySet<string>
}

/** How many of a kind are picked from: the newest. */
const pickedFrom = 200

/** Nothing known yet. */
export const makeKnown = (): Known => {
  const pools = new Map<Kind, Set<string>>()
  const recent = new Map<Kind, Array<string>>()
  const everything = new Set<string>()
  const poolOf = (kind: Kind) => {
    const pool = pools.get(kind) ?? new Set()
    pools.set(kind, pool)
    return pool
  }
  return {
    learn: (kind, id) => {
      if (poolOf(kind).has(id)) return
      poolOf(kind).add(id)
      everything.add(id)
      const list = recent.get(kind) ?? []
      list.push(id)
      if (list.length > pickedFrom) list.shift()
      recent.set(kind, list)
    },
    pick: (kind, random) => {
      const drawn = random.below(1_000_000)
      const list = recent.get(kind) ?? []
      return list[drawn % Math.max(1, list.length)]
    },
    has: (id) => everything.has(id),
    all: (kind) => poolOf(kind)
  }
}
