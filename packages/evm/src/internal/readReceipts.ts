import { Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { EvmRpc } from "./EvmRpc.ts"
import { makeBloom } from "./logsBloom.ts"
import { receiptsRoot } from "./receiptsRoot.ts"
import { decoded, inconsistent, isMissingMethod, toChainError } from "./NodeAnswer.ts"
import { type FullBlock, Receipt, Receipts, same } from "./wire.ts"

const oneByOne = (rpc: EvmRpc, block: FullBlock, doing: string) =>
  Effect.forEach(
    block.transactions,
    ({ hash }) =>
      Effect.flatMap(rpc.ask(doing, "eth_getTransactionReceipt", [hash]), (answer) =>
        decoded(rpc.network, doing, Receipt, answer)
      ),
    { concurrency: rpc.callsMax }
  )

/** What contradicts the block in a list of receipts, or undefined. */
const fault = (block: FullBlock, receipts: ReadonlyArray<Receipt>, rooted: boolean): string | undefined => {
  if (receipts.length !== block.transactions.length) {
    return `${receipts.length} receipts for ${block.transactions.length} transactions`
  }
  const bloom = makeBloom()
  let logs = 0
  for (const [index, receipt] of receipts.entries()) {
    const at = `the receipt of transaction ${index}`
    const hash = block.transactions[index]?.hash ?? ""
    if (!same(receipt.blockHash, block.hash)) return `${at} is of block ${receipt.blockHash}`
    if (Number(receipt.blockNumber) !== Number(block.number)) return `${at} is of height ${Number(receipt.blockNumber)}`
    if (!same(receipt.transactionHash, hash)) return `${at} is of transaction ${receipt.transactionHash}`
    if (Number(receipt.transactionIndex) !== index) return `${at} has index ${Number(receipt.transactionIndex)}`
    if (receipt.status === "0x0" && receipt.logs.length > 0) return `${at} has logs although it failed`
    for (const log of receipt.logs) {
      if (!same(log.blockHash, block.hash) || log.removed === true) return `a log of ${at} is not of this block`
      if (!same(log.transactionHash, hash) || Number(log.transactionIndex) !== index) {
        return `a log of ${at} is of another transaction`
      }
      // Logs are numbered through the block, so one that is missing leaves a gap.
      if (Number(log.logIndex) !== logs) return `a log of ${at} has index ${Number(log.logIndex)}, not ${logs}`
      logs++
    }
    if (!same(bloom(receipt.logs), receipt.logsBloom)) return `the logs of ${at} do not give its bloom filter`
  }
  if (!same(bloom(receipts.flatMap((receipt) => receipt.logs)), block.logsBloom)) {
    return "the logs of the receipts do not give the bloom filter of the block"
  }
  // Bloom filters cannot tell a log from one that is like it; the root can.
  if (rooted && receipts.length > 0 && !same(receiptsRoot(receipts), block.receiptsRoot)) {
    return "the receipts do not give the root that the block names"
  }
  return undefined
}

/**
 * All receipts of a block, in one call, or one call for each transaction where the node has no `eth_getBlockReceipts`. They are
 * checked against the block, the bloom filters and the root of the receipts, so that no log can be missing or changed.
 */
export const readReceipts = Effect.fn("EvmChain.readReceipts")(function* (
  rpc: EvmRpc,
  { missing, rooted }: { readonly missing: Set<string>; readonly rooted: boolean },
  block: FullBlock
): Effect.fn.Return<ReadonlyArray<Receipt>, ChainError> {
  const doing = `read the receipts of block ${block.hash}`
  const method = "eth_getBlockReceipts"
  const whole = Effect.flatMap(rpc.call(doing, method, [block.hash]), (answer) =>
    decoded(rpc.network, doing, Receipts, answer)
  ).pipe(
    Effect.catchTag("NodeRefusal", (refusal) => {
      // -32602: the method is there but takes no hash.
      if (!isMissingMethod(refusal) && refusal.code !== -32602) return Effect.fail(toChainError(rpc.network)(refusal))
      missing.add(method)
      return oneByOne(rpc, block, doing)
    })
  )
  // A block without transactions needs no question, but its bloom filter must be empty.
  const receipts =
    block.transactions.length === 0 ? [] : yield* missing.has(method) ? oneByOne(rpc, block, doing) : whole
  const wrong = fault(block, receipts, rooted)
  return wrong === undefined ? receipts : yield* inconsistent(rpc.network, doing, wrong)
})
