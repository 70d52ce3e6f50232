import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Result, Schema } from "effect"
import type { Block, BlockRef, ChainError, Transfer, UnreadTransaction } from "@bursar/core/port/Chain"
import { fromHex } from "../../Address.ts"
import { contractOf, namedBy } from "./contractOf.ts"
import { type InnerCalls, type Shown, shownBy } from "./InnerCalls.ts"
import type { Node } from "../rpc/Node.ts"
import { absent, decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { headerIn, orUnreachable } from "./readHeader.ts"
import { readInfos, succeeded, type Transaction } from "./readInfos.ts"
import { transfersOf } from "./transfersOf.ts"
import { BlockAnswer, Hash, PlacedTransaction, type TransactionInfo } from "../rpc/wire.ts"

/** What a header says of a block without transactions. */
const emptyRoot = "0".repeat(64)

/** What a list of transactions says that contradicts the root of its block or itself, or undefined. */
const fault = (root: string, transactions: ReadonlyArray<Transaction>): string | undefined => {
  if ((transactions.length === 0) !== (root === emptyRoot)) {
    return `${transactions.length} transactions contradict the root ${root}`
  }
  const ids = new Set<string>()
  for (const { raw_data_hex: raw, txID } of transactions) {
    ids.add(txID)
    if (raw !== undefined && bytesToHex(sha256(hexToBytes(raw))) !== txID) return `transaction ${txID} has another id`
  }
  return ids.size === transactions.length ? undefined : "a transaction stands in the block twice"
}

/** The header and the transactions in an answer, checked against each other. */
export const transactionsIn = Effect.fnUntraced(function* (
  doing: string,
  answer: unknown
): Effect.fn.Return<readonly [BlockRef, ReadonlyArray<Transaction>], ChainError> {
  const header = yield* headerIn(doing, answer)
  if (header.number === 0) return [header, []]
  const { block_header: head, transactions: list = [] } = yield* decoded(doing, BlockAnswer, answer)
  const transactions = yield* Effect.forEach(list, (one) =>
    Effect.map(decoded(doing, PlacedTransaction, one), (placed): Transaction => ({ ...placed, answer: one }))
  )
  const wrong = fault(head.raw_data.txTrieRoot ?? emptyRoot, transactions)
  return wrong === undefined ? [header, transactions] : yield* inconsistent(doing, wrong)
})

/** A block with all that the node says of its transactions. */
export interface FullBlock extends Block {
  readonly transactions: ReadonlyArray<Transaction>
  readonly infos: ReadonlyMap<string, TransactionInfo>
  /** What its calls of contracts show of the node. */
  readonly shown: ReadonlyArray<Shown>
}

/** What was read of a transaction that succeeded, and why the rest could not be. */
interface ReadTransaction {
  readonly transfers: ReadonlyArray<Transfer>
  readonly unread: UnreadTransaction | undefined
  readonly shown: Shown | undefined
}

const readTransaction = (
  contracts: ReadonlyMap<string, string>,
  transaction: Transaction,
  info: TransactionInfo
): ReadTransaction => {
  const { txID: txHash } = transaction
  const own = contractOf(transaction)
  const { native, called } = Result.getOrElse(own, () => ({ native: undefined, called: undefined }))
  const { transfers, unread } = transfersOf(contracts, info, native)
  const shown = called === undefined ? undefined : shownBy(contracts, called, info)
  if (unread !== undefined) return { transfers, shown, unread: { txHash, reason: unread, gains: null } }
  if (Result.isSuccess(own)) return { transfers, shown, unread: undefined }
  const gains = namedBy(transaction)?.map(({ to, units }) => ({ to: fromHex(to), contract: null, units })) ?? null
  return { transfers, shown, unread: { txHash, reason: own.failure, gains } }
}

/** A transaction whose info is too large to be read. */
const withoutInfo = ({ txID: txHash }: Transaction): ReadTransaction => ({
  transfers: [],
  unread: { txHash, reason: "what it did is too large to be read", gains: null },
  shown: undefined
})

/**
 * A block by its id with all that it moved, in three calls: the block, the infos of its transactions, and its header once more. Infos
 * that are too large for one answer take one call each.
 * Whatever does not add up fails the whole block; a transaction that cannot be read whole is one of its unread, and keeps no other from
 * being read. The block at height 0 has no infos, and what it allots is no transfer.
 */
export const readFullBlock = Effect.fn("TronReader.readBlock")(function* (
  node: Node,
  contracts: ReadonlyMap<string, string>,
  hash: string
): Effect.fn.Return<FullBlock, ChainError> {
  const doing = `read block ${hash}`
  if (!Schema.is(Hash)(hash)) return yield* absent(doing, "this is not a block id")
  const answer = yield* orUnreachable(node.http.call(doing, "wallet", "getblockbyid", { value: hash }))
  const [header, transactions] = yield* transactionsIn(doing, answer)
  if (header.hash !== hash) return yield* inconsistent(doing, `the node answered with block ${header.hash}`)
  const infos = yield* readInfos(node, header, transactions)
  const read = transactions.filter(succeeded).flatMap((transaction): ReadonlyArray<ReadTransaction> => {
    const info = infos.get(transaction.txID)
    return [info === undefined ? withoutInfo(transaction) : readTransaction(contracts, transaction, info)]
  })
  const unread = read.flatMap((one) => one.unread ?? [])
  return {
    ...header,
    transfers: read.flatMap((one) => one.transfers),
    ...(unread.length === 0 ? {} : { unread }),
    transactions,
    infos,
    shown: read.flatMap((one) => one.shown ?? [])
  }
})

/** {@link readFullBlock} for a reader: the block and its transfers; what it shows of the node is kept in mind. */
export const readBlock = (
  node: Node,
  contracts: ReadonlyMap<string, string>,
  inner: InnerCalls,
  hash: string
): Effect.Effect<Block, ChainError> =>
  Effect.map(
    readFullBlock(node, contracts, hash),
    ({ infos: _infos, shown, transactions: _transactions, ...block }) => {
      inner.observe(block.number, shown)
      const unseen = inner.unseen()
      return unseen === undefined ? block : { ...block, unseen }
    }
  )
