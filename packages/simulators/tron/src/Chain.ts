import { Result } from "effect"
import { type Block, type Executed, seal } from "./Block.ts"
import { checkSignatures, execute, Refused } from "./execute.ts"
import { accounts, genesisTime } from "./genesis.ts"
import { tokens } from "./contracts.ts"
import * as parameters from "./parameters.ts"
import { keys, makeStore, type Store, type Undo } from "./Store.ts"
import { decode, encode, type Transaction } from "./Transaction.ts"

/** What a chain is made of, without what follows from it. */
export interface Snapshot {
  readonly version: 1
  readonly head: string
  /** The blocks from height 1 on: their transactions in hexadecimal. */
  readonly blocks: ReadonlyArray<{
    readonly time: number
    readonly fork: number
    readonly transactions: ReadonlyArray<string>
  }>
}

/** The local chain: blocks, their state, and the transactions that wait for one. It does everything at once and awaits nothing. */
export interface Chain {
  readonly store: Store
  readonly head: () => Block
  /** The height up to which blocks cannot be replaced. */
  readonly solid: () => number
  readonly at: (height: number) => Block | undefined
  readonly byId: (id: string) => Block | undefined
  /** A transaction that is in a block. */
  readonly find: (id: string) => { readonly block: Block; readonly executed: Executed } | undefined
  readonly pending: () => ReadonlyArray<Transaction>
  /** An entry of the state as it was after the block at a height; undefined where there was none. */
  readonly read: (key: string, height: number) => bigint | undefined
  /** Runs something on the state as it was after the block at a height, and takes back what it did. */
  readonly past: <A>(height: number, run: () => A) => A
  /** Takes a transaction; throws {@link Refused}. Times are milliseconds. */
  readonly submit: (transaction: Transaction, now: number) => void
  readonly mine: (now: number) => Block
  /** Replaces the newest blocks, whose transactions are mined again in their places if `keep`. None of them may be solid. */
  readonly reorg: (depth: number, keep: boolean, now: number) => void
  readonly snapshot: () => Snapshot
}

const referenceWindow = 65_536

/** The two bytes by which a transaction names a block, and the eight of its id. */
export const referenceOf = (block: Block): { readonly refBlockBytes: string; readonly refBlockHash: string } => ({
  refBlockBytes: (block.number % referenceWindow).toString(16).padStart(4, "0"),
  refBlockHash: block.id.slice(16, 32)
})

const allot = (store: Store): void => {
  for (const { address, sun, tokenUnits } of accounts) {
    store.set(keys.balance(address), sun)
    store.set(keys.since(address), BigInt(genesisTime))
    for (const token of tokens) {
      store.set(keys.token(token.address, address), tokenUnits)
      store.add(keys.supply(token.address), tokenUnits)
    }
  }
}

/** A chain that has its first block alone, or all of a snapshot. Throws when the snapshot does not lead to its own head. */
export const makeChain = (solidifiedLag: number, snapshot?: Snapshot): Chain => {
  const store = makeStore()
  allot(store)
  const blocks: Array<Block> = [seal(undefined, genesisTime, 0, [], new Map())]
  const heights = new Map<string, number>()
  const places = new Map<string, number>()
  let waiting: ReadonlyArray<{ readonly transaction: Transaction; readonly undo: Undo }> = []
  let fork = 0

  const head = (): Block => {
    const last = blocks.at(-1)
    if (last === undefined) throw new Error("the chain has no blocks")
    return last
  }
  heights.set(head().id, 0)

  const checkReference = ({ raw }: Transaction): void => {
    const { number } = head()
    const back = (number - Number.parseInt(raw.refBlockBytes || "0", 16)) % referenceWindow
    const block = blocks[number - (back < 0 ? back + referenceWindow : back)]
    if (raw.refBlockBytes.length !== 4 || block === undefined || referenceOf(block).refBlockHash !== raw.refBlockHash) {
      throw new Refused("TAPOS_ERROR", "Tapos check error.")
    }
  }
  const checkExpiration = ({ raw }: Transaction): void => {
    const time = BigInt(head().time)
    if (raw.expiration <= time || raw.expiration > time + parameters.expirationAheadMsMax) {
      throw new Refused("TRANSACTION_EXPIRATION_ERROR", "Transaction expired")
    }
  }
  const checkNew = ({ id }: Transaction): void => {
    if (places.has(id) || waiting.some(({ transaction }) => transaction.id === id)) {
      throw new Refused("DUP_TRANSACTION_ERROR", "Dup transaction.")
    }
  }
  const tried = (transaction: Transaction, now: number) => {
    const { result, undo } = store.record(() => {
      try {
        return execute(store, transaction, BigInt(now))
      } catch (error) {
        if (error instanceof Refused) return error
        throw error
      }
    })
    if (result instanceof Refused) store.undo(undo)
    return { result, undo }
  }
  const include = (transaction: Transaction, time: number): ReadonlyArray<Executed> => {
    try {
      checkReference(transaction)
      checkExpiration(transaction)
    } catch (error) {
      if (error instanceof Refused) return []
      throw error
    }
    const { result } = tried(transaction, time)
    return result instanceof Refused ? [] : [{ transaction, receipt: result }]
  }
  const withdraw = (): ReadonlyArray<Transaction> => {
    const transactions = waiting.map(({ transaction }) => transaction)
    for (const { undo } of waiting.toReversed()) store.undo(undo)
    waiting = []
    return transactions
  }
  const append = (transactions: ReadonlyArray<Transaction>, time: number): Block => {
    const { result: executed, undo } = store.record(() => transactions.flatMap((each) => include(each, time)))
    const block = seal(head(), time, fork, executed, undo)
    blocks.push(block)
    heights.set(block.id, block.number)
    for (const { transaction } of executed) places.set(transaction.id, block.number)
    return block
  }
  /** Time does not stand still, and after many blocks at once it runs ahead of the clock by as little as can be. */
  const timeOf = (now: number): number => Math.max(head().time + 1, now)
  const submit: Chain["submit"] = (transaction, now) => {
    if (encode(transaction).length / 2 > parameters.transactionBytesMax) {
      throw new Refused("TOO_BIG_TRANSACTION_ERROR", "Transaction size is too big.")
    }
    checkExpiration(transaction)
    checkSignatures(transaction)
    checkReference(transaction)
    checkNew(transaction)
    const { result, undo } = tried(transaction, now)
    if (result instanceof Refused) throw result
    waiting = [...waiting, { transaction, undo }]
  }
  const pop = (): Block => {
    const block = head()
    store.undo(block.undo)
    blocks.pop()
    heights.delete(block.id)
    for (const { transaction } of block.executed) places.delete(transaction.id)
    return block
  }
  /** What still can be in a block waits for one again. */
  const resubmit = (transactions: ReadonlyArray<Transaction>, now: number): void => {
    for (const transaction of transactions) {
      try {
        submit(transaction, now)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
      }
    }
  }
  const chain: Chain = {
    store,
    head,
    solid: () => Math.max(0, head().number - solidifiedLag),
    at: (height) => blocks[height],
    byId: (id) => {
      const height = heights.get(id)
      return height === undefined ? undefined : blocks[height]
    },
    find: (id) => {
      const height = places.get(id)
      const block = height === undefined ? undefined : blocks[height]
      const executed = block?.executed.find(({ transaction }) => transaction.id === id)
      return block === undefined || executed === undefined ? undefined : { block, executed }
    },
    pending: () => waiting.map(({ transaction }) => transaction),
    read: (key, height) => {
      const later = [...blocks.slice(height + 1), ...waiting].find(({ undo }) => undo.has(key))
      if (later !== undefined) return later.undo.get(key)
      return store.has(key) ? store.get(key) : undefined
    },
    past: (height, run) => {
      const later = [...blocks.slice(height + 1), ...waiting].toReversed()
      const { result, undo } = store.record(() => {
        for (const each of later) store.undo(each.undo)
        return Result.try(run)
      })
      store.undo(undo)
      return Result.getOrThrow(result)
    },
    submit,
    mine: (now) => append(withdraw(), timeOf(now)),
    reorg: (depth, keep, now) => {
      const waited = withdraw()
      const lost = Array.from({ length: depth }, pop).toReversed()
      fork += 1
      for (const block of lost) {
        append(keep ? block.executed.map(({ transaction }) => transaction) : [], timeOf(now))
      }
      resubmit(waited, now)
    },
    snapshot: () => ({
      version: 1,
      head: head().id,
      blocks: blocks.slice(1).map((block) => ({
        time: block.time,
        fork: block.fork,
        transactions: block.executed.map(({ transaction }) => encode(transaction))
      }))
    })
  }
  for (const { fork: forked, time, transactions } of snapshot?.blocks ?? []) {
    fork = forked
    append(
      transactions.flatMap((hex) => decode(hex) ?? []),
      time
    )
  }
  if (snapshot !== undefined && head().id !== snapshot.head) throw new Error("the blocks do not lead to the head")
  return chain
}
