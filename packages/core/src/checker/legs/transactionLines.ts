import type { Leg } from "../../ledger/Leg.ts"
import type { CurrencyTable } from "../../money/Currency.ts"
import type { OutboundTransaction } from "../../transaction/OutboundTransaction.ts"
import { bearerOf, feeLegs, movementLegs } from "../../transaction/transactionLegs.ts"
import type { RequiredLine } from "./RequiredLine.ts"

const lineOf = ({ account, currency, direction, units, what }: Leg): RequiredLine => ({
  account,
  currency,
  what,
  units: direction === "DEBIT" ? units : -units
})

/**
 * The lines of a transaction, and whose they are: the cost of the network belongs to the payout that it has paid where that is its only one,
 * else to itself. Nothing is booked before it is over, or where the chain took nothing for it.
 *
 * | of | lines |
 * |---|---|
 * | any transaction that is final | the account that sent → `network_fees` |
 * | a SWEEP that is done | `chain:<n>:deposits` is credited, `chain:<n>:payouts` debited |
 * | a TOP_UP that is done | the other way round |
 */
export const transactionLines = (
  transaction: OutboundTransaction,
  isSettled: (operationId: string) => boolean,
  currencies: CurrencyTable
): { readonly own: ReadonlyArray<RequiredLine>; readonly ofPayout: ReadonlyArray<RequiredLine> } => {
  const { fee, outcome, phase } = transaction
  if (phase !== "FINAL" || fee === null || (outcome !== "done" && outcome !== "reverted"))
    return { own: [], ofPayout: [] }
  // a row that names an asset that is none asks for no lines: what is booked of it is told then
  const isKnown = (contract: string | null) => currencies.byAsset(transaction.network, contract) !== undefined
  const cost = isKnown(null) ? feeLegs(transaction, fee, currencies).map(lineOf) : []
  const payments = transaction.payments.filter(({ contract }) => isKnown(contract))
  const moved = outcome === "done" ? movementLegs({ ...transaction, payments }, fee, currencies).map(lineOf) : []
  const bearer = bearerOf(transaction)
  return outcome === "done" && bearer !== null && isSettled(bearer)
    ? { own: moved, ofPayout: cost }
    : { own: [...moved, ...cost], ofPayout: [] }
}
