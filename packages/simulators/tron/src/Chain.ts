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
  readonly reorg: (depth: number, keep: boolean | "together", now: number) => void
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

/** The blocks of a chain, with the places of their transactions. */
const makeBlocks = () => {
  const all: Array<Block> = []
  const heights = new Map<string, number>()
  const places = new Map<string, number>()
  const head = (): Block => {
    const last = all.at(-1)
    if (last === undefined) throw new Error("the chain has no blocks")
    return last
  }
  const at = (height: number | undefined): Block | undefined => (height === undefined ? undefined : all[height])
  const push = (block: Block): void => {
    all.push(block)
    heights.set(block.id, block.number)
    for (const { transaction } of block.executed) places.set(transaction.id, block.number)
  }
  push(seal(undefined, genesisTime, 0, [], new Map()))
  return {
    head,
    at,
    push,
    pop: (): Block => {
      const block = head()
      all.pop()
      heights.delete(block.id)
      for (const { transaction } of block.executed) places.delete(transaction.id)
      return block
    },
    /** The blocks from a height on. */
    from: (height: number): ReadonlyArray<Block> => all.slice(height),
    byId: (id: string) => at(heights.get(id)),
    find: (id: string) => {
      const block = at(places.get(id))
      const executed = block?.executed.find(({ transaction }) => transaction.id === id)
      return block === undefined || executed === undefined ? undefined : { block, executed }
    },
    has: (id: string): boolean => places.has(id)
  }
}

type Blocks = ReturnType<typeof makeBlocks>

const checkReference = ({ at, head }: Blocks, { raw }: Transaction): void => {
  const { number } = head()
  const back = (number - Number.parseInt(raw.refBlockBytes || "0", 16)) % referenceWindow
  const block = at(number - (back < 0 ? back + referenceWindow : back))
  if (raw.refBlockBytes.length !== 4 || block === undefined || referenceOf(block).refBlockHash !== raw.refBlockHash) {
    throw new Refused("TAPOS_ERROR", "Tapos check error.")
  }
}

const checkExpiration = ({ head }: Blocks, { raw }: Transaction): void => {
  const time = BigInt(head().time)
  if (raw.expiration <= time || raw.expiration > time + parameters.expirationAheadMsMax) {
    throw new Refused("TRANSACTION_EXPIRATION_ERROR", "Transaction expired")
  }
}

/** What comes of a transaction, with what takes it back; what is refused has been taken back. */
const tried = (store: Store, transaction: Transaction, now: number) => {
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

/** Executes transactions in a block that is made at a time, but for those that cannot be in it. */
const included = (
  store: Store,
  blocks: Blocks,
  { time, transactions }: { readonly time: number; readonly transactions: ReadonlyArray<Transaction> }
): ReadonlyArray<Executed> =>
  transactions.flatMap((transaction) => {
    try {
      checkReference(blocks, transaction)
      checkExpiration(blocks, transaction)
    } catch (error) {
      if (error instanceof Refused) return []
      throw error
    }
    const { result } = tried(store, transaction, time)
    return result instanceof Refused ? [] : [{ transaction, receipt: result }]
  })

/** A transaction that waits for a block, executed on the newest state. */
interface Waiting {
  readonly transaction: Transaction
  readonly undo: Undo
}

/** Looks at the state as it was. `laterThan` gives what has changed it after the block at a height, in order. */
const readingPast = (
  store: Store,
  laterThan: (height: number) => ReadonlyArray<{ readonly undo: Undo }>
): Pick<Chain, "past" | "read"> => ({
  read: (key, height) => {
    const later = laterThan(height).find(({ undo }) => undo.has(key))
    if (later !== undefined) return later.undo.get(key)
    return store.has(key) ? store.get(key) : undefined
  },
  past: (height, run) => {
    const { result, undo } = store.record(() => {
      for (const each of laterThan(height).toReversed()) store.undo(each.undo)
      return Result.try(run)
    })
    store.undo(undo)
    return Result.getOrThrow(result)
  }
})

/** The transactions that wait for a block. */
const makeWaiting = (store: Store, blocks: Blocks) => {
  let waiting: ReadonlyArray<Waiting> = []
  const checkNew = ({ id }: Transaction): void => {
    if (blocks.has(id) || waiting.some(({ transaction }) => transaction.id === id)) {
      throw new Refused("DUP_TRANSACTION_ERROR", "Dup transaction.")
    }
  }
  const submit: Chain["submit"] = (transaction, now) => {
    if (encode(transaction).length / 2 > parameters.transactionBytesMax) {
      throw new Refused("TOO_BIG_TRANSACTION_ERROR", "Transaction size is too big.")
    }
    checkExpiration(blocks, transaction)
    checkSignatures(transaction)
    checkReference(blocks, transaction)
    checkNew(transaction)
    const { result, undo } = tried(store, transaction, now)
    if (result instanceof Refused) throw result
    waiting = [...waiting, { transaction, undo }]
  }
  return {
    all: () => waiting,
    submit,
    /** Takes back all that waits. */
    withdraw: (): ReadonlyArray<Transaction> => {
      const transactions = waiting.map(({ transaction }) => transaction)
      for (const { undo } of waiting.toReversed()) store.undo(undo)
      waiting = []
      return transactions
    },
    /** What still can be in a block waits for one again. */
    resubmit: (transactions: ReadonlyArray<Transaction>, now: number): void => {
      for (const transaction of transactions) {
        try {
          submit(transaction, now)
        } catch (error) {
          if (!(error instanceof Refused)) throw error
        }
      }
    }
  }
}

/** A chain that has its first block alone, or all of a snapshot. Throws when the snapshot does not lead to its own head. */
export const makeChain = (solidifiedLag: number, snapshot?: Snapshot): Chain => {
  const store = makeStore()
  allot(store)
  const blocks = makeBlocks()
  const { at, byId, find, head } = blocks
  const waiting = makeWaiting(store, blocks)
  let fork = 0

  const append = (transactions: ReadonlyArray<Transaction>, time: number): Block => {
    const { result: executed, undo } = store.record(() => included(store, blocks, { time, transactions }))
    const block = seal(head(), time, fork, executed, undo)
    blocks.push(block)
    return block
  }
  const pop = (): Block => {
    const block = blocks.pop()
    store.undo(block.undo)
    return block
  }
  /** Time does not stand still, and after many blocks at once it runs ahead of the clock by as little as can be. */
  const timeOf = (now: number): number => Math.max(head().time + 1, now)

  for (const { fork: forked, time, transactions } of snapshot?.blocks ?? []) {
    fork = forked
    append(
      transactions.flatMap((hex) => decode(hex) ?? []),
      time
    )
  }
  if (snapshot !== undefined && head().id !== snapshot.head) throw new Error("the blocks do not lead to the head")
  return {
    store,
    head,
    solid: () => Math.max(0, head().number - solidifiedLag),
    at,
    byId,
    find,
    pending: () => waiting.all().map(({ transaction }) => transaction),
    ...readingPast(store, (height) => [...blocks.from(height + 1), ...waiting.all()]),
    submit: waiting.submit,
    mine: (now) => append(waiting.withdraw(), timeOf(now)),
    reorg: (depth, keep, now) => {
      const waited = waiting.withdraw()
      const lost = Array.from({ length: depth }, pop).toReversed()
      fork += 1
      const kept = lost.map((block) => (keep === false ? [] : block.executed.map(({ transaction }) => transaction)))
      const again = keep === "together" ? [...kept.slice(1).map(() => []), kept.flat()] : kept
      for (const transactions of again) append(transactions, timeOf(now))
      waiting.resubmit(waited, now)
    },
    snapshot: () => ({
      version: 1,
      head: head().id,
      blocks: blocks.from(1).map((block) => ({
        time: block.time,
        fork: block.fork,
        transactions: block.executed.map(({ transaction }) => encode(transaction))
      }))
    })
  }
}
