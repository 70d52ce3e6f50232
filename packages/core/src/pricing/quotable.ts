import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import { Customer } from "../customer/Customer.ts"
import { customerOf, permit } from "../customer/permit.ts"
import type { Read } from "../engine/Read.ts"
import { readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { refuseReach } from "../environment/reach.ts"
import { atLeastMinimum } from "../limit/minimum.ts"
import { chainCurrency } from "../money/chainCurrency.ts"
import type { FromTo } from "../money/FromTo.ts"
import { type Conversion, convertible, type PairTerms } from "./convertible.ts"
import { movable } from "./movable.ts"
import type { Product } from "./Product.ts"

/** An operation that somebody wants a price of. */
export interface Quotable extends Omit<Conversion, "pair"> {
  readonly product: Product
  /** What the custodian says of a SWAP's pair; absent, or null, where it converts none. */
  readonly pair?: PairTerms | null
  readonly customerId: string | null
  /** Whether who asks may not know how the customer's identity check stands: the swap looks at it then, not its price. */
  readonly checkHidden?: boolean
}

/** What `quotable` reads. */
export const quotableReads = ({ customerId }: Quotable): ReadonlyArray<Read> =>
  customerId === null ? [] : [readRecord(Customer, customerId)]

/** The currencies of what is sent on a network as it is. */
const sendable = (view: View, { amount, currencies, product, toCurrency }: Quotable): Result.Result<FromTo, Refusal> =>
  Result.gen(function* () {
    const currency = yield* chainCurrency(currencies, amount.currency)
    if (toCurrency !== currency.code)
      return yield* Result.fail(
        new Refusal({
          code: "pair_unavailable",
          message: `A ${product} converts nothing: ${currency.code} is received.`
        })
      )
    const foreign = refuseReach(view.tenant, currencies.networks.of(currency.asset.network))
    return foreign === undefined ? { from: currency, to: currency } : yield* Result.fail(foreign)
  })

const currenciesOf = (view: View, asked: Quotable): Result.Result<FromTo, Refusal> => {
  const { product } = asked
  switch (product) {
    case "SWAP":
      return convertible({ pair: null, ...asked })
    case "ON_RAMP":
    case "OFF_RAMP":
    case "BANK_TRANSFER":
      return movable({ ...asked, kind: product })
    case "CHAIN_PAYOUT":
    case "WITHDRAWAL":
      return sendable(view, asked)
  }
}

/** Products that send money to somebody, and so nothing that is not worth it. */
const leaving: ReadonlySet<Product> = new Set(["OFF_RAMP", "BANK_TRANSFER", "CHAIN_PAYOUT", "WITHDRAWAL"])

/**
 * The currencies of an operation that could be made: what it can never be is refused as its own decider would, by the same checks. What may
 * be otherwise when the operation is made (balance, limits, switches, the receiver) is not looked at.
 */
export const quotable = (view: View, asked: Quotable): Result.Result<FromTo, Refusal> =>
  Result.gen(function* () {
    const { amount, checkHidden = false, customerId, product } = asked
    const found = yield* currenciesOf(view, asked)
    if (leaving.has(product)) yield* atLeastMinimum(view.tenant.policy, amount.units, found.from)
    // a swap that names a customer is made for it; a transfer may be the tenant's own and only name it
    if (customerId !== null)
      yield* product === "SWAP" && !checkHidden ? permit(view, customerId, "swap") : customerOf(view, customerId)
    return found
  })
