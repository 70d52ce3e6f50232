import { routeOf } from "@bursar/api/annotations/routeOf"
import type { JsonObject } from "@bursar/api/errors/ErrorBody"
import { AccountsGroup } from "@bursar/api/groups/Accounts"
import { ChainPayoutsGroup } from "@bursar/api/groups/ChainPayouts"
import { ConversionsGroup } from "@bursar/api/groups/Conversions"
import { TransfersGroup } from "@bursar/api/groups/Transfers"
import { WithdrawalsGroup } from "@bursar/api/groups/Withdrawals"
import { operationsOf } from "@bursar/api/openapi/Operation"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { Scope } from "@bursar/api/scopes/Scopes"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation, OperationKind } from "@bursar/core/operation/Operation"
import type { Queries } from "@bursar/core/store/Queries"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { ShownCurrencies } from "../../wire/shownCurrencies.ts"
import { toWire as accountToWire } from "../accounts/toWire.ts"
import { toWire as payoutToWire } from "../chainPayouts/toWire.ts"
import { toWire as swapToWire } from "../conversions/toWire.ts"
import { isTransferOperation, toWire as transferToWire } from "../transfers/toWire.ts"
import { toWire as withdrawalToWire } from "../withdrawals/toWire.ts"
import { FiatAccount } from "@bursar/core/account/FiatAccount"

/** How a resource is shown again by its id: under which scope, and as what its own GET shows. */
export interface Shown {
  readonly scope: Scope
  readonly show: (
    queries: Queries["Service"],
    tenantId: TenantId,
    id: string,
    shownOf: ShownCurrencies["shownOf"]
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
  show: (queries, tenantId, id, shownOf) =>
    Effect.gen(function* () {
      const operation = yield* queries.operation(tenantId, id)
      return operation?.kind === kind ? toWire(operation, yield* shownOf([operation])) : null
    })
})

const transfer: Shown = {
  scope: "transfers:read",
  show: (queries, tenantId, id, shownOf) =>
    Effect.gen(function* () {
      const operation = yield* queries.operation(tenantId, id)
      if (operation === undefined || !isTransferOperation(operation)) return null
      return { ...transferToWire(operation, yield* shownOf([operation])) }
    })
}

const account: Shown = {
  scope: "accounts:read",
  show: (queries, tenantId, id) =>
    Effect.map(queries.record(tenantId, FiatAccount, id), (found) =>
      found === undefined ? null : { ...accountToWire(found) }
    )
}

/** What an endpoint makes that a GET of its own shows, by the endpoint's name. */
const shown: ReadonlyMap<string, Shown> = new Map(
  (
    [
      [
        ChainPayoutsGroup.endpoints.create,
        operationOf("chain_payouts:read", "CHAIN_PAYOUT", (...given) => ({ ...payoutToWire(...given) }))
      ],
      [
        WithdrawalsGroup.endpoints.create,
        operationOf("withdrawals:read", "WITHDRAWAL", (...given) => ({ ...withdrawalToWire(...given) }))
      ],
      [ConversionsGroup.endpoints.swap, operationOf("swaps:read", "SWAP", (...given) => ({ ...swapToWire(...given) }))],
      [TransfersGroup.endpoints.create, transfer],
      [AccountsGroup.endpoints.create, account]
    ] as const
  ).map(([endpoint, how]) => [routeOf(endpoint).name, how])
)

/** Every endpoint of the contract that takes an idempotency key, by the name that idempotency records give it. */
export const keyedEndpoints: ReadonlyMap<string, KeyedEndpoint> = new Map(
  operationsOf(PartnerApi)
    .filter(({ needsIdempotencyKey }) => needsIdempotencyKey)
    .map(({ name, status }) => [name, { status, shown: shown.get(name) ?? null }])
)
