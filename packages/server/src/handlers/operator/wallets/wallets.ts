import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Networks } from "@bursar/core/port/Networks"
import { Tenants } from "@bursar/core/port/Tenants"
import { Queries } from "@bursar/core/store/Queries"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable } from "../../../refusals.ts"
import { findTenant } from "../found.ts"
import { walletToWire } from "../payouts/toWire.ts"
import { onChain } from "./onChain.ts"
import { assetsToWire, gapsOf, transactionToWire, utxosToWire } from "./toWire.ts"

/** How many open transactions of a wallet are shown, the oldest first. */
const openMax = listLimits.operatorLists.maximum

/** One wallet, as the chain and the books have it. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "wallets",
  Effect.fnUntraced(function* (handlers) {
    const queries = yield* Queries
    const tenants = yield* Tenants
    const networks = yield* Networks
    const { currencies } = yield* ServerConfig
    return handlers.handleAll({
      get: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        const wallet = yield* orUnavailable(queries.record(id, PayoutWallet, params.wallet_id))
        if (wallet === undefined) return yield* apiError("not_found")
        const { balances, sequence } = yield* onChain(networks, currencies, wallet)
        const open = yield* orUnavailable(queries.openTransactions(id, wallet.id, openMax))
        const free = yield* orUnavailable(queries.records(id, WalletUtxo, wallet.id))
        return {
          wallet: walletToWire(wallet),
          assets: assetsToWire(currencies, wallet, balances),
          chain_sequence: sequence?.toString() ?? null,
          gaps: gapsOf(wallet, sequence, { open, whole: open.length < openMax }),
          transactions: open.map(transactionToWire),
          utxos: utxosToWire(currencies, wallet, free, open)
        }
      })
    })
  })
)
