import { shown } from "./address.ts"
import { type Block, blockVersion, type Executed } from "./Block.ts"
import { inHex, type JsonObject } from "./json.ts"
import { toJson } from "./transactionJson.ts"

/** A transaction as it stands in a block. */
export const executedJson = ({ receipt, transaction }: Executed, visible: boolean): JsonObject =>
  toJson(transaction, visible, [{ contractRet: receipt.contractRet }])

/** A block as the node writes it. What is zero or empty is left out. */
export const blockJson = (block: Block, visible: boolean, detail: boolean): JsonObject => ({
  blockID: block.id,
  block_header: {
    raw_data: {
      ...(block.number === 0 ? {} : { number: block.number }),
      txTrieRoot: block.root,
      witness_address: shown(block.witness, visible),
      parentHash: block.parentId,
      version: blockVersion,
      timestamp: block.time
    },
    witness_signature: block.witnessSignature
  },
  ...(detail && block.executed.length > 0
    ? { transactions: block.executed.map((executed) => executedJson(executed, visible)) }
    : {})
})

const positive = (name: string, value: bigint): JsonObject => (value === 0n ? {} : { [name]: value })

/** What a transaction did, as the node writes it. */
export const infoJson = (block: Block, { receipt, transaction }: Executed, visible: boolean): JsonObject => {
  const { energy, internal, logs } = receipt
  return {
    id: transaction.id,
    ...positive("fee", receipt.fee),
    blockNumber: block.number,
    blockTimeStamp: block.time,
    contractResult: [receipt.output],
    ...(receipt.contract === null ? {} : { contract_address: shown(receipt.contract, visible) }),
    receipt: {
      ...(energy === null
        ? {}
        : { ...positive("energy_fee", energy.fee), ...positive("energy_usage_total", energy.used) }),
      ...positive("net_usage", receipt.netUsage),
      ...positive("net_fee", receipt.netFee),
      ...(energy === null ? {} : { result: receipt.contractRet })
    },
    ...(receipt.contractRet === "SUCCESS"
      ? {}
      : { result: "FAILED", resMessage: visible ? receipt.problem : inHex(receipt.problem) }),
    ...(logs.length === 0
      ? {}
      : {
          log: logs.map(({ address, data, topics }) => ({
            address: visible ? shown(`41${address}`, true) : address,
            topics,
            data
          }))
        }),
    ...(internal.length === 0
      ? {}
      : {
          internal_transactions: internal.map(({ from, to, units }, index) => ({
            hash: inHex(`${index}`).padStart(64, transaction.id),
            caller_address: shown(from, visible),
            transferTo_address: shown(to, visible),
            callValueInfo: [positive("callValue", units)],
            note: inHex("call")
          }))
        })
  }
}
