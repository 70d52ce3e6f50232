import { makeBloom } from "../../src/internal/read/logsBloom.ts"
import { receiptsRoot } from "../../src/internal/read/receiptsRoot.ts"
import { refuse, type ScriptedNode } from "./ScriptedNode.ts"

/** USDT, pinned in these tests. */
export const token = "0xdac17f958d2ee523a2206206994597c13d831ec7"

export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

export const hashOf = (serial: number): string => `0x${serial.toString(16).padStart(64, "0")}`
export const addressOf = (serial: number): string => `0x${serial.toString(16).padStart(40, "0")}`
export const topicOf = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`
export const quantity = (value: number | bigint): string => `0x${value.toString(16)}`

/** Any JSON object of the wire. */
export type Json = Readonly<Record<string, unknown>>

/** What a test says of a transaction; the rest is made to fit. */
export interface TxSpec {
  readonly tx?: Json
  readonly receipt?: Json
  readonly logs?: ReadonlyArray<Json>
  readonly trace?: Json
}

/** Everything a node says of a block. */
export interface BlockSays {
  readonly block: Json & { readonly hash: string; readonly transactions: ReadonlyArray<Json> }
  readonly receipts: ReadonlyArray<Json>
  readonly traces: ReadonlyArray<Json>
}

/** A Transfer of a token as its log. */
export const transferLog = (from: string, to: string, units: bigint, address = token): Json => ({
  address,
  topics: [transferTopic, topicOf(from), topicOf(to)],
  data: hashOf(Number(units))
})

/** A block that is consistent in itself, at height 7, with these transactions. */
export const blockOf = (specs: ReadonlyArray<TxSpec>): BlockSays => {
  const hash = hashOf(0xb10c)
  const place = { blockHash: hash, blockNumber: quantity(7) }
  const bloom = makeBloom()
  let logIndex = 0
  const rows = specs.map((spec, index) => {
    const tx: Json = {
      hash: hashOf(0xa000 + index),
      ...place,
      transactionIndex: quantity(index),
      from: addressOf(0xf00d),
      to: addressOf(0xcafe),
      value: "0x0",
      input: "0x1234",
      type: "0x2",
      ...spec.tx
    }
    const logs = (spec.logs ?? []).map((log) => ({
      ...place,
      transactionHash: tx["hash"],
      transactionIndex: tx["transactionIndex"],
      logIndex: quantity(logIndex++),
      removed: false,
      ...log
    }))
    const receipt: Json = {
      ...place,
      transactionHash: tx["hash"],
      transactionIndex: tx["transactionIndex"],
      status: "0x1",
      gasUsed: quantity(50_000),
      cumulativeGasUsed: quantity(50_000 * (index + 1)),
      type: tx["type"],
      contractAddress: null,
      // The logs above have the fields that a bloom filter is made of.
      logsBloom: bloom(logs as never),
      logs,
      ...spec.receipt
    }
    const trace: Json = {
      type: "CALL",
      from: tx["from"],
      to: tx["to"] ?? receipt["contractAddress"],
      value: tx["value"],
      input: tx["input"],
      ...(receipt["status"] === "0x1" ? {} : { error: "execution reverted" }),
      ...spec.trace
    }
    return { tx, logs, receipt, trace: { txHash: tx["hash"], result: trace } }
  })
  return {
    block: {
      hash,
      parentHash: hashOf(0xb10b),
      number: quantity(7),
      timestamp: quantity(1_700_000_000),
      logsBloom: bloom(rows.flatMap((row) => row.logs) as never),
      transactionsRoot:
        specs.length === 0 ? "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421" : hashOf(0x7007),
      // Whether the root is the right one is proved with a real node.
      receiptsRoot: receiptsRoot(rows.map((row) => row.receipt) as never),
      transactions: rows.map((row) => row.tx)
    },
    receipts: rows.map((row) => row.receipt),
    traces: rows.map((row) => row.trace)
  }
}

/** Lets a node say it. */
export const serve = (node: ScriptedNode, { block, receipts, traces }: BlockSays): void => {
  node.answer("eth_getBlockByHash", () => block)
  node.answer("eth_getBlockByNumber", () => block)
  node.answer("eth_getBlockReceipts", () => receipts)
  // A node that runs no tracer but its own.
  node.answer("debug_traceBlockByHash", ([, options]) =>
    (options as Json)["tracer"] === "callTracer" ? traces : refuse(-32000, "tracer not found")
  )
  node.answer("debug_traceTransaction", () => refuse(-32000, "tracer not found"))
}
