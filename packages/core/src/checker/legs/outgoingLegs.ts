import type { Account } from "../../ledger/Account.ts"
import { assetPlaceOf } from "../../operation/assetPlace.ts"
import { returnedOf } from "../../operation/movedAmount.ts"
import type { Operation } from "../../operation/Operation.ts"
import { entry, type RequiredLegs, type RequiredLine } from "./RequiredLine.ts"

const heldLines = ({ amount, customerFee }: Operation): ReadonlyArray<RequiredLine> =>
  entry("float:available", "float:held", { currency: amount.currency, units: amount.units + customerFee.units }, "hold")

const releasedLines = ({ amount, customerFee }: Operation): ReadonlyArray<RequiredLine> =>
  entry(
    "float:held",
    "float:available",
    { currency: amount.currency, units: amount.units + customerFee.units },
    "release"
  )

/** What a payout's wallet paid for the transaction that is proven to have made it. */
const provenFeeOf = ({ details, networkFee }: Operation, wallet: Account): ReadonlyArray<RequiredLine> => {
  const units = BigInt(details.proven_by?.network_fee ?? 0n)
  return networkFee === null ? [] : entry("network_fees", wallet, { ...networkFee, units }, "network_fee")
}

/** The cost of the network, where the service bears it. Who does is for the custodian to say, so the record keeps it. */
const networkFeeOf = (operation: Operation, place: Account): RequiredLegs => {
  const { details, kind, networkFee } = operation
  if (kind === "CHAIN_PAYOUT") return { lines: provenFeeOf(operation, place) }
  if (kind !== "WITHDRAWAL" || networkFee === null || networkFee.units <= 0n) return { lines: [] }
  switch (details.network_fee_borne_by) {
    case "SERVICE":
      return { lines: entry("network_fees", place, networkFee, "network_fee") }
    case "RECEIVER":
      return { lines: [] }
    default:
      return { lines: [], untold: ["network_fees", place] }
  }
}

/**
 * What leaves: CHAIN_PAYOUT, WITHDRAWAL, OFF_RAMP, BANK_TRANSFER and REFUND.
 *
 * | state | legs |
 * |---|---|
 * | accepted, from then on | `float:available` → `float:held`: amount and fee |
 * | SETTLED | `float:held` → the place it leaves from: the amount; `float:held` → `fees`: the fee |
 * | FAILED, or RETURNED before it settled | `float:held` → `float:available`: amount and fee |
 * | RETURNED after it settled | as SETTLED, and `bank` → `float:available`: what came back |
 *
 * What the network took for a CHAIN_PAYOUT is with its transaction (`transactionLines`), and here for one that is proven to have made it in its stead; for a WITHDRAWAL it is here where the service bears it.
 */
export const outgoingLegs = (operation: Operation): RequiredLegs => {
  const { amount, customerFee, settledAt, status } = operation
  const place: Account | undefined = assetPlaceOf(operation)
  const held = heldLines(operation)
  if (status === "FAILED" || (status === "RETURNED" && settledAt === null))
    return { lines: [...held, ...releasedLines(operation)] }
  if ((status !== "SETTLED" && status !== "RETURNED") || place === undefined) return { lines: held }
  const { lines: networkFee, untold = [] } = networkFeeOf(operation, place)
  const back = { currency: amount.currency, units: returnedOf(operation) }
  return {
    lines: [
      ...held,
      ...entry("float:held", place, amount, "principal"),
      ...entry("float:held", "fees", { ...amount, units: customerFee.units }, "fee"),
      ...networkFee,
      ...entry("bank", "float:available", back, "return")
    ],
    untold
  }
}
