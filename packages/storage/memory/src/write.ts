import type { KeyClaim } from "@bursar/core/address/KeyClaim"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { addressKey, balanceKey, depositKey, nonceKey } from "@bursar/core/engine/Read"
import { type RecordKind, recordKindNames, recordKinds, type Records } from "@bursar/core/engine/Records"
import type { WriteSet } from "@bursar/core/engine/WriteSet"
import type { WebhookEndpoint } from "@bursar/core/event/WebhookEndpoint"
import { notStarted, signingKeyKey, type State, type TenantRecords } from "./Store.ts"

/** The first rule of uniqueness that a batch would break, in words. Then nothing of it may be written. */
export const violation = (state: State, tenant: TenantRecords, writes: WriteSet): string | undefined => {
  const { tenantId } = writes
  const address = writes.claimed.find((entry) => {
    const owner = state.directory.get(addressKey(entry.network, entry.address))
    return owner !== undefined && owner.tenantId !== tenantId
  })
  if (address !== undefined) return `the address ${address.address} belongs to another tenant`
  const taken = writes.keyClaims.find(({ key }) => (state.keyOwners.get(key)?.tenantId ?? tenantId) !== tenantId)
  if (taken !== undefined) return `the key ${taken.key} belongs to another tenant`
  const key = writes.apiKeys.find(({ id }) => (state.keys.get(id) ?? tenantId) !== tenantId)
  if (key !== undefined) return `the API key ${key.id} belongs to another tenant`
  const event = writes.events.find(({ id }, index) => id !== tenant.events.length + 1 + index)
  if (event !== undefined) return `the event id ${event.id} is not the next one`
  const sealed = writes.sealedKeys.find(({ id }) => tenant.sealedKeys.has(id))
  if (sealed !== undefined) return `the sealed key ${sealed.id} is there already`
  const idempotencyRecord = writes.idempotencyRecords.find((one) => tenant.idempotencyRecords.has(one.key))
  if (idempotencyRecord !== undefined) return `the idempotency key ${idempotencyRecord.key} is claimed already`
  const nonce = writes.nonces.find((one) => tenant.nonces.has(nonceKey(one.keyid, one.nonce)))
  if (nonce !== undefined) return `the nonce ${nonce.nonce} is used already`
  return undefined
}

/** A new endpoint starts after the events that are there; one that is switched on again has not failed yet. */
const putEndpoint = (tenant: TenantRecords, endpoint: WebhookEndpoint, lastEventId: number): void => {
  const progress = tenant.deliveries.get(endpoint.id)
  const before = tenant.endpoints.get(endpoint.id)
  tenant.endpoints.set(endpoint.id, endpoint)
  if (progress === undefined) {
    tenant.deliveries.set(endpoint.id, {
      upTo: lastEventId,
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

/** Notes nonces, and forgets those whose time has come. */
const useNonces = (tenant: TenantRecords, { head, nonces }: WriteSet): void => {
  if (nonces.length === 0) return
  for (const [key, { forgetAt }] of tenant.nonces) if (forgetAt < head.lastAt) tenant.nonces.delete(key)
  for (const nonce of nonces) tenant.nonces.set(nonceKey(nonce.keyid, nonce.nonce), nonce)
}

const putRecords = <K extends RecordKind>(tenant: TenantRecords, kind: K, { records }: WriteSet): void => {
  const written: ReadonlyArray<Records[K]> = records[kind] ?? []
  if (written.length === 0) return
  const all = tenant.records.get(kind) ?? new Map<string, Records[RecordKind]>()
  for (const record of written) all.set(recordKinds[kind].key(record), record)
  tenant.records.set(kind, all)
}

/** Ends the claims of addresses. A key that a tenant holds is nobody's once nothing needs it. */
const releaseKeys = (state: State, by: ReadonlyArray<string>): void => {
  if (by.length === 0) return
  for (const [key, uses] of state.keyUses) {
    const released = by.filter((id) => uses.delete(id)).length > 0
    if (!released || uses.size > 0) continue
    state.keyUses.delete(key)
    if (state.keyOwners.get(key)?.holder === "TENANT") state.keyOwners.delete(key)
  }
}

/** Claims a key for the tenant that nobody else has it of. What the service has come to hold it keeps holding. */
const idempotencyKey = (state: State, tenantId: TenantId, { by, holder, key }: KeyClaim): void => {
  const before = state.keyOwners.get(key)
  if (before === undefined || (before.holder === "TENANT" && holder !== "TENANT"))
    state.keyOwners.set(key, { tenantId, holder, by })
  if (holder !== "TENANT") return
  const uses = state.keyUses.get(key) ?? new Set()
  state.keyUses.set(key, uses.add(by))
}

/** Writes what a batch decided. */
export const write = (state: State, tenant: TenantRecords, writes: WriteSet): void => {
  const lastEventId = tenant.head.eventId
  tenant.head = writes.head
  for (const operation of writes.operations) tenant.operations.set(operation.id, operation)
  tenant.legs.push(...writes.legs)
  for (const balance of writes.balances) tenant.balances.set(balanceKey(balance.account, balance.currency), balance)
  for (const deposit of writes.deposits) tenant.deposits.set(depositKey(deposit), deposit)
  for (const address of writes.addresses) tenant.addresses.set(address.id, address)
  for (const xpub of writes.xpubs) tenant.xpubs.set(xpub.id, xpub)
  for (const account of writes.issuingAccounts) tenant.issuingAccounts.set(account.family, account)
  for (const key of writes.importedKeys) tenant.importedKeys.set(key.id, key)
  for (const key of writes.sealedKeys) tenant.sealedKeys.set(key.id, key)
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
  releaseKeys(state, writes.keysReleasedBy)
  for (const idempotencyRecord of writes.keyClaims) idempotencyKey(state, writes.tenantId, idempotencyRecord)
  for (const backfill of writes.backfills) state.backfills.set(backfill.id, notStarted(backfill))
  tenant.events.push(...writes.events)
  for (const idempotencyRecord of writes.idempotencyRecords)
    tenant.idempotencyRecords.set(idempotencyRecord.key, idempotencyRecord)
  for (const apiKey of writes.apiKeys) {
    tenant.apiKeys.set(apiKey.id, apiKey)
    state.keys.set(apiKey.id, writes.tenantId)
  }
  for (const key of writes.signingKeys) tenant.signingKeys.set(signingKeyKey(key), key)
  useNonces(tenant, writes)
  for (const kind of recordKindNames) putRecords(tenant, kind, writes)
  for (const { dueAt, key, queue } of writes.jobs) {
    const place = `${queue}|${writes.tenantId}|${key}`
    if (dueAt === null) state.jobs.delete(place)
    else state.jobs.set(place, { tenantId: writes.tenantId, queue, key, dueAt })
  }
  for (const endpoint of writes.endpoints) putEndpoint(tenant, endpoint, lastEventId)
}
