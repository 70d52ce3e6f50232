import { BigInt as Big } from "effect"
import type { Read } from "../engine/Read.ts"
import type { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import { unsweptImports, unsweptImportsRead } from "./UnsweptImports.ts"
import type { Currency, CurrencyTable } from "../money/Currency.ts"
import { notCovered } from "../money/refuseAmount.ts"

/** How much of a float can be spent. */
export interface Spendable {
  /** What was credited and is not held. It may be below zero. */
  readonly available: bigint
  /** What of it nobody but the service can move: not the coins on addresses whose keys the tenant holds, or has handed over. Never below zero. */
  readonly backed: bigint
  /** What can leave: the smaller of the two, never below zero. */
  readonly units: bigint
}

/** The account of the coins on addresses whose keys the service holds; undefined for what is on no network. */
export const depositsOf = ({ asset }: Pick<Currency, "asset">): AssetAccount | undefined =>
  asset === null ? undefined : `chain:${asset.network}:deposits`

/** The account of the coins that the tenant holds itself; undefined for what is on no network. */
export const ownNativeOf = ({ asset }: Pick<Currency, "asset">): AssetAccount | undefined =>
  asset === null ? undefined : `chain:${asset.network}:tenant`

/** What `spendableOf` reads of a currency. */
export const spendableReads = (code: string, currencies: Pick<CurrencyTable, "byCode">): ReadonlyArray<Read> => {
  const currency = currencies.byCode(code)
  const places = currency === undefined ? [] : [ownNativeOf(currency), depositsOf(currency)]
  return [
    { _tag: "Balance", account: "float:available", currency: code },
    ...places
      .filter((account) => account !== undefined)
      .map((account) => ({ _tag: "Balance", account, currency: code }) as const),
    ...(currency?.asset == null ? [] : [unsweptImportsRead(code)])
  ]
}

/** How much of a currency the tenant may move itself, whatever is credited for it; once so much is written off of what is on addresses. */
const unbacked = (
  view: Pick<View, "balance" | "get">,
  { asset, code }: Pick<Currency, "asset" | "code">,
  writtenOff = 0n
): bigint => {
  const [own, deposits] = [ownNativeOf({ asset }), depositsOf({ asset })]
  if (own === undefined || deposits === undefined) return 0n
  // what is on no address any more was moved, or written off
  const imports = Big.min(unsweptImports(view, code), Big.max(view.balance(deposits, code).units - writtenOff, 0n))
  return view.balance(own, code).units + imports
}

/**
 * What a tenant can spend of a currency: what it has available, as far as the service alone can move it. Coins on addresses whose keys the
 * tenant holds are credited, and nobody but the tenant can move them; coins on addresses whose keys it has handed over can be moved by whoever
 * kept a copy until they are swept. So nothing is paid from them. Every kind of money out asks here and nowhere else.
 */
export const spendableOf = (
  view: Pick<View, "balance" | "get">,
  currency: Pick<Currency, "asset" | "code">
): Spendable => {
  const available = view.balance("float:available", currency.code).units
  const backed = Big.max(available - unbacked(view, currency), 0n)
  return { available, backed, units: Big.max(Big.min(available, backed), 0n) }
}

/** The refusal (`insufficient_balance`) of taking so much from a float; undefined where it can be taken. */
export const refuseSpending = (
  view: Pick<View, "balance" | "get">,
  currency: Pick<Currency, "asset" | "code" | "decimals">,
  required: bigint
): Refusal | undefined => {
  const { available, backed, units } = spendableOf(view, currency)
  return required <= units ? undefined : notCovered(currency, { available, backed, required })
}

/**
 * Whether so much can be written off of a float with what is on addresses whose keys the service holds: as much as is backed, and what the tenant
 * may have moved from addresses of imported keys, which backs nothing.
 */
export const mayWriteOff = (
  view: Pick<View, "balance" | "get">,
  currency: Pick<Currency, "asset" | "code">,
  units: bigint
): boolean => {
  const available = view.balance("float:available", currency.code).units
  const [before, after] = [available - unbacked(view, currency), available - units - unbacked(view, currency, units)]
  return units <= available && after >= Big.min(before, 0n)
}
