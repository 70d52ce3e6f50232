import { Effect, Result, Schema } from "effect"
import type { Block, BlockRef, ChainError, Transfer, UnreadTransaction } from "@bursar/core/port/Chain"
import type { Rpc } from "../rpc/Rpc.ts"
import { emptyRoot } from "./emptyRoot.ts"
import { unreadGains } from "./gains.ts"
import { namedIn } from "./namedIn.ts"
import { absent, decoded, inconsistent, isLostState, toChainError } from "../rpc/NodeAnswer.ts"
import type { NodeTraits } from "../rpc/NodeTraits.ts"
import { readReceipts } from "./readReceipts.ts"
import { readTraces, type Trace } from "./readTraces.ts"
import { readWithdrawals } from "./readWithdrawals.ts"
import { nativeTransfers, tokenTransfers } from "./transfersOf.ts"
import {
  FullBlock,
  Hash,
  Header,
  isKnownType,
  type PlacedTransaction,
  type Receipt,
  same,
  understood
} from "../rpc/wire.ts"

/** What a header says, in the words of the port. */
export const refOf = ({ hash, number, parentHash, timestamp }: Header): BlockRef => ({
  number: Number(number),
  hash: hash.toLowerCase(),
  parentHash: parentHash.toLowerCase(),
  time: Number(timestamp) * 1000
})

/** What a block says that contradicts itself or the hash it was asked by, or undefined. */
const fault = (hash: string, block: FullBlock): string | undefined => {
  if (!same(block.hash, hash)) return `the node answered with block ${block.hash}`
  if ((block.transactions.length === 0) !== same(block.transactionsRoot, emptyRoot)) {
    return `${block.transactions.length} transactions contradict the root ${block.transactionsRoot}`
  }
  const hashes = new Set<string>()
  for (const [index, transaction] of block.transactions.entries()) {
    if (!same(transaction.blockHash, hash)) return `transaction ${index} is of block ${transaction.blockHash}`
    if (Number(transaction.blockNumber) !== Number(block.number)) return `transaction ${index} is of another height`
    if (Number(transaction.transactionIndex) !== index) {
      return `transaction ${index} has index ${Number(transaction.transactionIndex)}`
    }
    hashes.add(transaction.hash.toLowerCase())
  }
  return hashes.size === block.transactions.length ? undefined : "a transaction stands in the block twice"
}

/** A header by height or tag. Null, the node's word for "none", is `absent`. */
export const readHeader = Effect.fn("EvmReader.readHeader")(function* (
  rpc: Rpc,
  at: number | "latest"
): Effect.fn.Return<BlockRef, ChainError> {
  const doing = `read header ${at}`
  const answer = yield* rpc.ask(doing, "eth_getBlockByNumber", [
    typeof at === "number" ? `0x${at.toString(16)}` : at,
    false
  ])
  const header = refOf(yield* decoded(rpc.network, doing, Header, answer))
  if (typeof at === "number" && header.number !== at) {
    return yield* inconsistent(rpc.network, doing, `the node answered with block ${header.number}`)
  }
  return header
})

/** How a network's blocks are read. */
export interface BlockOptions {
  readonly contracts: ReadonlyMap<string, string>
  readonly traits: NodeTraits
  readonly rooted: boolean
  readonly traced: boolean
  /** What withdrawals are paid in, where it is known. */
  readonly withdrawals: "coin" | undefined
}

/** What was read of a transaction, and why the rest could not be. */
interface ReadTransaction {
  readonly hash: string
  readonly transfers: ReadonlyArray<Transfer>
  /** Tokens that a failure may have left in effect; null where nothing tells which it may have moved. */
  readonly doubtful: ReadonlyArray<Transfer> | null
  readonly unread: string | undefined
  readonly names: () => ReadonlyArray<string>
}

const readTransaction = (
  { contracts }: BlockOptions,
  placed: PlacedTransaction,
  receipt: Receipt | undefined,
  trace: Trace
): ReadTransaction => {
  const hash = placed.hash.toLowerCase()
  const names = () => namedIn(placed, receipt)
  const nothing = { hash, names, transfers: [], doubtful: [] }
  // without its logs nothing tells of tokens
  if (receipt === undefined)
    return { ...nothing, doubtful: null, unread: "its kind is not known, nor how its receipt is to be read" }
  const tokens = tokenTransfers(contracts, placed, receipt)
  const transaction = understood(placed)
  if (transaction === undefined) {
    const unread = isKnownType(placed)
      ? "what it says of itself is malformed"
      : `its kind, ${String(placed.type).slice(0, 20)}, is not known`
    return receipt.status === "0x1"
      ? { ...nothing, transfers: tokens, unread }
      : { ...nothing, doubtful: tokens, unread }
  }
  const traced = trace !== undefined && "traced" in trace ? trace.traced : undefined
  const contradicted = trace !== undefined && "unread" in trace && trace.contradicts === true
  const native = contradicted ? [] : nativeTransfers(transaction, receipt, traced)
  return {
    ...nothing,
    transfers: receipt.status === "0x1" ? [...tokens, ...native] : native,
    unread: trace !== undefined && "unread" in trace ? trace.unread : undefined
  }
}

/** The most transactions of a block whose balances are compared. */
const comparedMax = 100

/** What a transaction may have brought beyond what was read of it; null where nothing tells. */
const gainsOf = (rpc: Rpc, { doubtful, hash, transfers }: ReadTransaction, index: number) =>
  // balances of coin are not all of it where tokens may have moved that nothing tells of
  doubtful === null || index >= comparedMax
    ? Effect.succeed(null)
    : Effect.map(unreadGains(rpc, hash, transfers), (gains) =>
        gains === null ? null : [...gains, ...doubtful.map(({ contract, to, units }) => ({ contract, to, units }))]
      )

/** What is said of transactions that could not be read whole, with what they may have moved. */
const unreadOf = (rpc: Rpc, read: ReadonlyArray<ReadTransaction>) =>
  Effect.forEach(
    read.filter(({ unread }) => unread !== undefined),
    (one, index) =>
      Effect.map(gainsOf(rpc, one, index), (gains): UnreadTransaction => ({
        txHash: one.hash,
        reason: one.unread ?? "",
        gains,
        ...(gains === null ? { names: one.names() } : {})
      })),
    { concurrency: rpc.callsMax }
  )

/** What is not seen of a block whose state the node does not keep. */
const unseenCoin = "coin that contracts sent in the block, because the node keeps its state no more"

/** What is told of such a block beside what was read: of coin that contracts sent nothing tells whom it paid. */
const withStateGone = (hash: string, why: string, unread: ReadonlyArray<UnreadTransaction>) => {
  const [ofBlock, others] = [
    unread.filter(({ txHash }) => txHash === hash),
    unread.filter(({ txHash }) => txHash !== hash)
  ]
  const reason = [
    `the coin that contracts sent in the block is not seen: ${why}; it needs a node that keeps more of the past`,
    ...ofBlock.map((one) => one.reason)
  ].join("; ")
  return { unread: [...others, { txHash: hash, reason, gains: null }], unseen: unseenCoin, isStateGone: true } as const
}

/**
 * A block by its hash with all that it moved, in three calls: the block, its receipts, and its traces unless `traced` is false.
 * What contradicts the block fails it; a transaction that cannot be read whole is told of in `unread` and keeps no other from being
 * read. So does a node that keeps the state of the block no more: tokens, and coin that transactions send themselves, need none.
 */
export const readBlock = Effect.fn("EvmReader.readBlock")(function* (
  rpc: Rpc,
  options: BlockOptions,
  hash: string
): Effect.fn.Return<Block, ChainError> {
  const doing = `read block ${hash}`
  if (!Schema.is(Hash)(hash)) return yield* absent(rpc.network, doing, "this is not a block hash")
  const answer = yield* rpc.ask(doing, "eth_getBlockByHash", [hash, true])
  const block = yield* decoded(rpc.network, doing, FullBlock, answer)
  const wrong = fault(hash, block)
  if (wrong !== undefined) return yield* inconsistent(rpc.network, doing, wrong)
  const withdrawn = readWithdrawals(block, options)
  if (Result.isFailure(withdrawn)) return yield* inconsistent(rpc.network, doing, withdrawn.failure)
  const receipts = yield* readReceipts(rpc, options, block)
  let stateGone: string | undefined
  const traces = options.traced
    ? yield* readTraces(rpc, options.traits, block, receipts).pipe(
        Effect.catchTag("NodeRefusal", (refusal) => {
          if (!isLostState(refusal)) return Effect.fail(toChainError(rpc.network)(refusal))
          stateGone = `the node refused: ${refusal.detail} (${refusal.code})`
          return Effect.succeed([])
        })
      )
    : []
  const read = block.transactions.map((transaction, index) =>
    readTransaction(options, transaction, receipts[index], traces[index])
  )
  const unread = [...(yield* unreadOf(rpc, read)), ...withdrawn.success.unread]
  const transfers = [...read.flatMap((one) => one.transfers), ...withdrawn.success.transfers]
  const ref = refOf(block)
  if (stateGone !== undefined) return { ...ref, transfers, ...withStateGone(ref.hash, stateGone, unread) }
  return { ...ref, transfers, ...(unread.length === 0 ? {} : { unread }) }
})
