import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Schema } from "effect"
import type { Block, BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { Node } from "./Node.ts"
import { absent, decoded, inconsistent } from "./NodeAnswer.ts"
import { headerIn, orUnreachable } from "./readHeader.ts"
import { readInfos, succeeded } from "./readInfos.ts"
import { type NativeMove, transfersOf } from "./transfersOf.ts"
import {
  BlockAnswer,
  Hash,
  type Transaction,
  type TransactionInfo,
  TransferContract,
  TriggerSmartContract
} from "./wire.ts"

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

/** What a transaction's own contract moves of the network's coin. Other contracts than these two move none to others. */
const nativeMove = Effect.fnUntraced(function* (
  doing: string,
  { raw_data: { contract: contracts } }: Transaction
): Effect.fn.Return<NativeMove | undefined, ChainError> {
  const [contract] = contracts
  if (contract?.type === "TransferContract") {
    const {
      amount,
      owner_address: from,
      to_address: to
    } = yield* decoded(doing, TransferContract, contract.parameter.value)
    return { from, to, units: BigInt(amount) }
  }
  if (contract?.type === "TriggerSmartContract") {
    const {
      call_value: value = 0,
      contract_address: to,
      owner_address: from
    } = yield* decoded(doing, TriggerSmartContract, contract.parameter.value)
    return { from, to, units: BigInt(value) }
  }
  return undefined
})

/** The header and the transactions in an answer, checked against each other. */
export const transactionsIn = Effect.fnUntraced(function* (
  doing: string,
  answer: unknown
): Effect.fn.Return<readonly [BlockRef, ReadonlyArray<Transaction>], ChainError> {
  const header = yield* headerIn(doing, answer)
  if (header.number === 0) return [header, []]
  const { block_header: head, transactions = [] } = yield* decoded(doing, BlockAnswer, answer)
  const wrong = fault(head.raw_data.txTrieRoot ?? emptyRoot, transactions)
  return wrong === undefined ? [header, transactions] : yield* inconsistent(doing, wrong)
})

/** A block with all that the node says of its transactions. */
export interface FullBlock extends Block {
  readonly transactions: ReadonlyArray<Transaction>
  readonly infos: ReadonlyMap<string, TransactionInfo>
}

/**
 * A block by its id with all that it moved, in three calls: the block, the infos of its transactions, and its header once more.
 * Whatever does not add up fails the whole block. The block at height 0 has no infos, and what it allots is no transfer.
 */
export const readFullBlock = Effect.fn("TronChain.readBlock")(function* (
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
  const transfers = yield* Effect.forEach(transactions.filter(succeeded), (transaction) =>
    Effect.map(nativeMove(doing, transaction), (native) => {
      const info = infos.get(transaction.txID)
      return info === undefined ? [] : transfersOf(contracts, info, native)
    })
  )
  return { ...header, transfers: transfers.flat(), transactions, infos }
})

/** {@link readFullBlock} for a reader: the block and its transfers. */
export const readBlock = (
  node: Node,
  contracts: ReadonlyMap<string, string>,
  hash: string
): Effect.Effect<Block, ChainError> =>
  Effect.map(readFullBlock(node, contracts, hash), ({ infos: _infos, transactions: _transactions, ...block }) => block)
