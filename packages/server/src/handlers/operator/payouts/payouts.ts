import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import { apiError } from "@bursar/api/errors/ApiError"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Writer } from "@bursar/core/engine/Writer"
import type { ExpediteAction } from "@bursar/core/transaction/OutboundTransaction"
import { attachEvidence } from "@bursar/core/payout/attachEvidence"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { expeditePayout } from "@bursar/core/payout/expeditePayout"
import { canonicalHash } from "@bursar/core/payout/PayoutEvidence"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { reviewOperation } from "@bursar/core/review/reviewOperation"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, submit, submitPrepared } from "../../../refusals.ts"
import { statusFilter } from "../../statusFilter.ts"
import { findTenant, invalidField } from "../found.ts"
import { createWallet } from "./createWallet.ts"
import { payoutToWire, walletToWire } from "./toWire.ts"
import { findPayout, wholePayout } from "./wholePayout.ts"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

const options = { uninterruptible: true }

/** Wallets that tenants are paid from, and their chain payouts. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "payouts",
  Effect.fnUntraced(function* (handlers) {
    const writer = yield* Writer
    const queries = yield* Queries
    const tenants = yield* Tenants
    const { currencies } = yield* ServerConfig

    const found = (params: { readonly tenant_id: string; readonly payout_id: string }) =>
      findPayout(queries, TenantId(params.tenant_id), params.payout_id)

    const review = Effect.fnUntraced(function* (
      params: { readonly tenant_id: string; readonly payout_id: string },
      approve: boolean,
      reason: string | null
    ) {
      const { name: by } = yield* Operator
      const { operation, payout } = yield* found(params)
      if (payout === undefined) return yield* apiError("not_found")
      yield* submit(
        writer,
        operation.tenantId,
        reviewOperation({ operation, verdict: approve ? "APPROVE" : "REJECT", by, reason, currencies })
      )
      return payoutToWire(yield* found(params), currencies)
    })

    const expedite = Effect.fnUntraced(function* (
      params: { readonly tenant_id: string; readonly payout_id: string },
      request: ExpediteAction
    ) {
      yield* submitPrepared(writer, TenantId(params.tenant_id), () =>
        Effect.flatMap(found(params), ({ payout, transaction }) =>
          payout === undefined
            ? Effect.fail(apiError("not_found"))
            : Effect.succeed(expeditePayout({ payout, transaction, request }))
        )
      )
      return payoutToWire(yield* found(params), currencies)
    })

    return handlers.handleAll({
      createWallet: { handler: yield* createWallet, options },
      wallets: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        return { wallets: (yield* orUnavailable(queries.records(id, PayoutWallet))).map(walletToWire) }
      }),
      list: Effect.fnUntraced(function* ({ params, query }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        const status = yield* statusFilter(query.status)
        const limit = query.limit ?? listLimits.operatorLists.default
        const { unresolved } = query
        const operations = yield* orUnavailable(
          queries.register(id, { kind: "CHAIN_PAYOUT", status, unresolved, limit })
        )
        const whole = yield* Effect.forEach(operations, (operation) => wholePayout(queries, operation), {
          concurrency: 8
        })
        return { payouts: whole.map((one) => payoutToWire(one, currencies)) }
      }),
      get: ({ params }) => Effect.map(found(params), (one) => payoutToWire(one, currencies)),
      approve: { handler: ({ params }) => review(params, true, null), options },
      reject: { handler: ({ params, payload }) => review(params, false, payload.reason), options },
      rebroadcast: { handler: ({ params }) => expedite(params, "REBROADCAST"), options },
      bump: { handler: ({ params }) => expedite(params, "BUMP"), options },
      attachEvidence: {
        options,
        handler: Effect.fnUntraced(function* ({ params, payload: { note, tx_hash: given = null } }) {
          const { name: by } = yield* Operator
          yield* submitPrepared(
            writer,
            TenantId(params.tenant_id),
            Effect.fnUntraced(function* () {
              const { payout } = yield* found(params)
              if (payout === undefined) return yield* apiError("not_found")
              const txHash = given === null ? null : canonicalHash(currencies.networks.of(payout.network), given)
              if (txHash === undefined) return yield* invalidField("tx_hash", "Expected 32 bytes in hexadecimal.")
              return attachEvidence({ payout, txHash, note, by })
            })
          )
          return payoutToWire(yield* found(params), currencies)
        })
      },
      cancel: {
        options,
        handler: Effect.fnUntraced(function* ({ params }) {
          const { name: by } = yield* Operator
          const { state } = yield* submitPrepared(writer, TenantId(params.tenant_id), () =>
            Effect.flatMap(found(params), ({ payout, transaction }) =>
              payout === undefined
                ? Effect.fail(apiError("not_found"))
                : Effect.succeed(cancelPayout({ payout, transaction, by, currencies }))
            )
          )
          return { state, payout: payoutToWire(yield* found(params), currencies) }
        })
      }
    })
  })
)
