import { Effect, Schema } from "effect"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import type { SenderContext } from "../build/SenderContext.ts"
import { addressWord, readTransferCall, transferTopic } from "@bursar/network-kit/Token"
import { Address, Quantity, Receipt, same } from "../rpc/wire.ts"
import type { SignedTransaction } from "../build/SignedTransaction.ts"

const optionalQuantity = Schema.optional(Schema.NullOr(Quantity))

/** A receipt with what the transaction has cost. */
export const CostedReceipt = Schema.Struct({
  ...Receipt.fields,
  from: Address,
  effectiveGasPrice: Quantity,
  // What base charges beside the gas. The last one is there since the fork that changed how the operator's fee is reckoned.
  l1Fee: optionalQuantity,
  operatorFeeScalar: optionalQuantity,
  operatorFeeConstant: optionalQuantity,
  daFootprintGasScalar: optionalQuantity
})

/** {@link CostedReceipt} as a type. */
export type CostedReceipt = typeof CostedReceipt.Type

const orZero = (quantity: string | null | undefined): bigint =>
  quantity === null || quantity === undefined ? 0n : BigInt(quantity)

/**
 * What the payer has paid, in wei: gas, and on base the posting to Ethereum and the operator's fee, which is scalar × gas / 10⁶
 * plus the constant (Isthmus), and scalar × gas × 100 plus the constant since Jovian.
 */
export const costOf = (receipt: CostedReceipt): bigint => {
  const gasUsed = BigInt(receipt.gasUsed)
  const scaled = orZero(receipt.operatorFeeScalar) * gasUsed
  const jovian = receipt.daFootprintGasScalar !== undefined && receipt.daFootprintGasScalar !== null
  const operator = (jovian ? scaled * 100n : scaled / 1_000_000n) + orZero(receipt.operatorFeeConstant)
  return gasUsed * BigInt(receipt.effectiveGasPrice) + orZero(receipt.l1Fee) + operator
}

/** Whether a final transaction did what it is for, by its receipt: a token must have logged the very transfer. */
export const effectOf = (
  { draft }: SignedTransaction,
  { logs, status }: CostedReceipt
): "done" | "reverted" | "missing" => {
  if (status === "0x0") return "reverted"
  if (draft.data === "0x") return "done"
  const wanted = readTransferCall(draft.data.slice(2).toLowerCase())
  if (wanted === undefined) return "missing"
  const topicOf = (address: string) => `0x${addressWord(address)}`
  const moved = logs.filter(({ address, data, topics }) => {
    const [topic, from, to] = topics
    if (topics.length !== 3 || topic === undefined || from === undefined || to === undefined) return false
    return (
      same(address, draft.to) &&
      same(topic, `0x${transferTopic}`) &&
      same(from, topicOf(draft.from)) &&
      same(to, topicOf(wanted.to)) &&
      data.length === 66 &&
      BigInt(data) === wanted.units
    )
  })
  return moved.length === 1 ? "done" : "missing"
}

/** A receipt in a block that is on the chain, as far as the node knows now. */
export interface MinedReceipt {
  readonly receipt: CostedReceipt
  readonly block: BlockRef
}

/**
 * The receipt of a transaction that the node says is in a block, with that block. The receipt is checked against the
 * transaction, and the block against the one that stands at its height. Null where the node has no receipt.
 */
export const readMinedReceipt = Effect.fnUntraced(function* (
  { headerAt, reads: rpc }: Pick<SenderContext, "headerAt" | "reads">,
  txHash: string
): Effect.fn.Return<MinedReceipt | null, ChainError> {
  const doing = `read the receipt of ${txHash}`
  const answer = yield* rpc.ask(doing, "eth_getTransactionReceipt", [txHash])
  if (answer === null) return null
  const receipt = yield* decoded(rpc.network, doing, CostedReceipt, answer)
  if (!same(receipt.transactionHash, txHash)) {
    return yield* inconsistent(rpc.network, doing, `it is of transaction ${receipt.transactionHash}`)
  }
  if (receipt.status === "0x0" && receipt.logs.length > 0) {
    return yield* inconsistent(rpc.network, doing, "it has logs although the transaction failed")
  }
  if (receipt.logs.some((log) => !same(log.transactionHash, txHash) || !same(log.blockHash, receipt.blockHash))) {
    return yield* inconsistent(rpc.network, doing, "it has logs of another transaction")
  }
  const block = yield* headerAt(Number(receipt.blockNumber))
  if (!same(block.hash, receipt.blockHash)) {
    return yield* inconsistent(rpc.network, doing, `its block ${receipt.blockHash} is not the one at that height`)
  }
  return { receipt, block }
})
