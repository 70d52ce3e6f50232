import { DepositAddress } from "@bursar/core/address/DepositAddress"
import type { NewestReads, ReadSet, RecordReads } from "@bursar/core/engine/Read"
import type { AnyRecord, RecordMaps } from "@bursar/core/engine/Records"
import type { Loaded } from "@bursar/core/engine/runBatch"
import { factReaders } from "./facts.ts"
import { recordsOf, type State, type TenantRecords } from "./Store.ts"

/** The entries of a map whose keys are asked for. */
const pick = <K, V>(from: ReadonlyMap<K, V>, keys: Iterable<K>): Map<K, V> => {
  const found = new Map<K, V>()
  for (const key of keys) {
    const value = from.get(key)
    if (value !== undefined) found.set(key, value)
  }
  return found
}

const owners = (state: State, reads: ReadSet): Pick<Loaded, "keyOwners" | "liveAddresses"> => ({
  liveAddresses: new Map(
    [...pick(state.directory, reads.liveAddresses.keys())].map(([key, { addressId, tenantId }]) => [
      key,
      { owner: tenantId, id: addressId }
    ])
  ),
  keyOwners: new Map(
    [...pick(state.keyOwners, reads.keyOwners)].map(([key, { by, holder, tenantId }]) => [
      key,
      { owner: tenantId, holder, by }
    ])
  )
})

const wanted = (all: ReadonlyMap<string, unknown>, { groups, keys, of }: RecordReads): Map<string, unknown> => {
  const found = pick(all, keys.keys())
  if (groups.size === 0) return found
  for (const [key, record] of all) {
    const group = of.group(record)
    if (group !== null && groups.has(group)) found.set(key, record)
  }
  return found
}

/** The records that are asked for, and the addresses of the tenant that the directory named. */
const records = (
  tenant: TenantRecords,
  reads: ReadSet,
  { keyOwners, liveAddresses }: Pick<Loaded, "keyOwners" | "liveAddresses">
): RecordMaps => {
  const found = new Map(
    [...reads.records].map(([name, one]) => [name, wanted(recordsOf(tenant, one.of), one)] as const)
  )
  const named = [...[...liveAddresses.values()].map(({ id }) => id), ...[...keyOwners.values()].map(({ by }) => by)]
  // the records are the tenant's own, so one that another tenant's entry names is not among them
  const addresses = pick<string, unknown>(recordsOf(tenant, DepositAddress), named)
  if (addresses.size === 0) return found
  return found.set(DepositAddress.name, new Map([...(found.get(DepositAddress.name) ?? []), ...addresses]))
}

const newestOf = (tenant: TenantRecords, { groups, of }: NewestReads): ReadonlyMap<string, unknown> => {
  const found = new Map<string, unknown>()
  const all: ReadonlyMap<string, unknown> = recordsOf<unknown, unknown>(tenant, of.of satisfies AnyRecord)
  for (const record of all.values()) {
    const group = of.group(record)
    if (!groups.has(group)) continue
    const before = found.get(group)
    if (before === undefined || of.order(record) > of.order(before)) found.set(group, record)
  }
  return found
}

const facts = (state: State, reads: ReadSet): RecordMaps =>
  new Map(
    [...reads.facts].map(([name, { keys }]) => {
      // a fact that is not among ours is unknown
      const reader = Object.entries(factReaders).find(([known]) => known === name)?.[1]
      return [name, new Map([...keys].map((key) => [key, reader?.(state, key)] as const))] as const
    })
  )

/** What commands asked to read of a tenant, and no more. */
export const load = (state: State, tenant: TenantRecords, reads: ReadSet): Loaded => {
  const found = owners(state, reads)
  return {
    head: tenant.head,
    balances: pick(tenant.balances, reads.balances.keys()),
    ...found,
    records: records(tenant, reads, found),
    newest: new Map([...reads.newest].map(([name, one]) => [name, newestOf(tenant, one)] as const)),
    facts: facts(state, reads)
  }
}
