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

/** Where spenders were found before, by the outputs that they spend. Each is looked at again before it counts. */
export type KnownSpenders = Map<string, Spender>

/** How many spenders are remembered. */
const knownMax = 10_000

/** Where to look, and how far. */
export interface SpenderSearch {
  readonly rpc: BitcoinRpc
  readonly known: KnownSpenders
  readonly searchBlocksMax: number
  /** The node's newest block. */
  readonly tip: string
  /** Whether what was found says enough: where it does, the others are not looked for any more. */
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

const remember = (known: KnownSpenders, outpoint: string, spender: Spender): void => {
  const oldest = known.keys().next()
  if (known.size >= knownMax && oldest.done !== true) known.delete(oldest.value)
  known.set(outpoint, spender)
}

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
 * Finds in the main chain what has spent each of these outputs, which the node does not have as unspent any more.
 *
 * **Details**
 *
 * The proof is always a block: its header is in the main chain now, its bytes hash to it, and the transaction is among them. What
 * was found before is asked for first, then the blocks that the index names for `ours`, then the blocks from the newest down.
 * What was found is given as soon as it is enough. `absent` where an output was not found in `searchBlocksMax` blocks: then it may never have been in this chain, or the node lags,
 * and nothing follows.
 */
export const findSpenders = Effect.fn("BitcoinSender.findSpenders")(function* (
  { isEnough, known, rpc, searchBlocksMax, tip }: SpenderSearch,
  outpoints: ReadonlyArray<string>,
  ours: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyMap<string, Spender>, ChainError> {
  const found = new Map<string, Spender>()
  const left = new Set(outpoints)
  const look = (block: WholeBlock) => {
    for (const [outpoint, spender] of spendersIn(block, left)) {
      found.set(outpoint, spender)
      remember(known, outpoint, spender)
      left.delete(outpoint)
    }
  }
  for (const outpoint of outpoints) {
    const before = known.get(outpoint)
    const header = before === undefined ? undefined : yield* activeHeader(rpc, before.header.hash)
    if (before === undefined || header === undefined) {
      known.delete(outpoint)
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
  let hash: string | undefined = tip
  for (let blocks = 0; left.size > 0 && !isEnough(found); blocks++) {
    if (blocks >= searchBlocksMax || hash === undefined) {
      const words = `${[...left].join(", ")} neither unspent nor spent in the newest ${blocks} blocks of the node`
      return yield* absent(doing, words)
    }
    const block: WholeBlock = yield* readTransactions(rpc, hash)
    look(block)
    hash = block.header.previousblockhash
  }
  return found
})
