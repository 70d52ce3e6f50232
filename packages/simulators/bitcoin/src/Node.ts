import type { Block } from "bitcoinjs-lib"
import { type Activation, type ChainState, makeChainState, type StoredBlock } from "./ChainState.ts"
import { makeMempool, type Mempool, type MempoolEntry } from "./Mempool.ts"
import { mineBlock } from "./mineBlock.ts"
import { outpoint, type Tx } from "./Tx.ts"

/** A regtest node: its chain and its mempool, and what moves them. Plain and synchronous; the time is given, in seconds. */
export interface Node {
  readonly chain: ChainState
  readonly mempool: Mempool
  /** Whether the newest block was, at least once, not older than a day: from then on the node does not take itself to be behind. */
  readonly isCurrent: (now: number) => boolean
  /** Mines the mempool to a script, block after block. */
  readonly mine: (count: number, script: Uint8Array, now: number) => ReadonlyArray<string>
  /** Mines one block of the given transactions, which must have been checked and be in order, with their fees. */
  readonly mineOnly: (transactions: ReadonlyArray<Tx>, fees: bigint, script: Uint8Array, now: number) => string
  /** Stores a block that was mined before. */
  readonly restore: (block: Block, now: number) => void
  /** False if the block is not known. */
  readonly invalidate: (hash: string, now: number) => boolean
  readonly reconsider: (hash: string, now: number) => boolean
  /**
   * Replaces the last `depth` blocks by as many new ones. What was in each old one is in the new one of its height, or it is dropped,
   * with all that depends on it.
   */
  readonly reorg: (depth: number, keep: boolean, script: Uint8Array, now: number) => void
}

/** How far the times of blocks may run ahead of the clock when many are mined at once. */
const aheadSecondsMax = 3_600

/** How old the newest block may be for a node that is not behind (Bitcoin Core, `DEFAULT_MAX_TIP_AGE`). */
const tipAgeSecondsMax = 86_400

/** Weight that is left to the header and the coinbase. */
const weightMax = 3_996_000

/** A block with nothing in it. */
const nothing = { transactions: [], fees: 0n }

const chosen = ({ entries }: Mempool): ReadonlyArray<MempoolEntry> => {
  let weight = 0
  // Parents come before their children. What waits longest goes first: a devnet's blocks are never full.
  return [...entries.values()].filter((entry) => (weight += entry.weight) <= weightMax)
}

/** A node with an empty chain. */
export const makeNode = (): Node => {
  const chain = makeChainState()
  const mempool = makeMempool(chain)
  let current = false

  const isCurrent = (now: number): boolean => {
    current ||= now - chain.tip().block.timestamp <= tipAgeSecondsMax
    return current
  }

  const follow = ({ connected, disconnected }: Activation, now: number): void => {
    isCurrent(now)
    connected.forEach(({ transactions }) => mempool.settle(transactions))
    if (disconnected.length === 0) return
    const lost = disconnected.toReversed().flatMap(({ transactions }) => transactions.slice(1))
    const included = new Set(connected.flatMap(({ transactions }) => transactions.map(({ txid }) => txid)))
    mempool.rebuild(
      lost.filter(({ txid }) => !included.has(txid)),
      now
    )
  }

  /** Every block is later than the one before, unless that would run away from the clock. */
  const timeOf = (now: number): number => {
    const { block, medianTime } = chain.tip()
    const next = Math.max(now, block.timestamp + 1)
    return next <= now + aheadSecondsMax ? next : Math.max(now, medianTime + 1)
  }

  const mineOnly: Node["mineOnly"] = (transactions, fees, script, now) => {
    const block = mineBlock(chain, { script, transactions, fees, time: timeOf(now) })
    follow(chain.add(block), now)
    return block.getId()
  }

  const mineNext = (script: Uint8Array, now: number): string => {
    const transactions = chosen(mempool)
    const fees = transactions.reduce((sum, { fee }) => sum + fee, 0n)
    return mineOnly(transactions, fees, script, now)
  }

  /** What was in a block that was lost, as far as it can be mined again: all of it, unless it spent a coinbase that was lost. */
  const again = ({ spent, transactions }: StoredBlock) => {
    const made = new Set<string>()
    const kept: Array<Tx> = []
    let fees = 0n
    for (const [at, tx] of transactions.entries()) {
      if (at === 0 || !tx.spends.every((key) => made.has(key) || chain.coins.has(key))) continue
      const { outs } = tx.transaction
      outs.forEach((_, vout) => made.add(outpoint(tx.txid, vout)))
      fees += (spent[at] ?? []).reduce((sum, { value }) => sum + value, 0n)
      fees -= outs.reduce((sum, { value }) => sum + value, 0n)
      kept.push(tx)
    }
    return { transactions: kept, fees }
  }

  const moved = (activation: Activation | undefined, now: number): boolean => {
    if (activation !== undefined) follow(activation, now)
    return activation !== undefined
  }

  return {
    chain,
    mempool,
    isCurrent,
    mine: (count, script, now) => Array.from({ length: count }, () => mineNext(script, now)),
    mineOnly,
    restore: (block, now) => follow(chain.add(block), now),
    invalidate: (hash, now) => moved(chain.invalidate(hash), now),
    reconsider: (hash, now) => moved(chain.reconsider(hash), now),
    reorg: (depth, keep, script, now) => {
      const lost = chain.active.slice(chain.tip().height - depth + 1)
      const [lowest] = lost
      if (lowest === undefined || lowest.height === 0) throw new Error("the chain is not that long")
      moved(chain.invalidate(lowest.hash), now)
      if (!keep) mempool.drop(lost.flatMap(({ transactions }) => transactions.map(({ txid }) => txid)))
      for (const block of lost) {
        const { fees, transactions } = keep ? again(block) : nothing
        mineOnly(transactions, fees, script, now)
      }
    }
  }
}
