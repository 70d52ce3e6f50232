import { Backfill } from "@bursar/core/address/DepositAddress"
import type { KeyClaim } from "@bursar/core/engine/Directory"
import { addressKey } from "@bursar/core/engine/Directory"
import { StorageError } from "@bursar/core/engine/StorageError"
import { dueAfter } from "@bursar/core/engine/JobEntry"
import { recordsIn, type WrittenRecords } from "@bursar/core/engine/Records"
import type { WriteSet } from "@bursar/core/engine/WriteSet"
import { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { balanceKey } from "@bursar/core/ledger/Account"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { changing, notStarted, recordsOf, type State, type TenantRecords, uniqueKey } from "./Store.ts"

const textsOf = ({ of, records }: WrittenRecords): ReadonlyArray<string> => records.map((one) => of.text(of.key(one)))

/** What of a batch belongs to another tenant, or is out of turn, in words. */
const foreign = (state: State, tenant: TenantRecords, writes: WriteSet): string | undefined => {
  const { tenantId } = writes
  const address = writes.claimed.find((entry) => {
    const owner = state.directory.get(addressKey(entry.network, entry.address))
    return owner !== undefined && owner.tenantId !== tenantId
  })
  if (address !== undefined) return `the address ${address.address} belongs to another tenant`
  const taken = writes.keyClaims.find(({ key }) => (state.keyOwners.get(key)?.tenantId ?? tenantId) !== tenantId)
  if (taken !== undefined) return `the key ${taken.key} belongs to another tenant`
  const event = writes.events.find(({ id }, index) => id !== tenant.events.length + 1 + index)
  if (event !== undefined) return `the event id ${event.id} is not the next one`
  for (const written of writes.records) {
    const { name, traits } = written.of
    if (traits.unique !== true) continue
    const others = textsOf(written).find((key) => (state.uniqueKeys.get(uniqueKey(name, key)) ?? tenantId) !== tenantId)
    if (others !== undefined) return `the ${name} ${others} belongs to another tenant`
  }
  return undefined
}

/** What a batch puts once more of what is put once, in words. */
const thereAlready = (tenant: TenantRecords, { records }: WriteSet): string | undefined => {
  for (const written of records) {
    if (written.of.traits.insertOnly !== true) continue
    const there = textsOf(written).find((key) => recordsOf(tenant, written.of).has(key))
    if (there !== undefined) return `the ${written.of.name} ${there} is there already`
  }
  return undefined
}

const refused = (problem: string) => new StorageError({ doing: "commit", cause: new Error(problem) })

/**
 * Why a batch of so many commands may not be written: nothing of it then. Where it puts what is there already, one command is at fault and the
 * others go on without it.
 */
export const violation = (
  state: State,
  tenant: TenantRecords,
  writes: WriteSet,
  commandsCount: number
): StorageError | undefined => {
  const other = foreign(state, tenant, writes)
  if (other !== undefined) return refused(other)
  const there = thereAlready(tenant, writes)
  if (there === undefined) return undefined
  return commandsCount > 1
    ? new StorageError({ doing: "commit", cause: new Error(there), unstorable: true })
    : refused(there)
}

/** A new endpoint starts after the events that are there; one that is switched on again has not failed yet. */
const startDelivery = (tenant: TenantRecords, endpoint: WebhookEndpoint): void => {
  const progress = tenant.deliveries.get(endpoint.id)
  const before = recordsOf(tenant, WebhookEndpoint).get(endpoint.id)
  if (progress === undefined) {
    tenant.deliveries.set(endpoint.id, {
      upTo: tenant.head.eventId,
      turn: 0,
      lease: null,
      failingSince: null,
      due: new Map(),
      attempts: []
    })
  } else if (endpoint.enabled && before?.enabled === false) {
    progress.failingSince = null
  }
}

/** Puts records, and forgets those of their kind whose time has come. */
const putRecords = (
  state: State,
  tenant: TenantRecords,
  { head, tenantId }: WriteSet,
  { of, records }: WrittenRecords
): void => {
  const all = changing(tenant, of)
  const { traits } = of
  if (traits.expiresAt !== undefined)
    for (const [key, record] of all) if (traits.expiresAt(record) < head.lastAt) all.delete(key)
  for (const record of records) {
    const key = of.text(of.key(record))
    all.set(key, record)
    if (traits.unique === true) state.uniqueKeys.set(uniqueKey(of.name, key), tenantId)
  }
}

/** Ends the claims of a tenant's addresses. A key that it holds is nobody's once nothing needs it. */
const releaseKeys = (state: State, tenantId: TenantId, by: ReadonlyArray<string>): void => {
  if (by.length === 0) return
  for (const [key, uses] of state.keyUses) {
    if (state.keyOwners.get(key)?.tenantId !== tenantId) continue
    const released = by.filter((id) => uses.delete(id)).length > 0
    if (!released || uses.size > 0) continue
    state.keyUses.delete(key)
    if (state.keyOwners.get(key)?.holder === "TENANT") state.keyOwners.delete(key)
  }
}

/** Claims a key for the tenant that nobody else has it of. What the service has come to hold it keeps holding. */
const claimKey = (state: State, tenantId: TenantId, { by, holder, key }: KeyClaim): void => {
  const before = state.keyOwners.get(key)
  if (before === undefined || (before.holder === "TENANT" && holder !== "TENANT"))
    state.keyOwners.set(key, { tenantId, holder, by })
  if (holder !== "TENANT") return
  const uses = state.keyUses.get(key) ?? new Set()
  state.keyUses.set(key, uses.add(by))
}

/** Writes what a batch decided. */
export const write = (state: State, tenant: TenantRecords, writes: WriteSet): void => {
  // as they were before the batch: what else follows from these records
  for (const endpoint of recordsIn(writes.records, WebhookEndpoint)) startDelivery(tenant, endpoint)
  for (const backfill of recordsIn(writes.records, Backfill)) state.backfills.set(backfill.id, notStarted(backfill))
  tenant.head = writes.head
  tenant.legs.push(...writes.legs)
  for (const balance of writes.balances) tenant.balances.set(balanceKey(balance.account, balance.currency), balance)
  for (const written of writes.records) putRecords(state, tenant, writes, written)
  // what is freed may be an address that was claimed and freed in this very batch: the tenant's entry goes either way
  for (const { address, network } of writes.freed) {
    const key = addressKey(network, address)
    if (state.directory.get(key)?.tenantId === writes.tenantId) state.directory.delete(key)
  }
  for (const { address, addressId, network, wallet } of writes.claimed) {
    state.directory.set(addressKey(network, address), {
      tenantId: writes.tenantId,
      addressId,
      ...(wallet === true && { wallet })
    })
  }
  releaseKeys(state, writes.tenantId, writes.keysReleasedBy)
  for (const claim of writes.keyClaims) claimKey(state, writes.tenantId, claim)
  tenant.events.push(...writes.events)
  for (const { dueAt, key, putOffTo, queue } of writes.jobs) {
    const place = `${queue}|${writes.tenantId}|${key}`
    if (dueAt === null) state.jobs.delete(place)
    else {
      const due = dueAfter(state.jobs.get(place)?.dueAt, { dueAt, putOffTo })
      state.jobs.set(place, { tenantId: writes.tenantId, queue, key, dueAt: due })
    }
  }
}
