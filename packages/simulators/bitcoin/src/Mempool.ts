import type { ChainState, Coin } from "./ChainState.ts"
import {
  checkAmounts,
  checkFinal,
  checkForm,
  checkSequences,
  checkStandard,
  type NextBlock
} from "./checkTransaction.ts"
import { Rejection } from "./Rejection.ts"
import { checkReplacement } from "./replacement.ts"
import { outpoint, type Tx } from "./Tx.ts"
import { verifyInput } from "./verifyInput.ts"

/** A transaction that waits for a block. */
export interface MempoolEntry extends Tx {
  readonly fee: bigint
  /** When it came, in seconds. */
  readonly time: number
  /** The height of the tip when it came. */
  readonly height: number
}

/** The transactions that wait for a block. Every one could be in the next, together with those it depends on. */
export interface Mempool {
  /** In the order in which they came: parents before their children. */
  readonly entries: ReadonlyMap<string, MempoolEntry>
  /** Counts what came and what left, from 1. */
  readonly sequence: () => number
  /** Whether it was handed in here and no peer has asked for it, which none ever does: nobody is told again of what came out of a block. */
  readonly isUnbroadcast: (txid: string) => boolean
  /** Which transaction of the pool spends an output. */
  readonly spenderOf: (outpoint: string) => string | undefined
  readonly parentsOf: (tx: Tx) => ReadonlyArray<MempoolEntry>
  readonly childrenOf: (tx: Tx) => ReadonlyArray<MempoolEntry>
  /** The transaction with all that depends on it, or that it depends on, in the order of the pool. */
  readonly descendantsOf: (tx: Tx) => ReadonlyArray<MempoolEntry>
  readonly ancestorsOf: (tx: Tx) => ReadonlyArray<MempoolEntry>
  /** Judges a transaction as if it came now: throws a `Rejection`, or gives the entry and what it would replace. */
  readonly judge: (tx: Tx, time: number) => Judgement
  /** Takes a transaction. Throws a `Rejection`. */
  readonly accept: (tx: Tx, time: number) => MempoolEntry
  /** Drops transactions with all that depends on them. */
  readonly drop: (txids: ReadonlyArray<string>) => void
  /** Takes out what is in a block, and drops what is in conflict with it. */
  readonly settle: (transactions: ReadonlyArray<Tx>) => void
  /** Judges everything anew after blocks were lost; `returned` come back, before all others. */
  readonly rebuild: (returned: ReadonlyArray<Tx>, time: number) => void
}

/** What became of a transaction that was judged. */
export interface Judgement {
  readonly entry: MempoolEntry
  readonly replaced: ReadonlyArray<MempoolEntry>
}

/** The lowest fee that is relayed: sat per 1,000 vB (Bitcoin Core, `policy.h`). */
const feeRateMin = 1_000n

const chainMax = 25

const feeMin = (vsize: number): bigint => (BigInt(vsize) * feeRateMin + 999n) / 1_000n

/** The reason of a transaction whose inputs are not there; it may be in the chain already, or lost. */
export const missingInputs = "missing-inputs"

const reach = (start: ReadonlyArray<MempoolEntry>, next: (entry: MempoolEntry) => ReadonlyArray<MempoolEntry>) => {
  const found = new Map(start.map((entry) => [entry.txid, entry]))
  for (const entry of found.values()) next(entry).forEach((other) => found.set(other.txid, other))
  return found
}

/** The empty pool of a chain. */
export const makeMempool = (chain: ChainState): Mempool => {
  const entries = new Map<string, MempoolEntry>()
  const spenders = new Map<string, string>()
  const unbroadcast = new Set<string>()
  let sequence = 1

  const inOrder = (found: ReadonlyMap<string, MempoolEntry>) =>
    [...entries.values()].filter(({ txid }) => found.has(txid))
  const known = (txids: ReadonlyArray<string | undefined>): ReadonlyArray<MempoolEntry> => {
    const found = txids.map((txid) => (txid === undefined ? undefined : entries.get(txid)))
    return [...new Set(found.filter((entry) => entry !== undefined))]
  }
  const parentsOf = ({ spends }: Tx) => known(spends.map((key) => key.slice(0, 64)))
  const childrenOf = ({ transaction, txid }: Tx) =>
    known(transaction.outs.map((_, vout) => spenders.get(outpoint(txid, vout))))
  const self = ({ txid }: Tx) => known([txid])
  const descendantsOf = (tx: Tx) => inOrder(reach([...self(tx), ...childrenOf(tx)], childrenOf))
  const ancestorsOf = (tx: Tx) => inOrder(reach([...self(tx), ...parentsOf(tx)], parentsOf))

  const nextBlock = (): NextBlock => ({
    height: chain.tip().height + 1,
    medianTime: chain.tip().medianTime,
    medianTimeAt: (height) => chain.active[height]?.medianTime ?? 0
  })

  const coinOf = (key: string, height: number): Coin | undefined => {
    const parent = entries.get(key.slice(0, 64))
    const out = parent?.transaction.outs[Number(key.slice(65))]
    return out === undefined ? chain.coins.get(key) : { ...out, height, coinbase: false }
  }

  const coinsOf = (tx: Tx, height: number): ReadonlyArray<Coin> => {
    const coins = tx.spends.map((key) => coinOf(key, height))
    const found = coins.filter((coin) => coin !== undefined)
    if (found.length === coins.length) return found
    const mined = tx.transaction.outs.some((_, vout) => chain.coins.has(outpoint(tx.txid, vout)))
    throw new Rejection(mined ? "txn-already-known" : missingInputs)
  }

  const checkScripts = (tx: Tx, coins: ReadonlyArray<Coin>): void => {
    tx.transaction.ins.forEach((_, input) => {
      const wrong = verifyInput(tx.transaction, input, coins)
      if (wrong === undefined) return
      const reason = `mempool-script-verify-flag-failed (${wrong})`
      const where = `input ${input} of ${tx.txid} (wtxid ${tx.wtxid}), spending ${tx.spends[input]}`
      throw new Rejection(reason, `${reason}, ${where}`)
    })
  }

  const checkFamily = (tx: Tx, replaced: ReadonlySet<string>): void => {
    const reason = "too-long-mempool-chain"
    const ancestors = ancestorsOf(tx).filter(({ txid }) => !replaced.has(txid))
    if (ancestors.length + 1 > chainMax) {
      throw new Rejection(reason, `${reason}, too many unconfirmed ancestors [limit: ${chainMax}]`)
    }
    for (const ancestor of ancestors) {
      if (descendantsOf(ancestor).length + 1 > chainMax) {
        const detail = `too many descendants for tx ${ancestor.txid} [limit: ${chainMax}]`
        throw new Rejection(reason, `${reason}, ${detail}`)
      }
    }
  }

  const judge = (tx: Tx, time: number): Judgement => {
    const next = nextBlock()
    checkForm(tx)
    checkStandard(tx)
    checkFinal(tx, next)
    const same = entries.get(tx.txid)
    if (same?.wtxid === tx.wtxid) throw new Rejection("txn-already-in-mempool")
    if (same !== undefined) throw new Rejection("txn-same-nonwitness-data-in-mempool")
    const coins = coinsOf(tx, next.height)
    checkSequences(tx, coins, next)
    const fee = checkAmounts(tx, coins, next)
    if (fee < feeMin(tx.vsize)) {
      const reason = "min relay fee not met"
      throw new Rejection(reason, `${reason}, ${fee} < ${feeMin(tx.vsize)}`)
    }
    const conflicts = known(tx.spends.map((key) => spenders.get(key)))
    const replaced = inOrder(reach(conflicts, childrenOf))
    const entry: MempoolEntry = { ...tx, fee, time, height: next.height - 1 }
    if (conflicts.length > 0)
      checkReplacement({ entry, conflicts, replaced, parents: parentsOf(tx), ancestors: ancestorsOf(tx) })
    checkFamily(tx, new Set(replaced.map(({ txid }) => txid)))
    checkScripts(tx, coins)
    return { entry, replaced }
  }

  const remove = (entry: MempoolEntry): void => {
    if (entries.delete(entry.txid)) sequence += 1
    unbroadcast.delete(entry.txid)
    entry.spends.forEach((key) => spenders.delete(key))
  }

  const accept = (tx: Tx, time: number): MempoolEntry => {
    const { entry, replaced } = judge(tx, time)
    replaced.forEach(remove)
    entries.set(entry.txid, entry)
    entry.spends.forEach((key) => spenders.set(key, entry.txid))
    unbroadcast.add(tx.txid)
    sequence += 1
    return entry
  }

  const drop = (txids: ReadonlyArray<string>): void => known(txids).flatMap(descendantsOf).forEach(remove)

  const acceptAgain = (tx: Tx, time: number): void => {
    try {
      // Nothing is replaced by what comes back: it was there first.
      if (!tx.spends.some((key) => spenders.has(key))) accept(tx, time)
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
    }
  }

  return {
    entries,
    sequence: () => sequence,
    isUnbroadcast: (txid) => unbroadcast.has(txid),
    spenderOf: (key) => spenders.get(key),
    parentsOf,
    childrenOf,
    descendantsOf,
    ancestorsOf,
    judge,
    accept,
    drop,
    settle: (transactions) => {
      known(transactions.map(({ txid }) => txid)).forEach(remove)
      drop(transactions.flatMap(({ spends }) => spends.flatMap((key) => spenders.get(key) ?? [])))
    },
    rebuild: (returned, time) => {
      const before = [...entries.values()]
      const sequenceBefore = sequence
      const unbroadcastBefore = new Set(unbroadcast)
      entries.clear()
      spenders.clear()
      returned.forEach((tx) => acceptAgain(tx, time))
      before.forEach((entry) => acceptAgain(entry, entry.time))
      for (const txid of entries.keys()) if (!unbroadcastBefore.has(txid)) unbroadcast.delete(txid)
      const left = before.filter(({ txid }) => !entries.has(txid)).length
      sequence = sequenceBefore + left + (entries.size - (before.length - left))
    }
  }
}
