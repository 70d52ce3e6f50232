import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Refusal } from "@bursar/core/base/Refusal"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import type { Amount } from "@bursar/core/money/Amount"
import type { CustodianPair } from "@bursar/core/port/Custodian"
import { createSwap } from "@bursar/core/swap/createSwap"
import { refuseReach } from "@bursar/core/environment/reach"
import { Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { marketData } from "../../marketData.ts"
import { amountIn } from "../../wire/amountIn.ts"
import { toWire } from "./toWire.ts"

const noCustodian = new Refusal({
  code: "product_not_enabled",
  message: "The service has no custodian for conversions."
})

const between = (pairs: ReadonlyArray<CustodianPair>, amount: Amount, to: string): CustodianPair | null =>
  pairs.find((pair) => pair.from === amount.currency && pair.to === to) ?? null

/** POST /v1/swaps: converts part of the balance, at a quote's price or the market's. */
export const swap = Effect.gen(function* () {
  const { currencies, defaultFees = [] } = yield* ServerConfig
  const { conversionRate, custodian } = yield* marketData
  const answer = yield* handleIdempotent
  return HttpApiBuilder.handler(PartnerApi, "conversions", "swap", ({ endpoint, headers, payload }) =>
    Effect.gen(function* () {
      const { keyPrefix: madeBy, scopes, tenantId, tenantKind: kind } = yield* Caller
      if (payload.customer_id != null && !scopes.has("customers:read"))
        return yield* apiError("scope_missing", { detail: { required_scope: "customers:read" } })
      const parsed = amountIn(currencies, payload.amount)
      const prepare = Effect.gen(function* () {
        if (Option.isNone(custodian)) return rejectWith("CreateSwap", noCustodian)
        if (Result.isFailure(parsed)) return rejectWith("CreateSwap", parsed.failure)
        const amount = parsed.success
        // it is decided in the commit, too; here, so that no custodian is asked for a tenant of another environment
        const foreign = refuseReach({ kind }, custodian.value)
        if (foreign !== undefined) return rejectWith("CreateSwap", foreign)
        const pairs = yield* Effect.catchTag(custodian.value.pairs, "ProviderError", () =>
          Effect.fail(apiError("provider_unavailable"))
        )
        return createSwap({
          amount,
          toCurrency: payload.to_currency,
          customerId: payload.customer_id ?? null,
          quoteId: payload.quote_id ?? null,
          partnerReference: payload.partner_reference ?? null,
          provider: custodian.value,
          madeBy,
          pair: between(pairs, amount, payload.to_currency),
          rate: yield* conversionRate(amount.currency, payload.to_currency),
          defaultFees,
          currencies
        })
      })
      return yield* answer({
        endpoint,
        tenantId,
        keyHeader: headers["idempotency-key"],
        payload,
        prepare: () => prepare,
        render: (operation) => toWire(operation, currencies),
        resourceId: ({ id }) => id,
        leaves: true
      })
    })
  )
})
