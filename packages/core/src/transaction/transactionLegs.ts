import type { Change } from "../engine/Change.ts"
import type { Account } from "../ledger/Account.ts"
import type { Leg } from "../ledger/Leg.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { operationsOf, type OutboundTransaction } from "./OutboundTransaction.ts"

/** Where what an outbound transaction pays stands before it, and after it where it stays with the service. */
const accountsOf = ({
  network,
  purpose
}: Pick<OutboundTransaction, "network" | "purpose">): { readonly from: Account; readonly to: Account | null } => {
  const wallet: Account = `chain:${network}:payouts`
  const addresses: Account = `chain:${network}:deposits`
  switch (purpose) {
    case "SWEEP":
      return { from: addresses, to: wallet }
    case "TOP_UP":
      return { from: wallet, to: addresses }
    case "PAYOUT":
    case "CANCEL":
    case "CHANNEL":
    case "PROVISIONING":
      return { from: wallet, to: null }
  }
}

/** The currency of what moved. Money that moved and is booked nowhere would be lost to the books: an asset that is not known is a defect. */
const codeOf = (
  { id, network }: Pick<OutboundTransaction, "id" | "network">,
  contract: string | null,
  currencies: CurrencyTable
): string => {
  const currency = currencies.byAsset(network, contract)
  if (currency === undefined)
    throw new Error(`transaction ${id} moved ${contract ?? "the coin"} on ${network}, which is no currency here`)
  return currency.code
}

/** The legs of what the network took: a cost of the service, paid in the native asset by the account that sent. */
export const feeLegs = (
  transaction: Pick<OutboundTransaction, "id" | "network" | "purpose">,
  fee: bigint,
  currencies: CurrencyTable
): ReadonlyArray<Leg> => {
  if (fee === 0n) return []
  const leg = { currency: codeOf(transaction, null, currencies), units: fee, what: "network_fee" } as const
  return [
    { ...leg, account: "network_fees", direction: "DEBIT" },
    { ...leg, account: accountsOf(transaction).from, direction: "CREDIT" }
  ]
}

/**
 * The legs of what moved from one account of the service to another. What coins are drained of is all that they hold less the fee,
 * which is taken from the same coins.
 */
export const movementLegs = (
  transaction: OutboundTransaction,
  fee: bigint,
  currencies: CurrencyTable
): ReadonlyArray<Leg> => {
  const { from, to } = accountsOf(transaction)
  if (to === null) return []
  const what = transaction.purpose === "SWEEP" ? "sweep" : "top_up"
  return transaction.payments.flatMap(({ contract, units: given }): ReadonlyArray<Leg> => {
    const units = transaction.drain && transaction.guard._tag === "Utxos" ? given - fee : given
    if (units === 0n) return []
    const leg = { currency: codeOf(transaction, contract, currencies), units, what } as const
    return [
      { ...leg, account: to, direction: "DEBIT" },
      { ...leg, account: from, direction: "CREDIT" }
    ]
  })
}

/** Legs that belong to the outbound transaction itself and to no operation. The chain has done it, so they are booked whatever stands there. */
export const postedTo = ({ id }: OutboundTransaction, legs: ReadonlyArray<Leg>): ReadonlyArray<Change> =>
  legs.length === 0 ? [] : [{ _tag: "Posted", operationId: id, legs, happened: true }]

/** The operation whose legs bear the cost of an outbound transaction: its only one; null where it has none or several, and bears it itself. */
export const bearerOf = (transaction: OutboundTransaction): string | null => {
  const [one, ...others] = operationsOf(transaction)
  return one === undefined || others.length > 0 ? null : one
}
