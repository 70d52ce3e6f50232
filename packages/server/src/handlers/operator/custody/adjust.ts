import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import { Writer } from "@bursar/core/engine/Writer"
import type { Account } from "@bursar/core/ledger/Account"
import { of, parse } from "@bursar/core/money/Amount"
import type { Currency } from "@bursar/core/money/Currency"
import { adjustFloat } from "@bursar/core/operation/adjustFloat"
import { Queries } from "@bursar/core/port/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { reading, refusalError, submit } from "../../../refusals.ts"
import { money } from "../../../wire/money.ts"
import { invalidField } from "../found.ts"

const accountOf = (
  against: "custodian" | "bank" | "suspense" | "payout_wallet",
  { asset }: Currency
): Account | undefined => {
  if (against !== "payout_wallet") return against
  return asset === null ? undefined : `chain:${asset.network}:payouts`
}

/** POST /operator/v1/tenants/{tenant_id}/float-adjustments. */
export const adjust = Effect.gen(function* () {
  const writer = yield* Writer
  const queries = yield* Queries
  const { currencies } = yield* ServerConfig
  return HttpApiBuilder.handler(OperatorApi, "custody", "adjustFloat", ({ params, payload }) =>
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
      const amount = of(below ? -parsed.success.units : parsed.success.units, currency.code)
      const operation = yield* submit(
        writer,
        tenantId,
        adjustFloat({ amount, against, reason: `${payload.reason} (${name})` })
      )
      const balances = yield* reading(queries.float(tenantId))
      const available = balances.find((one) => one.account === "float:available" && one.currency === currency.code)
      return { operation_id: operation.id, available: money(currencies, available?.units ?? 0n, currency.code) }
    })
  )
})
