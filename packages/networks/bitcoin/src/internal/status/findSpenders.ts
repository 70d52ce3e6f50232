import type { Transaction } from "bitcoinjs-lib"
import { Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import { absent, decoded, isUnknown, toChainError } from "../rpc/NodeAnswer.ts"
import { readTransactions, type WholeBlock } from "../read/readTransactions.ts"
import { headerOfHash } from "../read/readHeader.ts"
import { TransactionPlace, type VerboseHeader } from "../rpc/wire.ts"
import { spendsOf } from "../build/SignedTransaction.ts"

const doing = "find what has spent a coin"

/** A transaction of the main chain. */
export interface Spender {
  readonly txHash: string
  readonly transaction: Transaction
  /** Its block as it stands now. */
  readonly header: VerboseHeader
}

/**
 * Blocks that were searched in vain, without a gap, down to the lowest. A chain that has one of the newest has all of them below it: what a
 * block contains follows from its hash.
 */
interface Searched {
  /** From the newest down; as many as a reorganisation may replace. */
  readonly newest: ReadonlyArray<string>
  /** The heights of the newest and of the lowest. */
  readonly highest: number
  readonly lowest: number
  /** The block before the lowest; undefined where that is the first of all. */
  readonly below: string | undefined
}

/** What earlier searches came to, by the outputs that were looked for. */
export interface KnownSpenders {
  /** What was found. Each is looked at again before it counts. */
  readonly found: Map<string, Spender>
  /** Where nothing was found: those of one search share what they remember. */
  readonly searched: Map<string, Searched>
}

/** Nothing was looked for yet. */
export const makeKnownSpenders = (): KnownSpenders => ({ found: new Map(), searched: new Map() })

/** How many outputs are remembered. */
const knownMax = 10_000

/** So many of the newest blocks are remembered: where a reorganisation replaces more, all is searched again. */
const newestMax = 100

/** Where to look, and how far. */
export interface SpenderSearch {
  readonly rpc: BitcoinRpc
  readonly known: KnownSpenders
  /** How many of the newest blocks are looked through, and how many below these by one search. */
  readonly searchBlocksMax: number
  /** The lowest block that may contain a spender; undefined where that is not known, and nothing is looked for below the newest. */
  readonly since: number | undefined
  /** The node's newest block. */
  readonly tip: string
  /**
   * Whether what was found says enough: where it does, the others are not looked for below it. Above it they are, whatever was known before, so that
   * what two searches of one chain find has something in common.
   */
  readonly isEnough: (found: ReadonlyMap<string, Spender>) => boolean
}

/** The header of a block of the main chain; undefined where it is in none, or in none any more. */
const activeHeader = (rpc: BitcoinRpc, hash: string): Effect.Effect<VerboseHeader | undefined, ChainError> =>
  headerOfHash(rpc, doing, hash).pipe(
    Effect.catchIf(
      ({ reason }) => reason === "absent",
      () => Effect.succeed(undefined)
    )
  )

const remember = <A>(known: Map<string, A>, outpoint: string, what: A): void => {
  const oldest = known.keys().next()
  if (known.size >= knownMax && !known.has(outpoint) && oldest.done !== true) known.delete(oldest.value)
  known.set(outpoint, what)
}

/** What two searches have both looked through; undefined where they have no block in common. */
const overlap = (one: Searched, other: Searched): Searched | undefined => {
  if (one === other) return one
  const [older, newer] = one.highest <= other.highest ? [one, other] : [other, one]
  const at = older.newest.findIndex((hash) => newer.newest.includes(hash))
  const highest = older.highest - at
  const { below, lowest } = older.lowest >= newer.lowest ? older : newer
  return at < 0 || lowest > highest ? undefined : { newest: older.newest.slice(at), highest, lowest, below }
}

/** What was searched for all of these outputs together. */
const searchedFor = ({ searched }: KnownSpenders, outpoints: ReadonlySet<string>): Searched | undefined => {
  const [first, ...others] = [...outpoints].map((outpoint) => searched.get(outpoint))
  return others.reduce((all, one) => (all === undefined || one === undefined ? undefined : overlap(all, one)), first)
}

/** Blocks that are searched now, with those that were searched before where they meet these. */
const joined = (above: Searched | undefined, before: Searched, met: string): Searched => {
  const at = before.newest.indexOf(met)
  return {
    ...before,
    newest: [...(above?.newest ?? []), ...before.newest.slice(at)].slice(0, newestMax),
    highest: above?.highest ?? before.highest - at
  }
}

/** With the next lower block. */
const withBlock = (above: Searched | undefined, { hash, height, previousblockhash }: VerboseHeader): Searched => ({
  newest: [...(above?.newest ?? []), hash].slice(0, newestMax),
  highest: above?.highest ?? height,
  lowest: height,
  below: previousblockhash
})

/** The transactions of a block that spend some of the outputs, by those outputs. */
const spendersIn = ({ header, transactions }: WholeBlock, wanted: ReadonlySet<string>) =>
  transactions.flatMap((transaction) =>
    spendsOf(transaction)
      .filter((outpoint) => wanted.has(outpoint))
      .map((outpoint): readonly [string, Spender] => [outpoint, { txHash: transaction.getId(), transaction, header }])
  )

/**
 * The block that the node's index of transactions names for one; undefined where it has no index, or does not know it. The
 * index goes on naming a block that was lost, so nothing follows from it until the block's own header says that it counts.
 */
const indexedBlock = (rpc: BitcoinRpc, txHash: string): Effect.Effect<string | undefined, ChainError> =>
  rpc.call(doing, "getrawtransaction", [txHash, true]).pipe(
    Effect.flatMap((answer) => decoded(doing, TransactionPlace, answer)),
    Effect.map(({ blockhash }) => blockhash),
    Effect.catchTag("NodeRefusal", (refusal) =>
      isUnknown(refusal) ? Effect.succeed(undefined) : Effect.fail(toChainError(refusal))
    )
  )

/**
 * Looks through the blocks from the newest down, but for those that were searched before. How far it came is remembered at every block, so that what
 * is broken off goes on from there.
 */
const search = Effect.fnUntraced(function* (
  { known, rpc, searchBlocksMax, since = Infinity, tip }: SpenderSearch,
  left: ReadonlySet<string>,
  look: (block: WholeBlock) => void,
  isOver: (lowest: number) => boolean
): Effect.fn.Return<void, ChainError> {
  let before = searchedFor(known, left)
  let searched: Searched | undefined
  let hash: string | undefined = tip
  let read = 0
  while (!isOver(searched?.lowest ?? Infinity)) {
    if (hash !== undefined && before?.newest.includes(hash) === true) {
      searched = joined(searched, before, hash)
      before = undefined
    } else {
      const blocks: number = searched === undefined ? 0 : searched.highest - searched.lowest + 1
      const goesOn: boolean = blocks < searchBlocksMax || (read < searchBlocksMax && (searched?.lowest ?? 0) > since)
      if (!goesOn || hash === undefined) {
        // what was known before may lie deeper than is searched
        if (isOver(0)) return
        const words = `${[...left].join(", ")} neither unspent nor spent in the newest ${blocks} blocks of the node`
        return yield* absent(doing, words)
      }
      const block: WholeBlock = yield* readTransactions(rpc, hash)
      read += 1
      look(block)
      searched = withBlock(searched, block.header)
    }
    hash = searched.below
    // until it meets them, what was searched before reaches further; where too much is new for that, the next search goes on from these
    const isLong = searched.highest - searched.lowest + 1 >= Math.min(searchBlocksMax, newestMax)
    if (before === undefined || isLong) for (const outpoint of left) remember(known.searched, outpoint, searched)
  }
})

/**
 * Finds in the main chain what has spent each of these outputs, which the node does not have as unspent any more.
 *
 * **Details**
 *
 * The proof is always a block: its header is in the main chain now, its bytes hash to it, and the transaction is among them. What
 * was found before is asked for first, then the blocks that the index names for `ours`, then the blocks from the newest down.
 * The search ends as soon as what was found in the blocks that were searched is enough. `absent` where an output was not found in `searchBlocksMax` blocks: then it may never have been in this chain, or the node lags,
 * and nothing follows. Whoever asks that again and again has only the blocks read that are new since, and as many below these as the search may go
 * down (`since`), `searchBlocksMax` at a time.
 */
export const findSpenders = Effect.fn("BitcoinSender.findSpenders")(function* (
  within: SpenderSearch,
  outpoints: ReadonlyArray<string>,
  ours: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyMap<string, Spender>, ChainError> {
  const { isEnough, known, rpc } = within
  const found = new Map<string, Spender>()
  const left = new Set(outpoints)
  const look = (block: WholeBlock) => {
    for (const [outpoint, spender] of spendersIn(block, left)) {
      found.set(outpoint, spender)
      remember(known.found, outpoint, spender)
      left.delete(outpoint)
    }
  }
  for (const outpoint of outpoints) {
    const before = known.found.get(outpoint)
    const header = before === undefined ? undefined : yield* activeHeader(rpc, before.header.hash)
    if (before === undefined || header === undefined) {
      known.found.delete(outpoint)
      continue
    }
    found.set(outpoint, { ...before, header })
    left.delete(outpoint)
  }
  for (const txHash of ours) {
    if (left.size === 0) return found
    const hash = yield* indexedBlock(rpc, txHash)
    const header = hash === undefined ? undefined : yield* activeHeader(rpc, hash)
    if (header !== undefined) look(yield* readTransactions(rpc, header.hash))
  }
  const isOver = (lowest: number) =>
    left.size === 0 || isEnough(new Map([...found].filter(([, { header }]) => header.height >= lowest)))
  yield* search(within, left, look, isOver)
  return found
})
