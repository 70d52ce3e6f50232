import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Tenants } from "@bursar/core/port/Tenants"
import { Queries } from "@bursar/core/store/Queries"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable } from "../../../refusals.ts"
import { afterRecord, pageOf } from "../afterRecord.ts"
import { findTenant } from "../found.ts"
import { sweepToWire, transactionToWire } from "./toWire.ts"

/** What moves deposits from addresses to payout wallets. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "sweeps",
  Effect.fnUntraced(function* (handlers) {
    const queries = yield* Queries
    const tenants = yield* Tenants
    const { currencies } = yield* ServerConfig
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ params, query }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        const { address_id: addressId, limit = listLimits.operatorLists.default, open } = query
        const after = yield* afterRecord(queries, id, Sweep, query.after)
        const found = yield* orUnavailable(queries.sweeps(id, { open, addressId, after, limit: limit + 1 }))
        const { nextAfter, page } = pageOf(found, limit)
        return { sweeps: page.map((sweep) => sweepToWire(sweep, currencies)), next_after: nextAfter }
      }),
      get: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        const sweep = yield* orUnavailable(queries.record(id, Sweep, params.sweep_id))
        if (sweep === undefined) return yield* apiError("not_found")
        const ids = [sweep.topUpTransactionId, sweep.sweepTransactionId].filter((one) => one !== null)
        const transactions = yield* Effect.forEach(ids, (one) =>
          orUnavailable(queries.record(id, OutboundTransaction, one))
        )
        return {
          sweep: sweepToWire(sweep, currencies),
          transactions: transactions.flatMap((one) => (one === undefined ? [] : [transactionToWire(one, currencies)]))
        }
      })
    })
  })
)
