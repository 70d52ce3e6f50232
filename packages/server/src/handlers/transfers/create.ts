import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { CreateTransfer } from "@bursar/api/wire/Transfer"
import type { Command } from "@bursar/core/engine/Command"
import { Refusal } from "@bursar/core/base/Refusal"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import type { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { transferKinds } from "@bursar/core/transfer/Transfer"
import { Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { marketData } from "../../marketData.ts"
import { providers } from "../../providers.ts"
import { amountIn } from "../../wire/amountIn.ts"
import { prepareInternal } from "./prepareInternal.ts"
import { prepareProvided } from "./prepareProvided.ts"
import { isTransferOperation, toWire } from "./toWire.ts"

const noProvider = new Refusal({
  code: "product_not_enabled",
  message: "The service has no provider for fiat transfers."
})

/** POST /v1/transfers: moves fiat in, out, or to a customer's account. 201 says accepted; follow the status or the events. */
export const create = Effect.gen(function* () {
  const { currencies, defaultFees = [] } = yield* ServerConfig
  const queries = yield* Queries
  const { fiat } = yield* providers
  const { usd } = yield* marketData
  const answer = yield* handleIdempotent

  const prepare = Effect.fnUntraced(function* (
    tenantId: TenantId,
    madeBy: string,
    payload: CreateTransfer
  ): Effect.fn.Return<Command<Operation>, ApiError> {
    const kind = transferKinds.find((one) => one === payload.kind)
    if (kind === undefined)
      return yield* apiError("unknown_kind", { message: `${JSON.stringify(payload.kind)} is not a kind of transfer.` })
    const amount = amountIn(currencies, payload.amount)
    if (Result.isFailure(amount)) return rejectWith("CreateTransfer", amount.failure)
    if (kind === "INTERNAL_TRANSFER")
      return yield* prepareInternal({ queries, tenantId, currencies }, payload, amount.success)
    if (Option.isNone(fiat)) return rejectWith("CreateTransfer", noProvider)
    return yield* prepareProvided(
      { queries, tenantId, provider: fiat.value, usd, madeBy, defaultFees, currencies },
      { kind, payload, amount: amount.success }
    )
  })

  return HttpApiBuilder.handler(PartnerApi, "transfers", "create", ({ endpoint, headers, payload }) =>
    Effect.gen(function* () {
      const { keyPrefix, tenantId } = yield* Caller
      return yield* answer({
        endpoint,
        tenantId,
        keyHeader: headers["idempotency-key"],
        payload,
        prepare: () => prepare(TenantId(tenantId), keyPrefix, payload),
        render: (operation) => {
          if (!isTransferOperation(operation))
            throw new Error(`a ${operation.kind} was made where a transfer was wished`)
          return toWire(operation, currencies)
        },
        resourceId: ({ id }) => id,
        leaves: true
      })
    })
  )
})
