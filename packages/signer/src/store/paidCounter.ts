import { contractKey } from "@bursar/core/money/Currency"
import type { Signed } from "./Entry.ts"
import { makeMinuteSums, type Part } from "./minuteSums.ts"
import { hashKey, sameNames, shares } from "./names.ts"

/** For how long it matters that a transaction may expire: longer than the longest time that a limit counts. */
const mayExpireMs = 90_000_000

/** What was counted for a transaction. */
interface Counted extends Pick<Signed, "at" | "requests"> {
  readonly parts: ReadonlyArray<Part>
}

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
    const parts = entry.paid.map(({ contract, units }) =>
      sums.add(placeOf(entry.tenantId, entry.network, contract), entry.at, units)
    )
    for (const [key, { at }] of mayExpire) {
      if (at > entry.at - mayExpireMs) break
      mayExpire.delete(key)
    }
    const { at, hash, network, requests, validUntil } = entry
    if (validUntil !== null && parts.length > 0) mayExpire.set(hashKey(network, hash), { at, requests, parts })
  }

  const takeBack = (key: string, { parts }: Counted) => {
    mayExpire.delete(key)
    for (const part of parts) sums.takeBack(part)
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
        .flatMap(([, { parts }]) => parts)
        .filter((part) => part.place === place && sums.counts(part, since))
      return replaced.reduce((sum, { amount }) => sum - amount, sums.since(place, since))
    }
  }
}
