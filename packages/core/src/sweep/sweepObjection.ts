import type { Read } from "../engine/Read.ts"
import { readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { sweepableKey, SweepableDeposit } from "./SweepableDeposit.ts"
import { Sweep } from "./Sweep.ts"
import { DepositAddress } from "../address/DepositAddress.ts"
import type { SigningConditions } from "../transaction/PurposeRule.ts"

/** What is read to know whether a sweep's transaction may be signed. `sweeps` are those of its outbound transaction, as they were read. */
const objectionReads = (sweeps: ReadonlyArray<Sweep>): ReadonlyArray<Read> =>
  sweeps.flatMap(({ addressId, deposits }): ReadonlyArray<Read> => [
    readRecord(DepositAddress, addressId),
    ...deposits.map((deposit) => readRecord(SweepableDeposit, sweepableKey(deposit)))
  ])

/** Why nothing may be signed for a sweep's outbound transaction as things stand: an address is held, or a deposit is gone. Undefined where it may. */
const objectionTo = (view: View, transaction: OutboundTransaction, read: ReadonlyArray<Sweep>): string | undefined => {
  if (transaction.purpose !== "SWEEP") return undefined
  const sweeps = view.group(Sweep, transaction.id)
  if (sweeps.length === 0) return "it is of no sweep"
  for (const { addressId, deposits, id } of sweeps) {
    if (!read.some((one) => one.id === id)) return "its sweeps are not those that were read"
    if (view.get(DepositAddress, addressId)?.sweepHold !== null) return `address ${addressId} is held`
    const gone = deposits.find((deposit) => {
      const sweepable = view.get(SweepableDeposit, sweepableKey(deposit))
      return sweepable === undefined || sweepable.gone || sweepable.sweepId !== id
    })
    if (gone !== undefined) return `deposit ${gone.depositId} is not there any more`
  }
  return undefined
}

/** A transaction that sweeps is signed only while nothing holds its addresses and all that it moves is there. `sweeps` are all of them, as they were read. */
export const sweepConditions = (sweeps: ReadonlyArray<Sweep>): SigningConditions => ({
  purposes: ["SWEEP"],
  reads: objectionReads(sweeps),
  objection: (view, transaction) => objectionTo(view, transaction, sweeps)
})

/**
 * What is signed for sweeps already may be stored while nothing holds their addresses, whatever has become of their deposits: what is there is moved, and
 * a number that is signed for is used up by it. `sweeps` are all of them, as they were read.
 */
export const unheldConditions = (sweeps: ReadonlyArray<Sweep>): SigningConditions => ({
  purposes: ["SWEEP"],
  reads: sweeps.map(({ addressId }) => readRecord(DepositAddress, addressId)),
  objection: (view) => {
    const held = sweeps.find(({ addressId }) => (view.get(DepositAddress, addressId)?.sweepHold ?? null) !== null)
    return held && `address ${held.addressId} is held`
  }
})
