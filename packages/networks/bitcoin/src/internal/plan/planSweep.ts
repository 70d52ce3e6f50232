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

/**
 * How many P2PKH UTXOs one transaction moves at most. Each comes with the whole transaction that made it, of 1 MB at most without its witness, and a
 * signer reads 8 MiB of a request, in base64.
 */
const p2pkhMax = 5

/** As many as the signer is sure to read, in their order. */
const readable = (deposits: ReadonlyArray<PlannedDeposit>): ReadonlyArray<PlannedDeposit> => {
  const isP2pkh = ({ address }: PlannedDeposit) => scriptTypeOf(address) === "p2pkh"
  const taken = new Set(deposits.filter(isP2pkh).slice(0, p2pkhMax))
  return deposits.filter((deposit) => !isP2pkh(deposit) || taken.has(deposit))
}

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
  const paying = deposits.filter((deposit) => {
    const weight = inputWeight(utxoSizes, deposit)
    if (weight === null || (hidesKey(deposit.address) && !publicKeys.has(deposit.address))) return false
    return deposit.units * 4n > BigInt(costTimes) * feeAt(feeRate, weight)
  })
  const worthwhile = readable(paying.toSorted(byUnits)).slice(0, utxosMax)
  if (worthwhile.length === 0) return { _tag: "NotNow", reason: "uneconomic" }
  const utxos = worthwhile.map(utxoOf)
  const fee = feeAt(feeRate, vbytesOf(utxos, [to], utxoSizes))
  const guard = { _tag: "Utxos", utxos, fee } as const
  return { _tag: "Sweep", from: to, deposits: worthwhile, units: sumOf(worthwhile), fee, guard }
}
