import { amountText, moneyText } from "./bytes.ts"
import { Rejection } from "./Rejection.ts"
import type { Tx } from "./Tx.ts"

/** A transaction with its fee. */
interface Paying extends Tx {
  readonly fee: bigint
}

/** A replacement, and what it would push out. */
export interface Replacement {
  readonly entry: Paying
  /** What spends the same coins. */
  readonly conflicts: ReadonlyArray<Paying>
  /** These, with all that depends on them. */
  readonly replaced: ReadonlyArray<Paying>
  /** What waits and the replacement spends from, directly, or at all. */
  readonly parents: ReadonlyArray<Tx>
  readonly ancestors: ReadonlyArray<Tx>
}

const replacedMax = 100

/** What a replacement must add: sat per 1,000 vB. */
const incrementalRate = 1_000n

const rate = ({ fee, vsize }: Paying): bigint => (fee * 1_000n) / BigInt(vsize)
const rateText = (paying: Paying): string => `${amountText(rate(paying))} BTC/kvB`

/**
 * Whether it may replace what it is in conflict with: throws a `Rejection` if not. Replacing need not have been signalled: full
 * RBF, the only policy since Bitcoin Core 29. Rules 2 to 5 of BIP 125, and the higher fee rate that Bitcoin Core adds to them.
 */
export const checkReplacement = ({ ancestors, conflicts, entry, parents, replaced }: Replacement): void => {
  const { fee, txid, vsize } = entry
  const refuse = (words: string) =>
    new Rejection("insufficient fee", `insufficient fee, rejecting replacement ${txid}${words}`)
  const spent = ancestors.find((ancestor) => conflicts.some((conflict) => conflict.txid === ancestor.txid))
  if (spent !== undefined) {
    const reason = "bad-txns-spends-conflicting-tx"
    throw new Rejection(reason, `${reason}, ${txid} spends conflicting transaction ${spent.txid}`)
  }
  const better = conflicts.find((conflict) => rate(entry) <= rate(conflict))
  if (better !== undefined) throw refuse(`; new feerate ${rateText(entry)} <= old feerate ${rateText(better)}`)
  if (replaced.length > replacedMax) {
    const reason = "too many potential replacements"
    throw new Rejection(
      reason,
      `${reason}, rejecting replacement ${txid}; too many potential replacements (${replaced.length} > ${replacedMax})`
    )
  }
  const allowed = new Set(conflicts.flatMap(({ spends }) => spends.map((key) => key.slice(0, 64))))
  const added = parents.find((parent) => !allowed.has(parent.txid))
  if (added !== undefined) {
    const reason = "replacement-adds-unconfirmed"
    const input = entry.spends.findIndex((key) => key.startsWith(added.txid))
    throw new Rejection(reason, `${reason}, replacement ${txid} adds unconfirmed input, idx ${input}`)
  }
  const feesBefore = replaced.reduce((sum, one) => sum + one.fee, 0n)
  if (fee < feesBefore) {
    throw refuse(`, less fees than conflicting txs; ${moneyText(fee)} < ${moneyText(feesBefore)}`)
  }
  const relay = (BigInt(vsize) * incrementalRate + 999n) / 1_000n
  if (fee - feesBefore < relay) {
    throw refuse(`, not enough additional fees to relay; ${moneyText(fee - feesBefore)} < ${moneyText(relay)}`)
  }
}
