import { Effect } from "effect"
import { fail, succeed } from "./JsonRpc.ts"
import type { JsonRpcCall, JsonRpcReply } from "./JsonRpc.ts"
import { toHex } from "./Rpc.ts"

/** Sends one call to the node and gives its answer. */
export type Ask<E> = (call: JsonRpcCall) => Effect.Effect<JsonRpcReply, E>

/** Where each method that reads the state at a block has that block among its parameters. */
const statePosition: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getCode: 1,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_feeHistory: 1,
  eth_getStorageAt: 2,
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByNumber: 0,
  debug_traceBlockByNumber: 0,
  trace_block: 0
}

/** Methods about one transaction whose answers do not say where it is. */
const ofTransaction: ReadonlySet<string> = new Set(["debug_traceTransaction", "trace_transaction"])

const isHash = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-f]{64}$/iu.test(value)

const isNumber = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-f]{1,16}$/iu.test(value)

/** The height an object of the chain was found at: a block's own number, or that of the block it is in. */
const heightOf = (value: unknown): bigint | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const height = "blockNumber" in value ? value.blockNumber : "number" in value ? value.number : undefined
  return isNumber(height) ? BigInt(height) : undefined
}

const withParameter = (params: ReadonlyArray<unknown>, position: number, value: unknown) => [
  ...params.slice(0, position),
  value,
  ...params.slice(position + 1)
]

const unknownBlock = (call: JsonRpcCall) =>
  call.method.startsWith("eth_getBlock") ? succeed(call, null) : fail(call, -32000, "unknown block")

const ask = <E>(forward: Ask<E>, method: string, params: ReadonlyArray<unknown>) =>
  Effect.map(forward({ id: 0, method, params }), (reply) => reply.result)

/** The tag as the lagging node would resolve it: a number no higher than its head. */
const resolved = <E>(forward: Ask<E>, tag: unknown, head: bigint) =>
  Effect.gen(function* () {
    if (tag === "safe" || tag === "finalized") {
      const height = heightOf(yield* ask(forward, "eth_getBlockByNumber", [tag, false])) ?? 0n
      return toHex(height < head ? height : head)
    }
    return tag === undefined || tag === "latest" || tag === "pending" ? toHex(head) : tag
  })

const blockIsAhead = <E>(forward: Ask<E>, hash: string, head: bigint) =>
  Effect.map(ask(forward, "eth_getBlockByHash", [hash, false]), (block) => (heightOf(block) ?? 0n) > head)

const logs = <E>(forward: Ask<E>, call: JsonRpcCall, head: bigint) =>
  Effect.gen(function* () {
    const filter = call.params[0] as Readonly<Record<string, unknown>>
    if (isHash(filter["blockHash"])) {
      return (yield* blockIsAhead(forward, filter["blockHash"], head))
        ? fail(call, -32000, "unknown block")
        : yield* forward(call)
    }
    const from = yield* resolved(forward, filter["fromBlock"], head)
    const to = yield* resolved(forward, filter["toBlock"], head)
    // A lagging node cuts the range short without a word (go-ethereum#24078).
    if (isNumber(from) && BigInt(from) > head) return succeed(call, [])
    const toBlock = isNumber(to) && BigInt(to) > head ? toHex(head) : to
    return yield* forward({ ...call, params: [{ ...filter, fromBlock: from, toBlock }] })
  })

/**
 * Answers a call as a node would that is `blocks` behind: its head is lower, newer blocks, transactions and receipts
 * do not exist for it, states are those at its head, ranges of logs end there.
 */
export const answerLagging = <E>(forward: Ask<E>, call: JsonRpcCall, blocks: number): Effect.Effect<JsonRpcReply, E> =>
  Effect.gen(function* () {
    const latest = yield* ask(forward, "eth_blockNumber", [])
    const height = isNumber(latest) ? BigInt(latest) : 0n
    const head = height > BigInt(blocks) ? height - BigInt(blocks) : 0n
    if (call.method === "eth_blockNumber") return succeed(call, toHex(head))
    if (call.method === "eth_getLogs") return yield* logs(forward, call, head)
    const position = statePosition[call.method]
    if (position !== undefined && !isHash(call.params[position])) {
      const tag = yield* resolved(forward, call.params[position], head)
      if (isNumber(tag) && BigInt(tag) > head) return unknownBlock(call)
      return yield* forward({ ...call, params: withParameter(call.params, position, tag) })
    }
    const byBlockHash = position !== undefined || call.method === "debug_traceBlockByHash"
    if (byBlockHash && isHash(call.params[0]) && (yield* blockIsAhead(forward, call.params[0], head))) {
      return unknownBlock(call)
    }
    if (ofTransaction.has(call.method)) {
      const receipt = yield* ask(forward, "eth_getTransactionReceipt", [call.params[0]])
      return (heightOf(receipt) ?? 0n) > head ? fail(call, -32000, "transaction not found") : yield* forward(call)
    }
    const reply = yield* forward(call)
    return (heightOf(reply.result) ?? 0n) > head ? succeed(call, null) : reply
  })
