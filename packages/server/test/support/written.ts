import type { TenantId } from "@bursar/core/tenant/Tenant"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { ImportedKey } from "@bursar/core/address/ImportedKey"
import { SealedKey } from "@bursar/core/port/SealedKey"
import { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import { Xpub } from "@bursar/core/address/Xpub"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { Operation } from "@bursar/core/operation/Operation"
import { SignatureNonce } from "@bursar/core/signature/SignatureNonce"
import { ApiKey } from "@bursar/core/access/ApiKey"
import type { State } from "@bursar/memory"
import { recordsOf } from "@bursar/memory/Store"

/** All that is stored of a tenant, countable: two of these are equal where nothing was written in between but the time. */
export const written = (state: State, tenantId: TenantId) => {
  const records = state.tenants.get(tenantId)
  if (records === undefined) throw new Error("no such tenant")
  const { balances, events, head, legs } = records
  const sizeOf = ({ name }: { readonly name: string }) => records.records.get(name)?.size ?? 0
  return {
    tenant: head.tenant,
    counters: [head.changeSeq, head.eventId, head.postingSeq],
    counts: [
      balances.size,
      ...[DepositAddress, ApiKey, IdempotencyRecord, Deposit, WebhookEndpoint, Operation].map(sizeOf)
    ],
    keys: [ImportedKey, IssuingAccount, SealedKey, Xpub].map(sizeOf),
    next: [...recordsOf(records, Xpub).values(), ...recordsOf(records, IssuingAccount).values()].map(
      ({ nextIndex }) => nextIndex
    ),
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
  const { head: _head, records: all, ...rest } = state.tenants.get(tenantId) ?? {}
  const left: ReadonlySet<string> = new Set([IdempotencyRecord.name, SignatureNonce.name])
  // a kind that was only looked for is there without a record
  const kept = new Map([...(all ?? [])].filter(([name, { size }]) => size > 0 && !left.has(name)))
  const records = { ...rest, records: kept }
  return structuredClone({ counters, tenant, records, jobs: state.jobs, backfills: state.backfills })
}

/** The addresses of a tenant's tests: well formed, different, in canonical form. */
export const addressOf = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`
