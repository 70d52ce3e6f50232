import { contractKey } from "@bursar/core/money/Currency"
import type { Signed } from "./Entry.ts"
import { makeMinuteSums } from "./minuteSums.ts"
import { hashKey, sameNames, shares } from "./names.ts"

/** For how long it matters that a transaction may expire: longer than the longest time that a limit counts. */
const mayExpireMs = 90_000_000

/** What was counted for a transaction. */
type Counted = Pick<Signed, "at" | "network" | "paid" | "requests" | "tenantId">

/** A transaction that may take the place of others. */
export interface Instead {
  readonly network: string
  readonly uses: ReadonlyArray<string>
  /** The keys of the requests to which it answers. */
  readonly keys: ReadonlyArray<string>
}

interface Paying extends Instead {
  readonly hash: string
}

const placeOf = (tenantId: string, network: string, contract: string | null): string =>
  `${tenantId}|${network}|${contractKey(contract)}`

/**
 * Counts what transactions pay to others, by tenant, asset and minute. `living` are those that were signed for a request and are not void.
 */
export const makePaidCounter = (living: (key: string) => ReadonlyArray<Paying>) => {
  const sums = makeMinuteSums()
  /** What was counted for transactions that expire, as long as it matters, oldest first. */
  const mayExpire = new Map<string, Counted>()

  const count = (entry: Signed) => {
    const keys = entry.requests.map(({ key }) => key)
    if (entry.paid.length > 0)
      for (const [key, counted] of countedInstead({ keys, network: entry.network, uses: entry.uses }))
        takeBack(key, counted)
    for (const { contract, units } of entry.paid)
      sums.add(placeOf(entry.tenantId, entry.network, contract), entry.at, units)
    for (const [key, { at }] of mayExpire) {
      if (at > entry.at - mayExpireMs) break
      mayExpire.delete(key)
    }
    if (entry.validUntil !== null && entry.paid.length > 0) {
      const { at, hash, network, paid: counted, requests, tenantId } = entry
      mayExpire.set(hashKey(network, hash), { at, network, paid: counted, requests, tenantId })
    }
  }

  const takeBack = (key: string, { at, network, paid: counted, tenantId }: Counted) => {
    mayExpire.delete(key)
    for (const { contract, units } of counted) sums.takeBack(placeOf(tenantId, network, contract), at, units)
  }

  /** Whether what was counted for another transaction stands for this one too, which took the place of that one in time. */
  const isUncounted = ({ hash, network }: Paying): boolean => !mayExpire.has(hashKey(network, hash))

  /** Takes back what was counted for a transaction that never takes effect, unless it stands for another of its requests too. */
  const uncount = (key: string) => {
    const entry = mayExpire.get(key)
    if (entry === undefined) return
    const heir = entry.requests.flatMap((request) => living(request.key)).find(isUncounted)
    if (heir === undefined) return takeBack(key, entry)
    mayExpire.delete(key)
    // of several requests each may have another heir: then it stays counted, as what is counted too much is safe
    if (entry.requests.length === 1) mayExpire.set(hashKey(heir.network, heir.hash), entry)
  }

  /** What was counted for transactions that one excludes which answers to the same requests: it is counted in their place. */
  const countedInstead = ({ keys, network, uses }: Instead): ReadonlyArray<readonly [string, Counted]> => {
    const replaced = [...new Set(keys.flatMap(living))].filter(
      (one) => one.network === network && shares(one.uses, uses) && sameNames(one.keys, keys)
    )
    return replaced.flatMap(({ hash }) => {
      const counted = mayExpire.get(hashKey(network, hash))
      return counted === undefined ? [] : [[hashKey(network, hash), counted] as const]
    })
  }

  return {
    add: count,
    /** Takes back what was counted for a transaction that is proven void. */
    takeBack: uncount,
    /** What was paid of an asset since a moment, by a tenant, but for what a transaction takes the place of. */
    since: (
      tenantId: string,
      { contract, network }: { readonly network: string; readonly contract: string | null },
      since: number,
      instead: Omit<Instead, "network">
    ): bigint => {
      const place = placeOf(tenantId, network, contract)
      const replaced = countedInstead({ network, ...instead })
        .filter(([, { at }]) => sums.counts(place, at, since))
        .flatMap(([, one]) => one.paid.filter((of) => placeOf(one.tenantId, network, of.contract) === place))
      return replaced.reduce((sum, { units }) => sum - units, sums.since(place, since))
    }
  }
}
