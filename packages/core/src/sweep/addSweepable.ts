import type { DepositAddress } from "../address/DepositAddress.ts"
import type { Deposit, DepositIdentity } from "../deposit/Deposit.ts"
import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import { of } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Network } from "../money/Network.ts"
import { bookedArrivalReads, putArrival } from "../operation/bookedArrival.ts"
import { withGiven } from "../operation/goneArrival.ts"
import { newOperation } from "../operation/newOperation.ts"
import { SweepableDeposit, sweepableKey, isFree, sweepKeyOf, unbackedWhileFree } from "./SweepableDeposit.ts"
import { isSwept } from "./isSwept.ts"
import { suspenseTakenRead } from "../operation/SuspenseTaken.ts"
import { unsweptImportsRead } from "../operation/UnsweptImports.ts"
import { sweepQueue } from "./sweepQueues.ts"
import { Operation } from "../operation/Operation.ts"

const holder = (network: Network): AssetAccount => `chain:${network}:deposits`

/** What taking in a deposit, or losing it, reads beside the deposit and its address. */
export const sweepableReads = (deposit: DepositIdentity & { readonly currency: string }): ReadonlyArray<Read> => [
  readRecord(SweepableDeposit, sweepableKey(deposit)),
  ...bookedArrivalReads(deposit.txHash),
  unsweptImportsRead(deposit.currency),
  { _tag: "Balance", account: "suspense", currency: deposit.currency },
  suspenseTakenRead(deposit.currency),
  ...placeReads(holder(deposit.network), deposit.currency)
]

/** An ADJUSTMENT of what is on our addresses against suspense; `sign` -1 takes it back. */
const adjustment = (view: View, sweepable: SweepableDeposit, sign: 1n | -1n, reason: string) => {
  const { bookedBy, currency, depositId, network, txHash, units } = sweepable
  const operation = newOperation(view, {
    kind: "ADJUSTMENT",
    status: "SETTLED",
    amount: of(sign * units, currency),
    network,
    txHash,
    settledAt: view.now,
    details: { reason, uncredited_deposit: depositId, ...(bookedBy === null ? {} : { reverses: bookedBy }) }
  })
  const leg = { currency, units, what: "adjustment" } as const
  const posted: Change = {
    _tag: "Posted",
    operationId: operation.id,
    legs: [
      { ...leg, account: holder(network), direction: sign > 0n ? "DEBIT" : "CREDIT" },
      { ...leg, account: "suspense", direction: sign > 0n ? "CREDIT" : "DEBIT" }
    ],
    happened: true
  }
  return { operation, posted }
}

/**
 * Notes a deposit that was confirmed on an address whose key the service holds: it waits to be swept, unless its address is held.
 * What was not credited to anybody is booked against suspense, because the funds are there and are moved with the others. One that
 * was swept before a reorg, and is there again, is not swept twice.
 */
export const addSweepable = (
  view: View,
  currencies: CurrencyTable,
  deposit: Deposit,
  address: DepositAddress
): ReadonlyArray<Change> =>
  putSweepable(view, currencies, deposit, address, view.get(SweepableDeposit, sweepableKey(deposit)))

/** Notes a confirmed deposit of which an earlier note is `known`. */
export const putSweepable = (
  view: View,
  currencies: CurrencyTable,
  deposit: Deposit,
  address: DepositAddress,
  known: SweepableDeposit | undefined
): ReadonlyArray<Change> => {
  const key = sweepKeyOf(address)
  const asset = currencies.byCode(deposit.currency)?.asset
  if (key === undefined || asset === undefined || asset === null) return []
  const { addressId, currency, id, network, transferIndex, txHash, units } = deposit
  const taken: SweepableDeposit = {
    depositId: id,
    network,
    txHash,
    transferIndex,
    addressId,
    address: deposit.address,
    currency,
    contract: asset.contract,
    units,
    key,
    gone: false,
    sweepId: known?.sweepId ?? null,
    bookedBy: null,
    unbacked: 0n
  }
  const booked =
    deposit.creditedBy === null
      ? adjustment(view, taken, 1n, "Arrived on an address of ours and was credited to nobody.")
      : undefined
  const noted = { ...taken, bookedBy: booked?.operation.id ?? null }
  // what a sweep has, or has moved, is counted as it was
  const unbacked = noted.sweepId === null ? unbackedWhileFree(noted) : (known?.unbacked ?? 0n)
  // what is noted for the first time was never booked before
  const put = (one: Operation) => (known === undefined ? [putRecord(Operation, one)] : putArrival(view, txHash, one))
  return [
    ...(booked === undefined ? [] : [...put(booked.operation), booked.posted]),
    putRecord(SweepableDeposit, { ...noted, unbacked }),
    ...(isFree(taken) && isSwept(address, currencies.networks) === true
      ? [schedule(sweepQueue(network), addressId, view.now)]
      : [])
  ]
}

/** Notes that a deposit's block is gone: it is not swept, and what was booked of it against suspense is taken back. */
export const removeSweepable = (view: View, deposit: DepositIdentity): ReadonlyArray<Change> => {
  const known = view.get(SweepableDeposit, sweepableKey(deposit))
  if (known === undefined || known.gone) return []
  const reason = "What had arrived is not on the chain any more."
  const back = known.bookedBy === null ? undefined : adjustment(view, known, -1n, reason)
  return [
    ...(back === undefined
      ? []
      : [...withGiven(view, known.bookedBy, putArrival(view, known.txHash, back.operation)), back.posted]),
    // a sweep that has it may move it all the same
    putRecord(SweepableDeposit, {
      ...known,
      gone: true,
      bookedBy: null,
      unbacked: known.sweepId === null ? 0n : known.unbacked
    })
  ]
}
