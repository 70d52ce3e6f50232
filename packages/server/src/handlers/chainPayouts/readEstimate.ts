import { apiError } from "@bursar/api/errors/ApiError"
import { type Amount, format } from "@bursar/core/money/Amount"
import type { Asset, Currency } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import { type PayoutRequest, readPayoutOrder } from "@bursar/core/payout/PayoutOrder"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { Effect, Result } from "effect"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { orUnavailable, refusalError } from "../../refusals.ts"
import { amountOrNothing } from "../../wire/amountIn.ts"
import { unknownNetwork } from "../network.ts"

/** The query of an estimate as it came. */
export interface EstimateQuery {
  readonly network?: string
  readonly currency?: string
  readonly amount?: string
  readonly address?: string
}

/** What an estimate is asked for. */
export interface AskedEstimate {
  readonly network: NetworkAdapter
  readonly native: Currency
  readonly currency: Currency & { readonly asset: Asset }
  readonly amount: Amount
  /** The receiver in its canonical form; null where none is named. */
  readonly to: string | null
}

const isOn = (currency: Currency, network: Network): currency is AskedEstimate["currency"] =>
  currency.asset?.network === network

/** Nobody can be asked what it costs to pay nothing: the least is asked for. */
export const atLeastOne = ({ units }: Amount): bigint => (units === 0n ? 1n : units)

/** What makes sense of a query. What is not named is as in `networkOf`, the network's native asset, and an amount of nothing. */
export const makeReadEstimate = Effect.gen(function* () {
  const networks = yield* Networks
  const queries = yield* Queries
  const { currencies } = yield* ServerConfig

  /** The receiver in its canonical form, if one is named: refused is what a payout to it would be refused for. */
  const receiverOf = (address: string | undefined, request: Pick<PayoutRequest, "amount" | "network">) =>
    address === undefined
      ? Result.succeed(null)
      : Result.map(
          readPayoutOrder({ ...request, destination: { address, memo: null } }, currencies, networks),
          ({ to: canonical }) => canonical
        )

  /** The network that is named or the currency's; where neither is, the first on which the tenant could pay, else the first of all. */
  const networkOf = Effect.fnUntraced(function* (tenantId: TenantId, { currency, network: named }: EstimateQuery) {
    if (named === undefined && currency !== undefined) {
      const wanted = currencies.byCode(currency)?.asset?.network
      if (wanted === undefined)
        return yield* apiError("unsupported_asset", { message: `${JSON.stringify(currency)} is on no network.` })
      return networks.get(wanted) ?? (yield* refusalError(unknownNetwork(wanted)))
    }
    if (named !== undefined) return networks.get(named) ?? (yield* refusalError(unknownNetwork(named)))
    const wallets = yield* orUnavailable(queries.records(tenantId, PayoutWallet))
    const payable = networks.enabled.find((one) =>
      wallets.some(({ network, role }) => network === one && role === "PAYOUT")
    )
    return networks.get(payable ?? networks.enabled[0] ?? "") ?? (yield* apiError("unknown_network"))
  })

  return Effect.fnUntraced(function* (tenantId: TenantId, query: EstimateQuery) {
    const adapter = yield* networkOf(tenantId, query)
    const { name: network } = adapter.traits
    const native = currencies.byAsset(network, null)
    const currency = query.currency === undefined ? native : currencies.byCode(query.currency)
    if (native === undefined || currency === undefined || !isOn(currency, network))
      return yield* apiError("unsupported_asset", {
        message: `${query.currency ?? "?"} is not an asset of ${network}.`
      })
    const parsed = amountOrNothing(currencies, query.amount, currency)
    if (Result.isFailure(parsed)) return yield* refusalError(parsed.failure)
    const amount = parsed.success
    const wanted = { amount: format(atLeastOne(amount), currency.decimals), currency: currency.code }
    const to = receiverOf(query.address, { network, amount: wanted })
    if (Result.isFailure(to)) return yield* refusalError(to.failure)
    const asked: AskedEstimate = { network: adapter, native, currency, amount, to: to.success }
    return asked
  })
})
