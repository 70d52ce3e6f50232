import type { JsonObject } from "@bursar/api/errors/ErrorBody"
import type { Scope } from "@bursar/api/scopes/Scopes"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation, OperationKind } from "@bursar/core/operation/Operation"
import type { Queries } from "@bursar/core/store/Queries"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { accountEndpoint } from "../accounts/create.ts"
import { toWire as accountToWire } from "../accounts/toWire.ts"
import { derivationEndpoint } from "../addresses/derive.ts"
import { issueEndpoint } from "../addresses/issue.ts"
import { registrationEndpoint } from "../addresses/register.ts"
import { payoutEndpoint } from "../chainPayouts/create.ts"
import { toWire as payoutToWire } from "../chainPayouts/toWire.ts"
import { swapEndpoint } from "../conversions/swap.ts"
import { toWire as swapToWire } from "../conversions/toWire.ts"
import { customerEndpoint } from "../customers/create.ts"
import { importEndpoint } from "../depositKeys/importKey.ts"
import { xpubEndpoint } from "../depositKeys/registerXpub.ts"
import { transferEndpoint } from "../transfers/create.ts"
import { isTransferOperation, toWire as transferToWire } from "../transfers/toWire.ts"
import { withdrawalEndpoint } from "../withdrawals/create.ts"
import { toWire as withdrawalToWire } from "../withdrawals/toWire.ts"
import { FiatAccount } from "@bursar/core/account/FiatAccount"

/** How a resource is shown again by its id: under which scope, and as what its own GET shows. */
export interface Shown {
  readonly scope: Scope
  readonly show: (
    queries: Queries["Service"],
    tenantId: TenantId,
    id: string,
    currencies: CurrencyTable
  ) => Effect.Effect<JsonObject | null, StorageError>
}

/** An endpoint that takes an idempotency key, and its status of success; `shown` is null where nothing it makes has a GET. */
export interface KeyedEndpoint {
  readonly status: number
  readonly shown: Shown | null
}

const operationOf = (
  scope: Scope,
  kind: OperationKind,
  toWire: (operation: Operation, currencies: CurrencyTable) => JsonObject
): Shown => ({
  scope,
  show: (queries, tenantId, id, currencies) =>
    Effect.map(queries.operation(tenantId, id), (operation) =>
      operation?.kind === kind ? toWire(operation, currencies) : null
    )
})

const transfer: Shown = {
  scope: "transfers:read",
  show: (queries, tenantId, id, currencies) =>
    Effect.map(queries.operation(tenantId, id), (operation) =>
      operation !== undefined && isTransferOperation(operation) ? { ...transferToWire(operation, currencies) } : null
    )
}

const account: Shown = {
  scope: "accounts:read",
  show: (queries, tenantId, id) =>
    Effect.map(queries.record(tenantId, FiatAccount, id), (found) =>
      found === undefined ? null : { ...accountToWire(found) }
    )
}

const endpoints: ReadonlyArray<readonly [{ readonly name: string; readonly status: number }, Shown | null]> = [
  [registrationEndpoint, null],
  [derivationEndpoint, null],
  [issueEndpoint, null],
  [xpubEndpoint, null],
  [importEndpoint, null],
  [customerEndpoint, null],
  [payoutEndpoint, operationOf("chain_payouts:read", "CHAIN_PAYOUT", (...given) => ({ ...payoutToWire(...given) }))],
  [
    withdrawalEndpoint,
    operationOf("withdrawals:read", "WITHDRAWAL", (...given) => ({ ...withdrawalToWire(...given) }))
  ],
  [swapEndpoint, operationOf("swaps:read", "SWAP", (...given) => ({ ...swapToWire(...given) }))],
  [transferEndpoint, transfer],
  [accountEndpoint, account]
]

/** Every endpoint that takes an idempotency key, by the name that claims give it. */
export const keyedEndpoints: ReadonlyMap<string, KeyedEndpoint> = new Map(
  endpoints.map(([{ name, status }, shown]) => [name, { status, shown }])
)
