import { Effect } from "effect"
import type { Scope } from "effect"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { listen } from "@bursar/simulator-kit/HttpListener"
import type { Exchange } from "@bursar/simulator-kit/HttpListener"
import { delayMsDefault, type FaultKind, lagBlocksDefault } from "@bursar/simulator-kit/Fault"
import { type Faults, makeFaultQueue } from "@bursar/simulator-kit/FaultQueue"
import type { Fault } from "./Fault.ts"
import { fail, parse, succeed } from "./JsonRpc.ts"
import type { JsonRpcCall, JsonRpcReply } from "./JsonRpc.ts"
import { answerCalls, asksForCalls } from "./callTraces.ts"
import { answerLagging } from "./lag.ts"

/** A JSON-RPC proxy that can be told to misbehave. */
export interface FaultProxy extends Faults<Fault> {
  readonly url: string
  readonly port: number
  /** How many calls have come in, by method: proof of what a client did and did not ask. */
  readonly seen: Effect.Effect<Readonly<Record<string, number>>>
}

const connectionKinds: ReadonlyArray<FaultKind> = ["drop", "delay", "lost_reply", "garbage"]
const callKinds: ReadonlyArray<FaultKind> = ["empty", "lag", "refuse", "duplicate"]

const emptyLists = /^(?:eth_getLogs|eth_getBlockReceipts|eth_accounts|trace_\w+|debug_traceBlock\w+|eth_getFilter\w+)$/u
const emptyBytes = /^(?:eth_call|eth_getCode|eth_getStorageAt)$/u

const emptyResult = (method: string) => {
  if (emptyLists.test(method)) return []
  return emptyBytes.test(method) ? "0x" : null
}

/** What a gateway in trouble says instead of JSON. */
const notJson = "<html><body>502 Bad Gateway</body></html>"

/** Every result replaced by a value of another type. */
const wrongTypes = (reply: JsonRpcReply): JsonRpcReply => ({
  jsonrpc: "2.0",
  id: reply.id,
  result: typeof reply.result === "string" ? { unexpected: true } : "unexpected"
})

/**
 * Starts the proxy in front of `upstream` (`http://…`) until the scope closes. Without faults it passes bodies through
 * unread but for their methods. Batches are taken apart only when a fault concerns one of their calls, or one must not
 * reach the node as it is (`answerCalls`).
 */
export const make = Effect.fn("FaultProxy.make")(function* (
  upstream: string,
  port = 0
): Effect.fn.Return<FaultProxy, DevnetError, Scope.Scope> {
  const queue = makeFaultQueue<Fault>(new Set(["eth_sendRawTransaction"]))
  const counts = new Map<string, number>()

  const post = (body: string) =>
    Effect.tryPromise(async (signal) => {
      const response = await fetch(upstream, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        signal
      })
      return { status: response.status, text: await response.text() }
    })

  const forward = (call: JsonRpcCall) =>
    // The node answers JSON-RPC; anything else is a defect of the devnet itself.
    Effect.map(post(JSON.stringify({ jsonrpc: "2.0", ...call })), ({ text }) => JSON.parse(text) as JsonRpcReply)

  const answerNow = (call: JsonRpcCall) => (asksForCalls(call) ? answerCalls(forward, call) : forward(call))

  const answerCall = (call: JsonRpcCall) => {
    const fault = queue.take([call.method], callKinds)
    if (fault === undefined) return answerNow(call)
    if (fault.kind === "empty") return Effect.succeed(succeed(call, emptyResult(call.method)))
    if (fault.kind === "lag") return answerLagging(answerNow, call, fault.lag_blocks ?? lagBlocksDefault)
    if (fault.kind === "duplicate") return Effect.andThen(answerNow(call), answerNow(call))
    return Effect.succeed(fail(call, fault.error_code ?? -32000, fault.error_message ?? "refused"))
  }

  const answerBody = (body: string, calls: ReadonlyArray<JsonRpcCall>, batch: boolean) =>
    Effect.gen(function* () {
      if (!queue.waits(callKinds) && !calls.some(asksForCalls)) return yield* post(body)
      const replies = yield* Effect.forEach(calls, answerCall)
      return { status: 200, text: JSON.stringify(batch ? replies : replies[0]) }
    })

  const spoil = (exchange: Exchange, style: NonNullable<Fault["garbage"]>, text: string) => {
    if (style === "truncated") return exchange.truncate(text)
    if (style === "invalid_json") return exchange.answer(200, notJson)
    const replies = JSON.parse(text) as JsonRpcReply | ReadonlyArray<JsonRpcReply>
    return exchange.answer(200, JSON.stringify("map" in replies ? replies.map(wrongTypes) : wrongTypes(replies)))
  }

  const handle = (exchange: Exchange) =>
    Effect.gen(function* () {
      const parsed = parse(exchange.body)
      if (parsed === undefined) {
        const { status, text } = yield* post(exchange.body)
        return yield* exchange.answer(status, text)
      }
      const methods = parsed.calls.map((call) => call.method)
      for (const method of methods) counts.set(method, (counts.get(method) ?? 0) + 1)
      const fault = queue.take(methods, connectionKinds)
      if (fault?.kind === "drop") return yield* exchange.drop
      if (fault?.kind === "delay") yield* Effect.sleep(fault.delay_ms ?? delayMsDefault)
      const { status, text } = yield* answerBody(exchange.body, parsed.calls, parsed.batch)
      if (fault?.kind === "lost_reply") return yield* exchange.drop
      if (fault?.kind === "garbage") return yield* spoil(exchange, fault.garbage ?? "truncated", text)
      yield* exchange.answer(status, text)
    }).pipe(
      // The node is down or restarting: to the caller that is a broken connection.
      Effect.catch(() => exchange.drop)
    )

  const listening = yield* listen(port, handle)
  return {
    url: `http://127.0.0.1:${listening}`,
    port: listening,
    inject: queue.inject,
    clear: queue.clear,
    pending: queue.pending,
    seen: Effect.sync(() => Object.fromEntries(counts))
  }
})
