import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import type { AgainstAccount } from "@bursar/api/operator/againstAccounts"
import { Writer } from "@bursar/core/engine/Writer"
import type { Account } from "@bursar/core/ledger/Account"
import { of, parse } from "@bursar/core/money/Amount"
import type { Currency } from "@bursar/core/money/Currency"
import { requestAdjustment } from "@bursar/core/operation/requestAdjustment"
import { Queries } from "@bursar/core/port/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { market } from "../../../market.ts"
import { refusalError, submit } from "../../../refusals.ts"
import { invalidField } from "../found.ts"
import { availableOf } from "./availableOf.ts"

const accountOf = (against: AgainstAccount, { asset }: Currency): Account | undefined => {
  if (against !== "payout_wallet") return against
  return asset === null ? undefined : `chain:${asset.network}:payouts`
}

/** POST /operator/v1/tenants/{tenant_id}/float-adjustments. */
export const adjust = Effect.gen(function* () {
  const writer = yield* Writer
  const queries = yield* Queries
  const { usd } = yield* market
  const { currencies } = yield* ServerConfig
  return HttpApiBuilder.handler(OperatorApi, "floats", "adjust", ({ params, payload }) =>
    Effect.gen(function* () {
      const { name } = yield* Operator
      const tenantId = TenantId(params.tenant_id)
      const currency = currencies.byCode(payload.currency)
      if (currency === undefined) return yield* apiError("unsupported_asset")
      const against = accountOf(payload.against, currency)
      if (against === undefined) return yield* invalidField("against", "This currency is on no network.")
      const below = payload.amount.startsWith("-")
      const parsed = parse(below ? payload.amount.slice(1) : payload.amount, currency)
      if (Result.isFailure(parsed)) return yield* refusalError(parsed.failure)
      const { units } = parsed.success
      const command = requestAdjustment({
        amount: of(below ? -units : units, currency.code),
        against,
        reason: payload.reason,
        by: name,
        usd: yield* usd(currency.code),
        currencies
      })
      const requested = yield* submit(writer, tenantId, command)
      return {
        state: requested.state,
        operation_id: requested.state === "booked" ? requested.operation.id : null,
        adjustment_id: requested.state === "proposed" ? requested.adjustment.id : null,
        available: yield* availableOf(queries, currencies, tenantId, currency.code)
      }
    })
  )
})
