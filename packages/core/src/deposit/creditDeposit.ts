import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import { emit } from "../engine/emit.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { Leg } from "../ledger/Leg.ts"
import { of } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Network } from "../money/Network.ts"
import { newOperation } from "../operation/newOperation.ts"
import { Operation } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import type { AddressOrigin } from "../tenant/Tenant.ts"
import type { Deposit } from "./Deposit.ts"
import { depositEventData } from "./depositEvent.ts"
import { holderOf } from "./ownTransfer.ts"
import { putRecord } from "../engine/Records.ts"

/** The balances that crediting or reversing a deposit touches. */
export const creditReads = ({
  currency,
  network
}: {
  readonly network: Network
  readonly currency: string
}): ReadonlyArray<Read> => [
  { _tag: "Balance", account: "float:available", currency },
  ...placeReads(`chain:${network}:tenant`, currency),
  ...placeReads(`chain:${network}:deposits`, currency)
]

/** What of a deposit is credited: what the float did not have already. */
const creditedUnits = ({ ownUnits, units }: Pick<Deposit, "ownUnits" | "units">): bigint => units - ownUnits

/** How much an operation of a deposit tells: what it credits, or what it moves where it credits nothing. */
const toldUnits = (deposit: Deposit): bigint =>
  creditedUnits(deposit) === 0n ? deposit.ownUnits : creditedUnits(deposit)

const operationOf = (
  view: View,
  deposit: Deposit,
  kind: "DEPOSIT" | "REVERSAL",
  origin: AddressOrigin,
  more: Pick<OperationDetails<"REVERSAL">, "reverses"> = {}
): Operation => {
  const moved = creditedUnits(deposit) === 0n
  const booked: OperationDetails<"DEPOSIT"> = {
    deposit_id: deposit.id,
    origin,
    ...(deposit.ownUnits === 0n ? {} : { own_units: deposit.ownUnits.toString() })
  }
  const sign = moved && kind === "REVERSAL" ? -1n : 1n
  return newOperation(view, {
    // what credits nothing is no deposit to the float: the coins have changed their place
    kind: moved ? "ADJUSTMENT" : kind,
    status: "SETTLED",
    amount: of(sign * toldUnits(deposit), deposit.currency),
    network: deposit.network,
    partnerReference: deposit.reference,
    txHash: deposit.txHash,
    settledAt: view.now,
    details: moved
      ? {
          ...booked,
          reason: "Moved from an address of the tenant's own; it was credited there.",
          own_transfer: true,
          ...more
        }
      : { ...booked, ...more }
  })
}

/** Its holder's side, and against it what the float gets and what leaves the tenant's own addresses; `sign` -1 mirrors it. */
const legsOf = (deposit: Deposit, origin: AddressOrigin, sign: 1n | -1n): ReadonlyArray<Leg> => {
  const { currency, network, ownUnits, units } = deposit
  const [inwards, outwards] = sign > 0n ? (["DEBIT", "CREDIT"] as const) : (["CREDIT", "DEBIT"] as const)
  const leg = { currency, what: sign > 0n ? "principal" : "reversal" } as const
  const credited = creditedUnits(deposit)
  const against: ReadonlyArray<Leg> = [
    ...(credited === 0n ? [] : [{ ...leg, account: "float:available", direction: outwards, units: credited } as const]),
    ...(ownUnits === 0n
      ? []
      : [{ ...leg, account: `chain:${network}:tenant`, direction: outwards, units: ownUnits } as const])
  ]
  const held: Leg = { ...leg, account: holderOf(network, origin), direction: inwards, units }
  return sign > 0n ? [held, ...against] : [...against, held]
}

/**
 * Books a confirmed deposit as an operation of its own: its holder → `float:available`, told as `deposit.settled`. What of it the
 * float has already (`ownUnits`) leaves the tenant's own addresses instead; a deposit that is nothing else is an ADJUSTMENT, of
 * which no event tells because nothing is credited.
 */
export const credit = (
  view: View,
  currencies: CurrencyTable,
  deposit: Deposit,
  origin: AddressOrigin
): { readonly operation: Operation; readonly changes: ReadonlyArray<Change> } => {
  const operation = operationOf(view, deposit, "DEPOSIT", origin)
  return {
    operation,
    changes: [
      putRecord(Operation, operation),
      { _tag: "Posted", operationId: operation.id, legs: legsOf(deposit, origin, 1n), happened: true },
      ...(operation.kind === "DEPOSIT"
        ? [
            emit(
              view,
              "deposit.settled",
              operation.id,
              depositEventData({ ...deposit, units: creditedUnits(deposit) }, currencies)
            )
          ]
        : [])
    ]
  }
}

/**
 * Books the mirror image of a credit whose block was replaced, as a REVERSAL, or as an ADJUSTMENT where nothing had been credited. It
 * may leave the float below zero: the coins were never there.
 */
export const reverse = (
  view: View,
  deposit: Deposit,
  origin: AddressOrigin
): { readonly operation: Operation; readonly changes: ReadonlyArray<Change> } => {
  const operation = operationOf(view, deposit, "REVERSAL", origin, { reverses: deposit.creditedBy })
  const legs = legsOf(deposit, origin, -1n)
  return {
    operation,
    changes: [
      putRecord(Operation, operation),
      { _tag: "Posted", operationId: operation.id, legs, mayOverdraw: true, happened: true }
    ]
  }
}
