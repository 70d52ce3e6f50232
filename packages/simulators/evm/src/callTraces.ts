import { Effect } from "effect"
import { fail, succeed } from "./JsonRpc.ts"
import type { JsonRpcCall, JsonRpcReply } from "./JsonRpc.ts"

/** A call as `trace_block` and `trace_transaction` tell it: where it stands in its transaction, what was wanted, what came of it. */
interface Entry {
  readonly type: "call" | "create" | "suicide" | "reward"
  readonly action: Readonly<Record<string, string | undefined>>
  readonly result: Readonly<Record<string, string | undefined>> | null
  readonly error?: string
  readonly traceAddress: ReadonlyArray<number>
  readonly transactionHash: string | null
  readonly blockHash: string
}

/** A call as geth's `callTracer` tells it. */
interface Frame {
  readonly type: string
  readonly from: string | undefined
  readonly to?: string | undefined
  readonly value?: string | undefined
  readonly gas: string
  readonly gasUsed: string
  readonly input: string
  readonly output?: string | undefined
  readonly error?: string | undefined
  readonly calls?: ReadonlyArray<Frame>
}

const ofBlock = new Map([
  ["debug_traceBlockByHash", "eth_getBlockByHash"],
  ["debug_traceBlockByNumber", "eth_getBlockByNumber"]
])

/** Whether a call asks for the calls of mined transactions by `callTracer`. */
export const asksForCalls = ({ method, params: [, options] }: JsonRpcCall): boolean =>
  (ofBlock.has(method) || method === "debug_traceTransaction") &&
  typeof options === "object" &&
  options !== null &&
  "tracer" in options &&
  options.tracer === "callTracer"

/** An error in the words of geth. */
const inItsWords = (error: string): string =>
  error === "Reverted" ? "execution reverted" : `${error.slice(0, 1).toLowerCase()}${error.slice(1)}`

const cameOf = ({ error, result }: Entry) =>
  error === undefined
    ? { output: result?.["output"] ?? result?.["code"] }
    : { error: inItsWords(error), output: result?.["output"] }

const bare = (entry: Entry): Omit<Frame, "calls"> => {
  const { action, result, type } = entry
  if (type === "suicide") {
    const { address, balance, refundAddress } = action
    return {
      type: "SELFDESTRUCT",
      from: address,
      to: refundAddress,
      value: balance,
      gas: "0x0",
      gasUsed: "0x0",
      input: "0x"
    }
  }
  const { callType, creationMethod, from, gas = "0x0", init, input, to, value } = action
  const kind = type === "create" ? (creationMethod ?? "create") : (callType ?? "call")
  return {
    type: kind.toUpperCase(),
    from,
    to: type === "create" ? result?.["address"] : to,
    // as geth has it: a call that can pay nothing names no value
    ...(kind === "staticcall" ? {} : { value }),
    gas,
    gasUsed: result?.["gasUsed"] ?? "0x0",
    input: input ?? init ?? "0x",
    ...cameOf(entry)
  }
}

/** The calls of one transaction, each within the one that made it; undefined where there are none. */
const nested = (entries: ReadonlyArray<Entry>): Frame | undefined => {
  const outermost = entries.find(({ traceAddress }) => traceAddress.length === 0)
  const within = Map.groupBy(
    entries.filter((entry) => entry !== outermost),
    ({ traceAddress }) => traceAddress.slice(0, -1).join()
  )
  const frameOf = (entry: Entry): Frame => {
    const calls = within.get(entry.traceAddress.join())?.map(frameOf)
    return { ...bare(entry), ...(calls && { calls }) }
  }
  return outermost && frameOf(outermost)
}

/**
 * Answers what `asksForCalls` from what the node remembers of its calls.
 *
 * **Details**
 *
 * anvil 1.7.1 runs a transaction again for its `callTracer`, and takes a lock that it holds already. Where a block is mined between the
 * two, each waits for the other, and the node stands still for good. `trace_block` and `trace_transaction` tell the same and take the
 * lock once.
 */
export const answerCalls = Effect.fnUntraced(function* <E>(
  forward: (call: JsonRpcCall) => Effect.Effect<JsonRpcReply, E>,
  call: JsonRpcCall
) {
  // the node's own answers, in the form in which it gives them
  const ask = <A>(method: string, params: ReadonlyArray<unknown>) =>
    Effect.map(forward({ id: call.id, method, params }), ({ result }) => result as A)
  const [which] = call.params
  const wanted = ofBlock.get(call.method)
  if (wanted === undefined) {
    const entries = (yield* ask<ReadonlyArray<Entry> | null>("trace_transaction", [which])) ?? []
    const result = nested(entries)
    return result === undefined ? fail(call, -32000, "transaction not found") : succeed(call, result)
  }
  type Block = { readonly hash: string; readonly number: string; readonly transactions: ReadonlyArray<string> }
  const block = yield* ask<Block | null>(wanted, [which, false])
  if (block === null || block === undefined) return fail(call, -32000, "block not found")
  const entries = (yield* ask<ReadonlyArray<Entry> | null>("trace_block", [block.number])) ?? []
  const byTransaction = Map.groupBy(
    entries.filter(({ blockHash }) => blockHash === block.hash),
    ({ transactionHash }) => transactionHash
  )
  const traced = block.transactions.flatMap((txHash) => {
    const result = nested(byTransaction.get(txHash) ?? [])
    return result === undefined ? [] : [{ txHash, result }]
  })
  // another block stands at that height by now
  if (traced.length < block.transactions.length) return fail(call, -32000, "block not found")
  return succeed(call, traced)
})
