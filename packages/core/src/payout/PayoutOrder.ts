import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import { assetObjection } from "../destination/assetObjection.ts"
import { parse } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Network } from "../money/Network.ts"
import type { Memo } from "../port/Chain.ts"
import type { Networks } from "../port/Networks.ts"
import { readMemo } from "./readMemo.ts"

/** What a request for a chain payout says, as it stands in its body. */
export interface PayoutRequest {
  readonly amount: { readonly amount: string; readonly currency: string }
  readonly network: string
  readonly destination: { readonly address: string; readonly memo: string | null }
}

/** What is to be paid to whom, in the network's own terms. */
export interface PayoutOrder {
  readonly network: Network
  readonly currency: string
  readonly contract: string | null
  readonly units: bigint
  /** Canonical. */
  readonly to: string
  readonly memo: Memo | null
}

const refuse = (code: "unknown_network" | "unsupported_asset" | "address_invalid", message: string) =>
  Result.fail(new Refusal({ code, message }))

/**
 * Reads a request for a chain payout: network and asset by the currency table, the amount by the currency, the address by its
 * network, the memo by its network. What takes the request and what signs the transaction read it with these same rules.
 */
export const readPayoutOrder = (
  { amount, destination, network }: PayoutRequest,
  currencies: CurrencyTable,
  networks: Networks["Service"]
): Result.Result<PayoutOrder, Refusal> =>
  Result.gen(function* () {
    const adapter = networks.get(network)
    if (adapter === undefined) {
      return yield* refuse("unknown_network", `There is no network ${network} here.`)
    }
    const currency = currencies.byCode(amount.currency)
    if (currency?.asset?.network !== network) {
      return yield* refuse("unsupported_asset", `${amount.currency} is not an asset of ${network}.`)
    }
    const { contract } = currency.asset
    const { units } = yield* parse(amount.amount, currency)
    const read = adapter.parseAddress(destination.address)
    if (Result.isFailure(read)) return yield* refuse("address_invalid", read.failure)
    const to = read.success
    const lost = assetObjection(adapter, currencies, to)
    if (lost !== undefined) return yield* refuse("address_invalid", lost)
    const memo = yield* readMemo(adapter, to, destination.memo)
    return { network, currency: currency.code, contract, units, to, memo }
  })
