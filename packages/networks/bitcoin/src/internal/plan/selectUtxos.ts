import type { Utxo } from "@bursar/core/port/Utxo"
import type { UtxoSizes } from "./UtxoSizes.ts"
import { type UtxoTarget, feeAt, inputWeight, payFromUtxos, sumOf } from "./payFromUtxos.ts"

/** What coins are to be chosen for, and from what. */
export interface UtxoChoice {
  /**
   * What may be chosen: unspent, confirmed, and reserved for nothing else. Coins that only wait for a block must not be among
   * them: a payment that spends one cannot take effect before the other, and may never.
   */
  readonly utxos: ReadonlyArray<Utxo>
  /** Who is to get what; one at least. */
  readonly targets: ReadonlyArray<UtxoTarget>
  /** The canonical address that gets what is left. */
  readonly changeTo: string
  /** Satoshi per 1,000 virtual bytes. */
  readonly feeRate: bigint
  /**
   * A higher rate that should be payable later from the change, by a replacement of the transaction; null for none. Where the
   * coins do not suffice for it, they are chosen for `feeRate` alone.
   */
  readonly reserveRate: bigint | null
  readonly sizes: UtxoSizes
  /** How many UTXOs a transaction may spend at most. Default 500, some 34,000 virtual bytes of the 100,000 that nodes relay. */
  readonly utxosMax?: number
}

/** The coins of a transaction, or how much is missing for it. */
export type UtxoSelection =
  | {
      readonly _tag: "Selected"
      readonly utxos: ReadonlyArray<Utxo>
      /** What the transaction costs at the fee rate, in satoshi: what is expected, not what is promised. */
      readonly fee: bigint
      /** 0 where what is left is too little to be paid: then it is in the fee. */
      readonly change: bigint
    }
  | {
      readonly _tag: "Missing"
      /** So much more would suffice, in satoshi, if it came as a UTXO that costs nothing to spend. */
      readonly units: bigint
    }

/** How many UTXOs are spent at most where nothing else is said. */
export const utxosMaxDefault = 500

/** The largest first; among equals by their place in the chain's own names, so that the same coins give the same choice. */
const byUnits = (one: Utxo, other: Utxo): number => {
  if (one.units !== other.units) return one.units > other.units ? -1 : 1
  if (one.txHash !== other.txHash) return one.txHash < other.txHash ? -1 : 1
  return one.vout - other.vout
}

/** The coins that can be spent and bring more than they cost, the largest first. */
const worthwhile = ({ utxos, sizes }: UtxoChoice, feeRate: bigint): ReadonlyArray<Utxo> =>
  utxos
    .filter((utxo) => {
      const weight = inputWeight(sizes, utxo)
      return weight !== null && utxo.units * 4n > feeAt(feeRate, weight)
    })
    .toSorted(byUnits)

const selectAt = (choice: UtxoChoice, feeRate: bigint): ReadonlyArray<Utxo> | bigint => {
  const { changeTo, utxosMax = utxosMaxDefault, sizes, targets } = choice
  const offered = worthwhile(choice, feeRate)
  const balanceOf = (utxos: ReadonlyArray<Utxo>) =>
    payFromUtxos({ utxos, targets, changeTo, sizes, feeOf: (vbytes) => feeAt(feeRate, vbytes) })
  const limit = Math.min(utxosMax, offered.length)
  let taken = 0
  // Below the sum of what is to be paid nothing suffices: no need to weigh it.
  for (let sum = 0n; taken < limit && sum < sumOf(targets); taken++) sum += offered[taken]?.units ?? 0n
  while (taken < limit && balanceOf(offered.slice(0, taken))._tag === "Missing") taken++
  const balance = balanceOf(offered.slice(0, taken))
  if (balance._tag === "Missing") return balance.units
  // The smallest that will do in place of the last: large coins stay free for large payments.
  const first = offered.slice(0, taken - 1)
  const short = sumOf(targets) - sumOf(first)
  const others = offered.slice(taken - 1).filter(({ units }) => units >= short)
  const last = others.findLast((utxo) => balanceOf([...first, utxo])._tag === "Enough")
  return last === undefined ? offered.slice(0, taken) : [...first, last]
}

/**
 * Chooses the UTXOs of a transaction, the largest first, and in place of the last the smallest that will do.
 *
 * **Details**
 *
 * So it spends as few UTXOs as can be, and a payment that one UTXO covers spends the smallest such UTXO: the change of a UTXO
 * is locked until its block is final, so large coins are left alone. Coins that cost more to spend than they hold, and
 * coins that cannot be spent here, are not chosen. Change that is dust goes to the fee.
 *
 * The same coins give the same choice, in whatever order they come. Pure: it is run before the UTXOs are reserved, and again where
 * that fails. The transaction that is built from them later pays what the network asks for then.
 */
export const selectUtxos = (choice: UtxoChoice): UtxoSelection => {
  const { changeTo, feeRate, reserveRate, sizes, targets } = choice
  if (targets.length === 0) throw new Error("coins are chosen for one target at least")
  const reserved = reserveRate === null || reserveRate <= feeRate ? undefined : selectAt(choice, reserveRate)
  const found = typeof reserved === "object" ? reserved : selectAt(choice, feeRate)
  if (typeof found === "bigint") return { _tag: "Missing", units: found }
  const balance = payFromUtxos({
    utxos: found,
    targets,
    changeTo,
    sizes,
    feeOf: (vbytes) => feeAt(feeRate, vbytes)
  })
  if (balance._tag === "Missing") return balance
  return { _tag: "Selected", utxos: found, fee: balance.fee, change: balance.change }
}
