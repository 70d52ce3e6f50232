import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import { Adjusted, type AdjustFloat } from "@bursar/api/operator/OperatorFloat"
import { Writer } from "@bursar/core/engine/Writer"
import type { IdempotentReply } from "@bursar/core/idempotency/idempotent"
import { accountOfPlace } from "@bursar/core/adjustment/place"
import { of, parse } from "@bursar/core/money/Amount"
import { requestAdjustment, type RequestedAdjustment } from "@bursar/core/adjustment/requestAdjustment"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { Effect, Result, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { makeIdempotent, storedRefusal } from "../../../idempotency/handleIdempotent.ts"
import { requireKey } from "../../../idempotency/idempotencyKey.ts"
import { marketData } from "../../../marketData.ts"
import { orUnavailable, refusalError, submit } from "../../../refusals.ts"
import { money } from "../../../wire/money.ts"
import { invalidField } from "../found.ts"
import { aloneHere } from "../grants/alone.ts"
import { freshId } from "../grants/freshId.ts"
import { idOfKey } from "../grants/idOfKey.ts"
import { isArrival } from "../suspense/toWire.ts"
import { adjustmentValues } from "./adjustmentValues.ts"
import { availableOf } from "./availableOf.ts"
import { makeGranted } from "./granted.ts"

/** What a key's record keeps of an answer; the oldest records do not have what was available. */
const Kept = Schema.Struct({ ...Adjusted.fields, available: Schema.optionalKey(Adjusted.fields.available) })

const toWire = (requested: RequestedAdjustment, currency: string, currencies: CurrencyTable): typeof Adjusted.Type => ({
  state: requested.state,
  operation_id: requested.state === "booked" ? requested.operation.id : null,
  adjustment_id: requested.state === "proposed" ? requested.adjustment.id : null,
  available: money(currencies, requested.available, currency)
})

/** What became of a request with a key, now or earlier. */
const outcomeOf = ({ outcome }: IdempotentReply) =>
  outcome._tag === "Done"
    ? Effect.orDie(Schema.decodeUnknownEffect(Kept)(outcome.body))
    : Effect.fail(storedRefusal(outcome))

/** POST /operator/v1/tenants/{tenant_id}/float-adjustments. With an idempotency key it is made once, however often it is asked for. */
export const adjust = Effect.gen(function* () {
  const writer = yield* Writer
  const queries = yield* Queries
  const { usd } = yield* marketData
  const alone = yield* aloneHere
  const { currencies } = yield* ServerConfig
  // a partner's keys have no bar in them
  const carryOut = yield* makeIdempotent("operator|")
  const granted = yield* makeGranted

  /** What is asked for, read; refused where it makes no sense. */
  const read = Effect.fnUntraced(function* (payload: typeof AdjustFloat.Type) {
    const currency = currencies.byCode(payload.currency)
    if (currency === undefined) return yield* apiError("unsupported_asset")
    const against = accountOfPlace(payload.against, currency)
    if (against === undefined) return yield* invalidField("against", "This currency is on no network.")
    const from = payload.from === undefined ? null : accountOfPlace(payload.from, currency)
    if (from === undefined) return yield* invalidField("from", "This currency is on no network.")
    const below = payload.amount.startsWith("-")
    const parsed = parse(below ? payload.amount.slice(1) : payload.amount, currency)
    if (Result.isFailure(parsed)) return yield* refusalError(parsed.failure)
    const { units } = parsed.success
    const amount = of(below ? -units : units, currency.code)
    const named = { assigns: payload.assigns ?? null, corrects: payload.corrects ?? null }
    return { amount, against, from, ...named, reason: payload.reason }
  })

  /** Whether it names an arrival, its record tells; whether that is in suspense, the books. */
  const refuseStranger = Effect.fnUntraced(function* (tenantId: TenantId, assigns: string | null) {
    if (assigns === null) return
    const legs = yield* orUnavailable(queries.legs(tenantId, assigns))
    if (!legs.some(isArrival)) return yield* invalidField("assigns", "This operation left nothing in suspense.")
  })

  return HttpApiBuilder.handler(OperatorApi, "floats", "adjust", ({ endpoint, headers, params, payload }) =>
    Effect.gen(function* () {
      const { name: by } = yield* Operator
      const wanted = yield* read(payload)
      const { currency } = wanted.amount
      const tenantId = TenantId(params.tenant_id)
      yield* refuseStranger(tenantId, wanted.assigns)
      const keyHeader = headers["idempotency-key"]
      const key = keyHeader === undefined ? undefined : yield* Effect.fromResult(requireKey(keyHeader))
      // under a key the grant is the same, however often it is asked for
      const id = key === undefined ? yield* freshId : idOfKey(tenantId, endpoint.name, key)
      const values = adjustmentValues({ ...wanted, id })
      const made = yield* granted(tenantId, values)
      if (made !== undefined) return made
      const prepare = Effect.gen(function* () {
        yield* alone.refuse({ kind: "adjustment", values }, tenantId)
        return requestAdjustment({ ...wanted, by, usd: yield* usd(currency), currencies })
      })
      const render = (requested: RequestedAdjustment) => toWire(requested, currency, currencies)
      if (keyHeader === undefined) return render(yield* submit(writer, tenantId, yield* prepare))
      const given = { endpoint, params, tenantId, keyHeader, payload, prepare: () => prepare, render }
      const kept = yield* Effect.flatMap(carryOut(given), outcomeOf)
      return { ...kept, available: kept.available ?? (yield* availableOf({ queries, currencies }, tenantId, currency)) }
    })
  )
})
