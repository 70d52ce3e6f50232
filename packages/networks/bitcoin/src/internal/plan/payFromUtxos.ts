import type { Utxo } from "@bursar/core/port/Utxo"
import { type UtxoSizes, scriptTypeOf } from "./UtxoSizes.ts"

/** Somebody who is to get something. */
export interface UtxoTarget {
  readonly to: string
  readonly units: bigint
}

/** Which coins pay whom. */
export interface UtxoSpending {
  readonly utxos: ReadonlyArray<Utxo>
  readonly targets: ReadonlyArray<UtxoTarget>
  /** Who gets what is left. */
  readonly changeTo: string
  readonly sizes: UtxoSizes
  /** What a transaction of so many virtual bytes must pay, in satoshi. Not less for more bytes. */
  readonly feeOf: (vbytes: bigint) => bigint
}

/** How coins add up. */
export type UtxoBalance =
  | {
      readonly _tag: "Enough"
      /** What the transaction pays to its miner, in satoshi; change that is too little to be paid is part of it. */
      readonly fee: bigint
      /** 0 where there is none. */
      readonly change: bigint
      /** What it takes at most, in virtual bytes. */
      readonly vbytes: bigint
    }
  | { readonly _tag: "Missing"; readonly units: bigint }

const weightPerVbyte = 4n

/** What a rate in satoshi per 1,000 virtual bytes asks for so many, rounded up. */
export const feeAt = (feeRate: bigint, vbytes: bigint): bigint => (feeRate * vbytes + 999n) / 1000n

/** What a UTXO adds to a transaction, in weight units; null where it cannot be spent. */
export const inputWeight = (sizes: UtxoSizes, { address }: Pick<Utxo, "address">): bigint | null =>
  sizes.input[scriptTypeOf(address)]

/** The sum of some coins. */
export const sumOf = (parts: ReadonlyArray<{ readonly units: bigint }>): bigint =>
  parts.reduce((sum, { units }) => sum + units, 0n)

/** The most that such a transaction takes, in virtual bytes. Throws where a UTXO cannot be spent. */
export const vbytesOf = (utxos: ReadonlyArray<Utxo>, receivers: ReadonlyArray<string>, sizes: UtxoSizes): bigint => {
  let weight = sizes.base
  for (const utxo of utxos) {
    const input = inputWeight(sizes, utxo)
    if (input === null) throw new Error(`coins of ${utxo.address} cannot be spent`)
    weight += input
  }
  for (const to of receivers) weight += sizes.output[scriptTypeOf(to)]
  return (weight + weightPerVbyte - 1n) / weightPerVbyte
}

/**
 * What is left when all the UTXOs pay all the targets, and the fee; or what is missing.
 *
 * **Details**
 *
 * Change that a node would not relay (dust: 294 satoshi to P2WPKH, 330 to P2TR) goes to the fee. So does change that would
 * not pay for its own output.
 */
export const payFromUtxos = ({ changeTo, utxos, feeOf, sizes, targets }: UtxoSpending): UtxoBalance => {
  const receivers = targets.map(({ to }) => to)
  const left = sumOf(utxos) - sumOf(targets)
  const vbytesWithChange = vbytesOf(utxos, [...receivers, changeTo], sizes)
  const feeWithChange = feeOf(vbytesWithChange)
  const change = left - feeWithChange
  if (change >= sizes.dust[scriptTypeOf(changeTo)]) {
    return { _tag: "Enough", fee: feeWithChange, change, vbytes: vbytesWithChange }
  }
  // A transaction that pays nobody has its change alone.
  const vbytes = vbytesOf(utxos, receivers, sizes)
  const fee = feeOf(vbytes)
  if (targets.length > 0 && left >= fee) return { _tag: "Enough", fee: left, change: 0n, vbytes }
  return {
    _tag: "Missing",
    units: targets.length > 0 ? fee - left : feeWithChange + sizes.dust[scriptTypeOf(changeTo)] - left
  }
}
