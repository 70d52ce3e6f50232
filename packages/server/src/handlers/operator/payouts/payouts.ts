import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { showApart } from "../../../operationsApart.ts"
import { orUnavailable } from "../../../refusals.ts"
import { statusFilter } from "../../statusFilter.ts"
import { findTenant } from "../found.ts"
import { unreadableToWire } from "../unreadableToWire.ts"
import { createWallet } from "./createWallet.ts"
import { payoutToWire, walletToWire } from "./toWire.ts"
import { wholePayout } from "./wholePayout.ts"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { makePayoutActions } from "./actions.ts"

const options = { uninterruptible: true }

/** Wallets that tenants are paid from, and their chain payouts. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "payouts",
  Effect.fnUntraced(function* (handlers) {
    const queries = yield* Queries
    const tenants = yield* Tenants
    const { currencies } = yield* ServerConfig
    const { cancel, expedite, giveEvidence, review, shown } = yield* makePayoutActions

    return handlers.handleAll({
      createWallet: { handler: yield* createWallet, options },
      wallets: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        return { wallets: (yield* orUnavailable(queries.records(id, PayoutWallet))).map(walletToWire) }
      }),
      list: Effect.fnUntraced(function* ({ params, query }) {
        const { id, slug } = yield* findTenant(tenants, params.tenant_id)
        const status = yield* statusFilter(query.status)
        const limit = query.limit ?? listLimits.operatorLists.default
        const { unresolved } = query
        const listed = yield* orUnavailable(
          queries.listedRegister(id, { kind: "CHAIN_PAYOUT", status, unresolved, limit })
        )
        const { shown: payouts, unreadable } = yield* showApart(listed, (operation) =>
          Effect.map(wholePayout(queries, operation), (whole) => payoutToWire(whole, currencies))
        )
        return { payouts, unreadable: unreadable.map((one) => unreadableToWire(one, slug)) }
      }),
      get: ({ params }) => shown(params),
      approve: { handler: ({ params }) => review(params, { verdict: "APPROVE", reason: null }), options },
      reject: { handler: ({ params, payload: { reason } }) => review(params, { verdict: "REJECT", reason }), options },
      rebroadcast: { handler: ({ params }) => expedite(params, "REBROADCAST"), options },
      bump: { handler: ({ params }) => expedite(params, "BUMP"), options },
      attachEvidence: {
        handler: ({ params, payload: { note, tx_hash: txHash = null } }) => giveEvidence(params, { note, txHash }),
        options
      },
      cancel: { handler: ({ params }) => cancel(params), options }
    })
  })
)
