import { Effect, Schema } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Rpc } from "../rpc/Rpc.ts"
import type { NodeTraits } from "../rpc/NodeTraits.ts"
import { type BloomOf, makeBloom } from "./logsBloom.ts"
import { receiptsRoot } from "./receiptsRoot.ts"
import { absent, decoded, inconsistent, isMissingMethod, toChainError } from "../rpc/NodeAnswer.ts"
import { type FullBlock, isKnownType, Receipt, same } from "../rpc/wire.ts"

const isReceipt = Schema.is(Receipt)

const oneByOne = (rpc: Rpc, block: FullBlock, doing: string) =>
  Effect.forEach(
    block.transactions,
    ({ hash }) =>
      Effect.filterOrFail(
        rpc.ask(doing, "eth_getTransactionReceipt", [hash]),
        (answer) => answer !== null,
        () => absent(rpc.network, doing, `the node does not know the receipt of ${hash}`)
      ),
    { concurrency: rpc.callsMax }
  )

/** What contradicts the block in the receipt of a transaction, given how many logs stand before it; null where that cannot be told. */
const faultOf = (
  block: FullBlock,
  receipt: Receipt,
  {
    bloomOf,
    index,
    logsBefore
  }: { readonly bloomOf: BloomOf; readonly index: number; readonly logsBefore: number | null }
): string | undefined => {
  const at = `the receipt of transaction ${index}`
  const transaction = block.transactions[index]
  const hash = transaction?.hash ?? ""
  if (!same(receipt.blockHash, block.hash)) return `${at} is of block ${receipt.blockHash}`
  if (Number(receipt.blockNumber) !== Number(block.number)) return `${at} is of height ${Number(receipt.blockNumber)}`
  if (!same(receipt.transactionHash, hash)) return `${at} is of transaction ${receipt.transactionHash}`
  if (Number(receipt.transactionIndex) !== index) return `${at} has index ${Number(receipt.transactionIndex)}`
  // Other kinds of transactions may keep a part of what they did when they fail.
  const mayKeepLogs = transaction !== undefined && !isKnownType(transaction)
  if (receipt.status === "0x0" && receipt.logs.length > 0 && !mayKeepLogs) return `${at} has logs although it failed`
  for (const [ordinal, log] of receipt.logs.entries()) {
    if (!same(log.blockHash, block.hash) || log.removed === true) return `a log of ${at} is not of this block`
    if (!same(log.transactionHash, hash) || Number(log.transactionIndex) !== index) {
      return `a log of ${at} is of another transaction`
    }
    // Logs are numbered through the block, so one that is missing leaves a gap.
    if (logsBefore !== null && Number(log.logIndex) !== logsBefore + ordinal)
      return `a log of ${at} has index ${Number(log.logIndex)}, not ${logsBefore + ordinal}`
  }
  return same(bloomOf(receipt.logs), receipt.logsBloom) ? undefined : `the logs of ${at} do not give its bloom filter`
}

/** What contradicts the block in its receipts as a whole; undefined where one of them is missing, as then nothing can be summed up. */
const faultOfAll = (
  block: FullBlock,
  receipts: ReadonlyArray<Receipt | undefined>,
  { bloomOf, rooted }: { readonly bloomOf: BloomOf; readonly rooted: boolean }
): string | undefined => {
  const known = receipts.filter((receipt) => receipt !== undefined)
  if (known.length < receipts.length) return undefined
  if (!same(bloomOf(known.flatMap((receipt) => receipt.logs)), block.logsBloom))
    return "the logs of the receipts do not give the bloom filter of the block"
  // Bloom filters cannot tell a log from one that is like it; the root can. How a kind that is not known is hashed is not known.
  return rooted &&
    known.length > 0 &&
    block.transactions.every(isKnownType) &&
    !same(receiptsRoot(known), block.receiptsRoot)
    ? "the receipts do not give the root that the block names"
    : undefined
}

/** What contradicts the block in a list of receipts, or undefined. */
const fault = (block: FullBlock, receipts: ReadonlyArray<Receipt | undefined>, rooted: boolean): string | undefined => {
  const bloomOf = makeBloom()
  let logs: number | null = 0
  for (const [index, receipt] of receipts.entries()) {
    const wrong = receipt === undefined ? undefined : faultOf(block, receipt, { bloomOf, index, logsBefore: logs })
    if (wrong !== undefined) return wrong
    logs = receipt === undefined || logs === null ? null : logs + receipt.logs.length
  }
  return faultOfAll(block, receipts, { bloomOf, rooted })
}

/** Receipts as they came, one for each transaction. */
const answers = Effect.fnUntraced(function* (rpc: Rpc, { missing }: NodeTraits, block: FullBlock, doing: string) {
  const method = "eth_getBlockReceipts"
  // A block without transactions needs no question, but its bloom filter must be empty.
  if (block.transactions.length === 0) return []
  if (yield* missing.has(method)) return yield* oneByOne(rpc, block, doing)
  return yield* rpc.call(doing, method, [block.hash]).pipe(
    Effect.flatMap((answer) => decoded(rpc.network, doing, Schema.Array(Schema.Unknown), answer)),
    Effect.catchTag("NodeRefusal", (refusal) => {
      // -32602: the method is there but takes no hash.
      if (!isMissingMethod(refusal) && refusal.code !== -32602) return Effect.fail(toChainError(rpc.network)(refusal))
      return Effect.andThen(missing.note(method), oneByOne(rpc, block, doing))
    })
  )
})

/**
 * All receipts of a block, in one call, or one call for each transaction where the node has no `eth_getBlockReceipts`. They are
 * checked against the block, the bloom filters and the root of the receipts, so that no log can be missing or changed. Undefined
 * stands for one that cannot be read, of a transaction whose kind is not known: any other such fails the block.
 */
export const readReceipts = Effect.fn("EvmReader.readReceipts")(function* (
  rpc: Rpc,
  { rooted, traits }: { readonly traits: NodeTraits; readonly rooted: boolean },
  block: FullBlock
): Effect.fn.Return<ReadonlyArray<Receipt | undefined>, ChainError> {
  const doing = `read the receipts of block ${block.hash}`
  const found = yield* answers(rpc, traits, block, doing)
  if (found.length !== block.transactions.length) {
    return yield* inconsistent(
      rpc.network,
      doing,
      `${found.length} receipts for ${block.transactions.length} transactions`
    )
  }
  const receipts = yield* Effect.forEach(block.transactions, (transaction, index) =>
    isKnownType(transaction)
      ? decoded(rpc.network, doing, Receipt, found[index])
      : Effect.succeed(isReceipt(found[index]) ? found[index] : undefined)
  )
  const wrong = fault(block, receipts, rooted)
  return wrong === undefined ? receipts : yield* inconsistent(rpc.network, doing, wrong)
})
