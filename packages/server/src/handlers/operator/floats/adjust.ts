import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import { Adjusted } from "@bursar/api/operator/OperatorFloat"
import type { AgainstAccount } from "@bursar/api/operator/againstAccounts"
import { Writer } from "@bursar/core/engine/Writer"
import type { Account } from "@bursar/core/ledger/Account"
import { type Answered, once } from "@bursar/core/idempotency/once"
import { of, parse } from "@bursar/core/money/Amount"
import type { Currency } from "@bursar/core/money/Currency"
import { requestAdjustment, type RequestedAdjustment } from "@bursar/core/operation/requestAdjustment"
import { Queries } from "@bursar/core/port/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { storedRefusal } from "../../../idempotency/answerOnce.ts"
import { fingerprintOf } from "../../../idempotency/canonicalJson.ts"
import { requireKey } from "../../../idempotency/idempotencyKey.ts"
import { market } from "../../../market.ts"
import { refusalError, submit } from "../../../refusals.ts"
import { invalidField } from "../found.ts"
import { availableOf } from "./availableOf.ts"

const accountOf = (against: AgainstAccount, { asset }: Currency): Account | undefined => {
  if (against !== "payout_wallet") return against
  return asset === null ? undefined : `chain:${asset.network}:payouts`
}

const endpoint = "POST /operator/v1/tenants/{tenant_id}/float-adjustments"

const Told = Schema.Struct({
  state: Adjusted.fields.state,
  operation_id: Adjusted.fields.operation_id,
  adjustment_id: Adjusted.fields.adjustment_id
})

const told = (requested: RequestedAdjustment): typeof Told.Type => ({
  state: requested.state,
  operation_id: requested.state === "booked" ? requested.operation.id : null,
  adjustment_id: requested.state === "proposed" ? requested.adjustment.id : null
})

/** What became of a request with a key, now or earlier. */
const outcomeOf = ({ outcome }: Answered) =>
  outcome._tag === "Done"
    ? Effect.orDie(Schema.decodeUnknownEffect(Told)(outcome.body))
    : Effect.fail(storedRefusal(outcome))

/** POST /operator/v1/tenants/{tenant_id}/float-adjustments. With an idempotency key it is made once, however often it is asked for. */
export const adjust = Effect.gen(function* () {
  const writer = yield* Writer
  const queries = yield* Queries
  const { usd } = yield* market
  const { currencies } = yield* ServerConfig
  return HttpApiBuilder.handler(OperatorApi, "floats", "adjust", ({ headers, params, payload }) =>
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
      const text = headers["idempotency-key"]
      const requested =
        text === undefined
          ? told(yield* submit(writer, tenantId, command))
          : yield* outcomeOf(
              yield* submit(
                writer,
                tenantId,
                once({
                  // a partner's keys have no bar in them: the two never meet
                  key: `operator|${yield* Effect.fromResult(requireKey(text))}`,
                  endpoint,
                  fingerprint: fingerprintOf("POST", `${endpoint} ${tenantId}`, payload),
                  render: told,
                  command
                })
              )
            )
      return { ...requested, available: yield* availableOf(queries, currencies, tenantId, currency.code) }
    })
  )
})
