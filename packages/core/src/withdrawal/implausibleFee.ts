import type { Amount } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Operation } from "../operation/Operation.ts"

/** What is said of the network's fee for a withdrawal. */
export interface ToldFee {
  readonly amount: Amount
  /** Who pays for the network. */
  readonly borneBy: "RECEIVER" | "SERVICE"
}

/**
 * Why a network cannot have taken what is said of a withdrawal, in words; undefined where it can. A fee that the receiver bears leaves
 * something of the amount; one that the service bears may be greater than a small amount is.
 */
export const implausibleFee = (
  { amount: ordered }: Operation,
  { amount: { currency, units }, borneBy }: ToldFee,
  currencies: CurrencyTable
): string | undefined => {
  const told = `${units} units of ${currency} were told as the network's fee`
  if (units < 0n) return told
  if (currencies.byCode(currency) === undefined) return `${told}, which is no currency here`
  return borneBy === "RECEIVER" && currency === ordered.currency && units >= ordered.units
    ? `${told}, and ${ordered.units} were ordered`
    : undefined
}
