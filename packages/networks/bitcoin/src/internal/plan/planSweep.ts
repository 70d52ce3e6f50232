import type { PlannedDeposit, SweepPlan, SweepQuestion } from "@bursar/core/port/TransactionPlanner"
import type { Utxo } from "@bursar/core/port/Utxo"
import { feeAt, inputWeight, sumOf, vbytesOf } from "./payFromUtxos.ts"
import { scriptTypeOf, utxoSizes } from "./UtxoSizes.ts"

/** Deposits that wait, with what is known of how they are spent. */
export interface SweepChoice {
  readonly question: Pick<SweepQuestion, "costTimes" | "deposits" | "to">
  /** The public keys of addresses that do not tell how they are spent (P2SH), in hexadecimal. */
  readonly publicKeys: ReadonlyMap<string, string>
  /** Satoshi per 1,000 virtual bytes; null where the node cannot tell. */
  readonly feeRate: bigint | null
  /** How many UTXOs one transaction moves at most. */
  readonly utxosMax: number
}

/** Whether an address does not tell how its UTXOs are spent, so that its public key is needed. */
export const hidesKey = (address: string): boolean => scriptTypeOf(address) === "p2sh"

const byUnits = (one: PlannedDeposit, other: PlannedDeposit): number =>
  one.units === other.units ? 0 : one.units > other.units ? -1 : 1

/**
 * Chooses the UTXOs that one transaction moves, from many addresses, the largest first: each must be worth several times what it adds to
 * the fee. All that they hold is moved, and the fee is taken from it. Pure.
 */
export const planSweep = ({ feeRate, publicKeys, question, utxosMax }: SweepChoice): SweepPlan => {
  if (feeRate === null) return { _tag: "NotNow", reason: "cost_unknown" }
  const { costTimes, deposits, to } = question
  const utxoOf = ({ address, transferIndex, txHash, units }: PlannedDeposit): Utxo => {
    const publicKey = publicKeys.get(address)
    return { txHash, vout: transferIndex, units, address, ...(publicKey === undefined ? {} : { publicKey }) }
  }
  const worthwhile = deposits
    .filter((deposit) => {
      const weight = inputWeight(utxoSizes, deposit)
      if (weight === null || (hidesKey(deposit.address) && !publicKeys.has(deposit.address))) return false
      return deposit.units * 4n > BigInt(costTimes) * feeAt(feeRate, weight)
    })
    .toSorted(byUnits)
    .slice(0, utxosMax)
  if (worthwhile.length === 0) return { _tag: "NotNow", reason: "uneconomic" }
  const utxos = worthwhile.map(utxoOf)
  const fee = feeAt(feeRate, vbytesOf(utxos, [to], utxoSizes))
  const guard = { _tag: "Utxos", utxos, fee } as const
  return { _tag: "Sweep", from: to, deposits: worthwhile, units: sumOf(worthwhile), fee, guard }
}
