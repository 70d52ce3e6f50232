import type { DepositAddress } from "../address/DepositAddress.ts"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { credit, creditReads } from "./creditDeposit.ts"
import { Deposit } from "./Deposit.ts"
import { isOwnAddress, ownPart, ownTransferReads } from "./ownTransfer.ts"
import { putRecord } from "../engine/Records.ts"

/** What crediting a confirmed deposit reads. */
export const creditConfirmedReads = (
  deposit: Pick<Deposit, "currency" | "fromAddress" | "network">
): ReadonlyArray<Read> => [...creditReads(deposit), ...ownTransferReads(deposit)]

/**
 * Credits a confirmed deposit, but for what of it the float has already. `onOwn` counts, over the deposits of one command, what they
 * add to the coins on the tenant's own addresses, by network and currency.
 */
export const creditConfirmed = (
  view: View,
  currencies: CurrencyTable,
  deposit: Deposit,
  address: DepositAddress,
  onOwn: Map<string, bigint>
): { readonly deposit: Deposit; readonly changes: ReadonlyArray<Change> } => {
  const { currency, fromAddress, network, units } = deposit
  const place = `${network}|${currency}`
  const own = ownPart(view, { network, currency, units, fromAddress }, onOwn.get(place) ?? 0n)
  const kept = isOwnAddress(network, address.origin) ? units : 0n
  onOwn.set(place, (onOwn.get(place) ?? 0n) + kept - own)
  const booked = credit(view, currencies, { ...deposit, ownUnits: own }, address.origin)
  const credited = { ...deposit, ownUnits: own, creditedBy: booked.operation.id }
  return { deposit: credited, changes: [...booked.changes, putRecord(Deposit, credited)] }
}
