import { Block } from "bitcoinjs-lib"
import { fromHex, shown } from "./bytes.ts"
import { outpoint, toTx, type Tx } from "./Tx.ts"

/** An output that can be spent. */
export interface Coin {
  readonly script: Uint8Array
  readonly value: bigint
  readonly height: number
  readonly coinbase: boolean
}

/** A block that was seen, in the main chain or not. */
export interface StoredBlock {
  readonly block: Block
  readonly hash: string
  readonly height: number
  readonly parent: string
  readonly transactions: ReadonlyArray<Tx>
  /** The median of the times of this block and the ten before it, in seconds. */
  readonly medianTime: number
  /** What each transaction spent, in the order of its inputs; filled when the block is connected. */
  spent: ReadonlyArray<ReadonlyArray<Coin>>
}

/** What changed in the main chain: blocks that left it, the highest first, and blocks that joined it, the lowest first. */
export interface Activation {
  readonly disconnected: ReadonlyArray<StoredBlock>
  readonly connected: ReadonlyArray<StoredBlock>
}

/** All blocks that were seen, the main chain among them, and what can be spent at its tip. */
export interface ChainState {
  /** In the order of arrival: parents before their children. */
  readonly blocks: ReadonlyMap<string, StoredBlock>
  /** By height. */
  readonly active: ReadonlyArray<StoredBlock>
  readonly invalid: ReadonlySet<string>
  readonly coins: ReadonlyMap<string, Coin>
  /** The block that each transaction was last connected in. As in Bitcoin Core, a reorganisation does not take it back. */
  readonly index: ReadonlyMap<string, StoredBlock>
  readonly tip: () => StoredBlock
  /** The block that joined the main chain last, which it may have left since. */
  readonly lastConnected: () => StoredBlock
  readonly isActive: (block: StoredBlock) => boolean
  /** Stores a block whose parent is known and makes it the tip if it has the most work. It must have been checked. */
  readonly add: (block: Block) => Activation
  /** Bars a block and all above it from the main chain. Undefined if it is not known. */
  readonly invalidate: (hash: string) => Activation | undefined
  /** Takes that back, for the block and all that are above or below it. */
  readonly reconsider: (hash: string) => Activation | undefined
}

/** Blocks whose times make the median. */
const medianSpan = 11

// Bitcoin Core, `kernel/chainparams.cpp`: version 1, time 1296688602, bits 0x207fffff, nonce 2.
const genesisHex =
  "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa" +
  "4b1e5e4adae5494dffff7f20020000000101000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d" +
  "0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f" +
  "722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f355" +
  "04e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000"

const isUnspendable = (script: Uint8Array): boolean => script[0] === 0x6a

/** The regtest chain with nothing but its first block, whose coins cannot be spent. */
export const makeChainState = (): ChainState => {
  const blocks = new Map<string, StoredBlock>()
  const active: Array<StoredBlock> = []
  const invalid = new Set<string>()
  const coins = new Map<string, Coin>()
  const index = new Map<string, StoredBlock>()
  let newest: StoredBlock | undefined

  const store = (block: Block): StoredBlock => {
    const parent = block.prevHash === undefined ? "" : shown(block.prevHash)
    const before = blocks.get(parent)
    const times = [block.timestamp]
    for (let one = before; one !== undefined && times.length < medianSpan; one = blocks.get(one.parent)) {
      times.push(one.block.timestamp)
    }
    const sorted = times.toSorted((a, b) => a - b)
    const stored: StoredBlock = {
      block,
      hash: block.getId(),
      height: before === undefined ? 0 : before.height + 1,
      parent,
      transactions: (block.transactions ?? []).map(toTx),
      medianTime: sorted[Math.floor(sorted.length / 2)] ?? block.timestamp,
      spent: []
    }
    blocks.set(stored.hash, stored)
    return stored
  }

  const take = (key: string): Coin => {
    const coin = coins.get(key)
    if (coin === undefined) throw new Error(`${key} cannot be spent: the block was not checked`)
    coins.delete(key)
    return coin
  }

  const connect = (block: StoredBlock): void => {
    newest = block
    block.spent = block.transactions.map(({ spends, transaction, txid }) => {
      const spent = spends.map(take)
      transaction.outs.forEach(({ script, value }, vout) => {
        if (isUnspendable(script)) return
        coins.set(outpoint(txid, vout), { script, value, height: block.height, coinbase: transaction.isCoinbase() })
      })
      index.set(txid, block)
      return spent
    })
    active.push(block)
  }

  const disconnect = (block: StoredBlock): void => {
    for (const [at, { spends, transaction, txid }] of [...block.transactions.entries()].toReversed()) {
      transaction.outs.forEach((_, vout) => coins.delete(outpoint(txid, vout)))
      spends.forEach((key, input) => {
        const coin = block.spent[at]?.[input]
        if (coin !== undefined) coins.set(key, coin)
      })
    }
    active.pop()
  }

  const isActive = (block: StoredBlock): boolean => active[block.height]?.hash === block.hash

  const activate = (target: StoredBlock): Activation => {
    const connected: Array<StoredBlock> = []
    let fork: StoredBlock | undefined = target
    while (fork !== undefined && !isActive(fork)) {
      connected.unshift(fork)
      fork = blocks.get(fork.parent)
    }
    const disconnected = active.slice((fork?.height ?? -1) + 1).toReversed()
    disconnected.forEach(disconnect)
    connected.forEach(connect)
    return { disconnected, connected }
  }

  /** Every block has the same work: the highest wins, the first seen among equals, and the tip before all others. */
  const best = (): StoredBlock => {
    const barred = new Set<string>()
    let found: StoredBlock | undefined
    for (const block of blocks.values()) {
      if (invalid.has(block.hash) || barred.has(block.parent)) barred.add(block.hash)
      else if (found === undefined || block.height > found.height) found = block
    }
    const tip = active.at(-1)
    if (found === undefined) throw new Error("the first block is barred")
    return tip !== undefined && !barred.has(tip.hash) && tip.height >= found.height ? tip : found
  }

  const tip = (): StoredBlock => {
    const found = active.at(-1)
    if (found === undefined) throw new Error("there is no block")
    return found
  }

  const genesis = store(Block.fromBuffer(fromHex(genesisHex)))
  connect(genesis)
  coins.clear()
  index.clear()

  return {
    blocks,
    active,
    invalid,
    coins,
    index,
    tip,
    lastConnected: () => newest ?? tip(),
    isActive,
    add: (block) => {
      const stored = blocks.get(block.getId()) ?? store(block)
      return stored.parent === tip().hash && !invalid.has(stored.hash) ? activate(stored) : activate(best())
    },
    invalidate: (hash) => {
      const block = blocks.get(hash)
      if (block === undefined) return undefined
      if (block.height === 0) return { disconnected: [], connected: [] }
      invalid.add(hash)
      return activate(best())
    },
    reconsider: (hash) => {
      const block = blocks.get(hash)
      if (block === undefined) return undefined
      for (let one: StoredBlock | undefined = block; one !== undefined; one = blocks.get(one.parent))
        invalid.delete(one.hash)
      const above = new Set([hash])
      for (const one of blocks.values()) {
        if (!above.has(one.parent)) continue
        above.add(one.hash)
        invalid.delete(one.hash)
      }
      return activate(best())
    }
  }
}
