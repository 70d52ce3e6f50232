import { Effect, Result } from "effect"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { Node } from "../rpc/Node.ts"
import { decoded, inconsistent, readable } from "../rpc/NodeAnswer.ts"
import { orUnreachable, readHeader } from "./readHeader.ts"
import { type PlacedTransaction, TransactionBody, TransactionInfo, TransactionInfos } from "../rpc/wire.ts"

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

/** Infos as the node gave them. */
interface Given {
  readonly list: ReadonlyArray<TransactionInfo>
  /** Transactions whose info is larger than what is read of an answer. */
  readonly tooLarge: ReadonlySet<string>
}

/** What contradicts the block in its infos, or undefined. */
const fault = (
  block: BlockRef,
  transactions: ReadonlyArray<Transaction>,
  infos: ReadonlyMap<string, TransactionInfo>,
  { list, tooLarge }: Given
): string | undefined => {
  if (list.length + tooLarge.size !== transactions.length) {
    return `${list.length} infos for ${transactions.length} transactions`
  }
  for (const transaction of transactions) {
    if (tooLarge.has(transaction.txID)) continue
    const info = infos.get(transaction.txID)
    if (info === undefined) return `the info of transaction ${transaction.txID} is missing`
    const wrong = faultOfInfo(block, transaction, info)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** How many infos are asked for at once where each may be large. */
const largeInfosAtOnce = 2

/** The infos of transactions, each by an answer of its own. */
const infosOneByOne = Effect.fnUntraced(function* (
  node: Node,
  doing: string,
  transactions: ReadonlyArray<Transaction>
): Effect.fn.Return<Given, ChainError> {
  const tooLarge = new Set<string>()
  const infoOf = ({ txID }: Transaction) =>
    node.http.callSized(doing, "wallet", "gettransactioninfobyid", { value: txID }).pipe(
      Effect.flatMap((answer) => decoded(doing, TransactionInfo, answer)),
      Effect.map((info) => [info]),
      Effect.catchTag("AnswerTooLarge", () => {
        tooLarge.add(txID)
        return Effect.succeed([])
      }),
      orUnreachable
    )
  const infos = yield* Effect.forEach(transactions, infoOf, { concurrency: largeInfosAtOnce })
  return { list: infos.flat(), tooLarge }
})

/** The infos of a block in one answer, or one by one where that answer is too large. */
const infosOf = (
  node: Node,
  doing: string,
  block: BlockRef,
  transactions: ReadonlyArray<Transaction>
): Effect.Effect<Given, ChainError> =>
  node.http.callSized(doing, "wallet", "gettransactioninfobyblocknum", { num: block.number }).pipe(
    Effect.flatMap((answer) => decoded(doing, TransactionInfos, answer)),
    Effect.map((list): Given => ({ list, tooLarge: new Set() })),
    Effect.catchTag("AnswerTooLarge", () => infosOneByOne(node, doing, transactions)),
    orUnreachable
  )

/**
 * The infos of a block by transaction. They can only be asked for by height, so they are checked against the block one by one,
 * and afterwards whether that block still stands there: an empty list is what a node says that does not have them yet. Anybody can make
 * infos that are larger than what is read of an answer; they are left out of the map.
 */
export const readInfos = Effect.fn("TronReader.readInfos")(function* (
  node: Node,
  block: BlockRef,
  transactions: ReadonlyArray<Transaction>
): Effect.fn.Return<ReadonlyMap<string, TransactionInfo>, ChainError> {
  if (transactions.length === 0) return new Map()
  const doing = `read the infos of block ${block.hash}`
  const given = yield* infosOf(node, doing, block, transactions)
  const infos = new Map(given.list.map((info) => [info.id, info]))
  const wrong = fault(block, transactions, infos, given)
  if (wrong !== undefined) return yield* inconsistent(doing, wrong)
  const standing = yield* readHeader(node, "wallet", block.number)
  if (standing.hash !== block.hash) return yield* inconsistent(doing, `block ${standing.hash} has taken its place`)
  return infos
})
