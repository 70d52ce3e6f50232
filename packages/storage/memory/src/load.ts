import {
  type RecordKind,
  recordKindNames,
  recordKinds,
  type RecordMaps,
  type Records
} from "@bursar/core/engine/Records"
import { type ReadSet, xpubUseKey } from "@bursar/core/engine/Read"
import type { Loaded } from "@bursar/core/engine/runBatch"
import type { LiveAddress } from "@bursar/core/engine/View"
import { byAge } from "./byAge.ts"
import { signingKeysOf } from "./signingKeysOf.ts"
import { recordsOf, type State, type TenantRecords } from "./Store.ts"

/** The entries of a map whose keys are asked for. */
const pick = <K, V>(from: ReadonlyMap<K, V>, keys: Iterable<K>): ReadonlyMap<K, V> => {
  const found = new Map<K, V>()
  for (const key of keys) {
    const value = from.get(key)
    if (value !== undefined) found.set(key, value)
  }
  return found
}

const liveAddresses = (
  state: State,
  tenant: TenantRecords,
  keys: Iterable<string>
): ReadonlyMap<string, LiveAddress> => {
  const found = new Map<string, LiveAddress>()
  for (const [key, { addressId, tenantId }] of pick(state.directory, keys)) {
    const own = tenantId === tenant.head.tenant.id
    found.set(key, { owner: tenantId, record: own ? tenant.addresses.get(addressId) : undefined })
  }
  return found
}

const keyOwners = (state: State, tenant: TenantRecords, { keyOwners: wanted }: ReadSet): Loaded["keyOwners"] =>
  new Map(
    [...pick(state.keyOwners, wanted)].map(([key, { by, holder, tenantId }]) => {
      const own = tenantId === tenant.head.tenant.id && holder === "SERVICE"
      return [key, { owner: tenantId, holder, record: own ? tenant.addresses.get(by) : undefined }]
    })
  )

const histories = ({ addresses, deposits }: TenantRecords, { histories: wanted }: ReadSet): Loaded["histories"] =>
  new Map(
    [...wanted].map((address) => [
      address,
      {
        records: [...addresses.values()].filter((record) => record.address === address).toSorted(byAge),
        deposits: [...deposits.values()].filter((deposit) => deposit.address === address)
      }
    ])
  )

const heights = (state: State, reads: ReadSet): Loaded["heights"] =>
  new Map(
    [...pick(state.networks, reads.heights)].flatMap(([network, { cursor, latest }]) =>
      cursor === undefined ? [] : [[network, Math.max(cursor.number, latest ?? 0)] as const]
    )
  )

const payoutsOff = ({ switches }: State, reads: ReadSet): Loaded["payoutsOff"] =>
  new Map([...pick(switches, reads.payoutsOff)].map(([network, one]) => [network, one.payoutsOff]))

const liveXpubs = ({ xpubs }: TenantRecords, { liveXpubs: wanted }: ReadSet): Loaded["liveXpubs"] =>
  new Map(
    [...xpubs.values()]
      .filter(({ network, retiredAt }) => retiredAt === null && wanted.has(network))
      .map((xpub) => [xpub.network, xpub])
  )

const xpubUses = ({ xpubs }: TenantRecords, { xpubUses: wanted }: ReadSet): Loaded["xpubUses"] => {
  const uses = new Map<string, number>()
  for (const { canonical, network, nextIndex } of xpubs.values()) {
    const key = xpubUseKey(network, canonical)
    if (wanted.has(key)) uses.set(key, Math.max(nextIndex, uses.get(key) ?? 0))
  }
  return uses
}

const newestDeposits = ({ deposits }: TenantRecords, { newestDeposits: wanted }: ReadSet): Loaded["newestDeposits"] => {
  const newest = new Map<string, number>()
  if (wanted.size === 0) return newest
  for (const { addressId, changeSeq } of deposits.values()) {
    if (wanted.has(addressId)) newest.set(addressId, Math.max(changeSeq, newest.get(addressId) ?? 0))
  }
  return newest
}

const wantedRecords = <K extends RecordKind>(
  tenant: TenantRecords,
  kind: K,
  reads: ReadSet
): ReadonlyMap<string, Records[K]> => {
  const all = recordsOf(tenant, kind)
  const found = new Map(pick(all, reads.records.get(kind) ?? []))
  const groups = reads.recordGroups.get(kind)
  if (groups !== undefined) {
    for (const [key, record] of all) {
      const group = recordKinds[kind].group(record)
      if (group !== null && groups.has(group)) found.set(key, record)
    }
  }
  return found
}

const records = (tenant: TenantRecords, reads: ReadSet): RecordMaps =>
  Object.fromEntries(
    recordKindNames
      .filter((kind) => reads.records.has(kind) || reads.recordGroups.has(kind))
      .map((kind) => [kind, wantedRecords(tenant, kind, reads)])
  )

/** What commands asked to read of a tenant, and no more. */
export const load = (state: State, tenant: TenantRecords, reads: ReadSet): Loaded => ({
  head: tenant.head,
  balances: pick(tenant.balances, reads.balances.keys()),
  idempotencyRecords: pick(tenant.idempotencyRecords, reads.idempotencyRecords),
  operations: pick(tenant.operations, reads.operations),
  addresses: pick(tenant.addresses, reads.addresses),
  liveAddresses: liveAddresses(state, tenant, reads.liveAddresses.keys()),
  keyOwners: keyOwners(state, tenant, reads),
  histories: histories(tenant, reads),
  xpubs: pick(tenant.xpubs, reads.xpubs),
  liveXpubs: liveXpubs(tenant, reads),
  xpubUses: xpubUses(tenant, reads),
  issuingAccounts: pick(tenant.issuingAccounts, reads.issuingAccounts),
  newestDeposits: newestDeposits(tenant, reads),
  deposits: pick(tenant.deposits, reads.deposits.keys()),
  leases: pick(state.epochs, reads.leases),
  heights: heights(state, reads),
  payoutsOff: payoutsOff(state, reads),
  apiKeys: pick(tenant.apiKeys, reads.apiKeys),
  endpoints: pick(tenant.endpoints, reads.endpoints),
  signingKeys: reads.signingKeys ? signingKeysOf(tenant) : [],
  nonces: pick(tenant.nonces, reads.nonces.keys()),
  records: records(tenant, reads)
})
