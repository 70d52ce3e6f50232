import { BigInt as Big } from "effect"
import type { Read } from "../engine/Read.ts"
import type { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import type { Currency, CurrencyTable } from "../money/Currency.ts"
import { notCovered } from "../money/refuseAmount.ts"

/** How much of a float can be spent. */
export interface Spendable {
  /** What was credited and is not held. It may be below zero. */
  readonly available: bigint
  /** What of it the service has itself: not the coins on addresses whose keys the tenant holds. Never below zero. */
  readonly backed: bigint
  /** What can leave: the smaller of the two, never below zero. */
  readonly units: bigint
}

/** The account of the coins that the tenant holds itself; undefined for what is on no network. */
export const ownNativeOf = ({ asset }: Pick<Currency, "asset">): AssetAccount | undefined =>
  asset === null ? undefined : `chain:${asset.network}:tenant`

/** What `spendableOf` reads of a currency. */
export const spendableReads = (code: string, currencies: Pick<CurrencyTable, "byCode">): ReadonlyArray<Read> => {
  const currency = currencies.byCode(code)
  const own = currency === undefined ? undefined : ownNativeOf(currency)
  return [
    { _tag: "Balance", account: "float:available", currency: code },
    ...(own === undefined ? [] : [{ _tag: "Balance", account: own, currency: code } as const])
  ]
}

/**
 * What a tenant can spend of a currency: what it has available, as far as the service holds it. Coins on addresses whose keys the
 * tenant holds are credited, and nobody but the tenant can move them, so nothing is paid from them. Every kind of money out asks
 * here and nowhere else.
 */
export const spendableOf = (view: Pick<View, "balance">, currency: Pick<Currency, "asset" | "code">): Spendable => {
  const available = view.balance("float:available", currency.code).units
  const own = ownNativeOf(currency)
  const left = available - (own === undefined ? 0n : view.balance(own, currency.code).units)
  const backed = Big.max(left, 0n)
  return { available, backed, units: Big.max(Big.min(available, backed), 0n) }
}

/** The refusal (`insufficient_balance`) of taking so much from a float; undefined where it can be taken. */
export const refuseSpending = (
  view: Pick<View, "balance">,
  currency: Pick<Currency, "asset" | "code" | "decimals">,
  required: bigint
): Refusal | undefined => {
  const { available, backed, units } = spendableOf(view, currency)
  return required <= units ? undefined : notCovered(currency, { available, backed, required })
}
