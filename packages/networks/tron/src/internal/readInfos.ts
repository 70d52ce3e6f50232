import { Effect, Result } from "effect"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { Node } from "./Node.ts"
import { decoded, inconsistent, readable } from "./NodeAnswer.ts"
import { orUnreachable, readHeader } from "./readHeader.ts"
import { type PlacedTransaction, TransactionBody, type TransactionInfo, TransactionInfos } from "./wire.ts"

/** The contracts that the virtual machine runs. Their receipt says how that ended. */
const machine: ReadonlySet<string> = new Set(["TriggerSmartContract", "CreateSmartContract"])

/** A transaction in its block, and all that the node said of it. */
export interface Transaction extends PlacedTransaction {
  readonly answer: unknown
}

/** How a transaction ended, by its block. */
export const outcomeOf = ({ ret = [] }: PlacedTransaction): string => ret[0]?.contractRet ?? "DEFAULT"

/** Whether a transaction took effect. */
export const succeeded = (transaction: Transaction): boolean => outcomeOf(transaction) === "SUCCESS"

/** What an info says that contradicts its block or its transaction, or undefined. */
const faultOfInfo = (block: BlockRef, transaction: Transaction, info: TransactionInfo): string | undefined => {
  const at = `the info of transaction ${info.id}`
  if ((info.blockNumber ?? 0) !== block.number) return `${at} is of height ${info.blockNumber ?? 0}`
  if ((info.blockTimeStamp ?? 0) !== block.time) return `${at} is of a block of another time`
  const outcome = outcomeOf(transaction)
  const result = info.receipt?.result
  if (result !== undefined && result !== "DEFAULT" && result !== outcome) {
    return `${at} says ${result} where the block says ${outcome}`
  }
  if (outcome !== "SUCCESS") return undefined
  if (info.result === "FAILED") return `${at} says FAILED where the block says SUCCESS`
  const body = Result.getOrUndefined(readable(TransactionBody, transaction.answer))
  if (result === undefined && machine.has(body?.raw_data.contract[0]?.type ?? "")) {
    return `${at} does not say how the contract ended`
  }
  return undefined
}

/** What contradicts the block in a list of infos, or undefined. */
const fault = (
  block: BlockRef,
  transactions: ReadonlyArray<Transaction>,
  infos: ReadonlyMap<string, TransactionInfo>,
  count: number
): string | undefined => {
  if (count !== transactions.length) return `${count} infos for ${transactions.length} transactions`
  for (const transaction of transactions) {
    const info = infos.get(transaction.txID)
    if (info === undefined) return `the info of transaction ${transaction.txID} is missing`
    const wrong = faultOfInfo(block, transaction, info)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/**
 * The infos of a block by transaction. They can only be asked for by height, so they are checked against the block one by one,
 * and afterwards whether that block still stands there: an empty list is what a node says that does not have them yet.
 */
export const readInfos = Effect.fn("TronChain.readInfos")(function* (
  node: Node,
  block: BlockRef,
  transactions: ReadonlyArray<Transaction>
): Effect.fn.Return<ReadonlyMap<string, TransactionInfo>, ChainError> {
  if (transactions.length === 0) return new Map()
  const doing = `read the infos of block ${block.hash}`
  const answer = yield* orUnreachable(
    node.http.call(doing, "wallet", "gettransactioninfobyblocknum", { num: block.number })
  )
  const list = yield* decoded(doing, TransactionInfos, answer)
  const infos = new Map(list.map((info) => [info.id, info]))
  const wrong = fault(block, transactions, infos, list.length)
  if (wrong !== undefined) return yield* inconsistent(doing, wrong)
  const standing = yield* readHeader(node, "wallet", block.number)
  if (standing.hash !== block.hash) return yield* inconsistent(doing, `block ${standing.hash} has taken its place`)
  return infos
})
