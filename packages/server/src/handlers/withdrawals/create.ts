import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Refusal } from "@bursar/core/base/Refusal"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import { createWithdrawal } from "@bursar/core/withdrawal/createWithdrawal"
import { Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { marketData } from "../../marketData.ts"
import { amountIn } from "../../wire/amountIn.ts"
import { toWire } from "./toWire.ts"

const noCustodian = new Refusal({
  code: "product_not_enabled",
  message: "The service has no custodian for withdrawals."
})

/** POST /v1/withdrawals: sends balance to the tenant's verified destination of the currency. */
export const create = Effect.gen(function* () {
  const { currencies, defaultFees = [] } = yield* ServerConfig
  const { custodian, usd } = yield* marketData
  const answer = yield* handleIdempotent
  return HttpApiBuilder.handler(PartnerApi, "withdrawals", "create", ({ endpoint, headers, payload }) =>
    Effect.gen(function* () {
      const { keyPrefix: madeBy, tenantId } = yield* Caller
      const parsed = amountIn(currencies, payload.amount)
      const prepare = Effect.gen(function* () {
        if (Option.isNone(custodian)) return rejectWith("CreateWithdrawal", noCustodian)
        if (Result.isFailure(parsed)) return rejectWith("CreateWithdrawal", parsed.failure)
        const amount = parsed.success
        return createWithdrawal({
          amount,
          partnerReference: payload.partner_reference ?? null,
          usd: yield* usd(amount.currency),
          provider: custodian.value,
          madeBy,
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
