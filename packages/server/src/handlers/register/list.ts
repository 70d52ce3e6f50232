import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import type { RegisterEntry } from "@bursar/api/wire/Register"
import { toIso } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import {
  type Operation,
  type OperationKind,
  operationKinds,
  type OperationStatus,
  operationStatuses
} from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { isReadable } from "@bursar/core/store/UnreadableOperation"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { leftWithReceiver } from "@bursar/core/transfer/transferState"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { showWhole } from "../../operationsApart.ts"
import { orUnavailable } from "../../refusals.ts"
import { isoOrNull, momentOrUndefined } from "../../wire/moment.ts"
import { money, moneyOrNull } from "../../wire/money.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"
import { readCursor, writeCursor } from "./Cursor.ts"

const isKind = (text: string): text is OperationKind => operationKinds.some((kind) => kind === text)

const isStatus = (text: string): text is OperationStatus => operationStatuses.some((status) => status === text)

const toWire = (operation: Operation, currencies: CurrencyTable): RegisterEntry => ({
  id: operation.id,
  kind: operation.kind,
  status: operation.status,
  amount: money(currencies, operation.amount.units, operation.amount.currency),
  customer_fee: money(currencies, operation.customerFee.units, operation.customerFee.currency),
  to_amount: moneyOrNull(currencies, leftWithReceiver(operation, operation.toAmount)),
  to_amount_quoted: moneyOrNull(currencies, operation.toAmountQuoted),
  customer_id: operation.customerId,
  acts_for: operation.actsFor,
  provider: operation.provider,
  provider_reference: operation.providerReference,
  partner_reference: operation.partnerReference,
  network_fee: moneyOrNull(currencies, operation.networkFee),
  tx_hash: operation.txHash,
  created_at: toIso(operation.createdAt),
  settled_at: isoOrNull(operation.settledAt),
  unresolved: operation.unresolved
})

/** GET /v1/register: all operations, newest first. */
export const list = Effect.gen(function* () {
  const queries = yield* Queries
  const { cursorSecret: secret } = yield* ServerConfig
  const { isKnown, shownOf } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "register", "list", ({ query }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const {
        acts_for,
        currency,
        cursor,
        customer_id,
        kind,
        limit = listLimits.register.default,
        since,
        status,
        until
      } = query
      if (kind !== undefined && !isKind(kind)) return yield* apiError("unknown_kind")
      if (status !== undefined && !isStatus(status)) return yield* apiError("unknown_status")
      if (currency !== undefined && !(yield* orUnavailable(isKnown(currency))))
        return yield* apiError("unsupported_asset")
      const binding = { secret, tenantId, filters: { kind, status, currency, customer_id, acts_for, since, until } }
      const after = cursor === undefined ? undefined : readCursor(binding, cursor)
      if (cursor !== undefined && after === undefined) return yield* apiError("invalid_cursor")
      const found = yield* orUnavailable(
        queries.listedRegister(TenantId(tenantId), {
          kind,
          status,
          currency,
          customerId: customer_id,
          actsFor: acts_for,
          since: momentOrUndefined(since),
          until: momentOrUndefined(until),
          after,
          limit: limit + 1
        })
      )
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const shown = yield* orUnavailable(shownOf(page.filter(isReadable)))
      return {
        entries: yield* showWhole(page, (operation) => Effect.sync(() => toWire(operation, shown))),
        next_cursor: found.length > limit && last !== undefined ? writeCursor(binding, last) : null
      }
    })
  )
})
