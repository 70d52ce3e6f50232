import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import { Adjusted } from "@bursar/api/operator/OperatorFloat"
import { Writer } from "@bursar/core/engine/Writer"
import { type IdempotentReply, idempotent } from "@bursar/core/idempotency/idempotent"
import { of, parse } from "@bursar/core/money/Amount"
import { requestAdjustment, type RequestedAdjustment } from "@bursar/core/adjustment/requestAdjustment"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { storedRefusal, unlessRecorded } from "../../../idempotency/handleIdempotent.ts"
import { fingerprintOf } from "../../../idempotency/canonicalJson.ts"
import { requireKey } from "../../../idempotency/idempotencyKey.ts"
import { marketData } from "../../../marketData.ts"
import { refusalError, submit, submitPrepared } from "../../../refusals.ts"
import { invalidField } from "../found.ts"
import { availableOf } from "./availableOf.ts"
import { accountOf } from "./places.ts"

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
const outcomeOf = ({ outcome }: IdempotentReply) =>
  outcome._tag === "Done"
    ? Effect.orDie(Schema.decodeUnknownEffect(Told)(outcome.body))
    : Effect.fail(storedRefusal(outcome))

/** POST /operator/v1/tenants/{tenant_id}/float-adjustments. With an idempotency key it is made once, however often it is asked for. */
export const adjust = Effect.gen(function* () {
  const writer = yield* Writer
  const queries = yield* Queries
  const { usd } = yield* marketData
  const { currencies } = yield* ServerConfig
  return HttpApiBuilder.handler(OperatorApi, "floats", "adjust", ({ headers, params, payload }) =>
    Effect.gen(function* () {
      const { name } = yield* Operator
      const tenantId = TenantId(params.tenant_id)
      const currency = currencies.byCode(payload.currency)
      if (currency === undefined) return yield* apiError("unsupported_asset")
      const against = accountOf(payload.against, currency)
      if (against === undefined) return yield* invalidField("against", "This currency is on no network.")
      const from = payload.from === undefined ? null : accountOf(payload.from, currency)
      if (from === undefined) return yield* invalidField("from", "This currency is on no network.")
      const below = payload.amount.startsWith("-")
      const parsed = parse(below ? payload.amount.slice(1) : payload.amount, currency)
      if (Result.isFailure(parsed)) return yield* refusalError(parsed.failure)
      const { units } = parsed.success
      const prepare = Effect.map(usd(currency.code), (price) =>
        requestAdjustment({
          amount: of(below ? -units : units, currency.code),
          against,
          from,
          reason: payload.reason,
          by: name,
          usd: price,
          currencies
        })
      )
      const text = headers["idempotency-key"]
      if (text === undefined) {
        const requested = told(yield* submit(writer, tenantId, yield* prepare))
        return { ...requested, available: yield* availableOf(queries, currencies, tenantId, currency.code) }
      }
      // a partner's keys have no bar in them: the two never meet
      const key = `operator|${yield* Effect.fromResult(requireKey(text))}`
      const prepareOnce = unlessRecorded(queries)(tenantId, key, () => prepare)
      const fingerprint = fingerprintOf("POST", `${endpoint} ${tenantId}`, payload)
      const answered = yield* submitPrepared(writer, tenantId, (attempt) =>
        Effect.map(prepareOnce(attempt), (command) => idempotent({ key, endpoint, fingerprint, render: told, command }))
      )
      const requested = yield* outcomeOf(answered)
      return { ...requested, available: yield* availableOf(queries, currencies, tenantId, currency.code) }
    })
  )
})
