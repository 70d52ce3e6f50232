import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { State } from "@bursar/memory"

/** All that is stored of a tenant, countable: two of these are equal where nothing was written in between but the time. */
export const written = (state: State, tenantId: TenantId) => {
  const records = state.tenants.get(tenantId)
  if (records === undefined) throw new Error("no such tenant")
  const { addresses, apiKeys, balances, idempotencyRecords, deposits, endpoints, events, head, legs, operations } =
    records
  const { importedKeys, issuingAccounts, sealedKeys, xpubs } = records
  return {
    tenant: head.tenant,
    counters: [head.changeSeq, head.eventId, head.postingSeq],
    counts: [addresses, apiKeys, balances, idempotencyRecords, deposits, endpoints, operations].map(({ size }) => size),
    keys: [importedKeys, issuingAccounts, sealedKeys, xpubs].map(({ size }) => size),
    next: [...xpubs.values(), ...issuingAccounts.values()].map(({ nextIndex }) => nextIndex),
    rows: [events.length, legs.length],
    backfills: state.backfills.size,
    claimed: state.directory.size
  }
}

/**
 * A copy of all that is stored of a tenant, but for what a refusal may leave behind: the answer under its idempotency key, the nonce of
 * its signature, and the time.
 */
export const booked = (state: State, tenantId: TenantId) => {
  const { counters, tenant } = written(state, tenantId)
  const { idempotencyRecords: _claims, head: _head, nonces: _nonces, ...records } = state.tenants.get(tenantId) ?? {}
  return structuredClone({ counters, tenant, records, jobs: state.jobs, backfills: state.backfills })
}

/** The addresses of a tenant's tests: well formed, different, in canonical form. */
export const addressOf = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`
