import { Effect } from "effect"
import type { Scope } from "effect"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { listen } from "@bursar/simulator-kit/HttpListener"
import type { Exchange } from "@bursar/simulator-kit/HttpListener"
import { delayMsDefault, type FaultKind, lagBlocksDefault } from "@bursar/simulator-kit/Fault"
import { type Faults, makeFaultQueue } from "@bursar/simulator-kit/FaultQueue"
import type { Fault } from "./Fault.ts"
import { type Call, type Outcome, refused, replyOf, statusOf, toCall } from "./rpc/dispatch.ts"
import { codes } from "./RpcError.ts"

/** How the node is reached. */
export interface RpcServerOptions {
  /** What answers a call; `lagBlocks` behind where it is above 0. Never fails: a refusal is an outcome. */
  readonly perform: (call: Call, lagBlocks: number) => Effect.Effect<Outcome>
  readonly user: string
  readonly password: string
  /** 0 takes a free one. */
  readonly port: number
}

/** The node's JSON-RPC over HTTP, which can be told to misbehave. */
export interface RpcServer extends Faults<Fault> {
  readonly port: number
  /** With user and password. */
  readonly url: string
  /** How many calls have come in, by method: proof of what a client did and did not ask. */
  readonly seen: Effect.Effect<Readonly<Record<string, number>>>
}

const connectionKinds: ReadonlyArray<FaultKind> = ["drop", "delay", "lost_reply", "garbage"]
const callKinds: ReadonlyArray<FaultKind> = ["empty", "lag", "refuse", "duplicate"]

/** The methods whose empty answer is a list. */
const emptyLists: ReadonlySet<string> = new Set([
  "getrawmempool",
  "getchaintips",
  "testmempoolaccept",
  "generatetoaddress"
])

/** What a gateway in trouble says instead of JSON. */
const notJson = "<html><body>502 Bad Gateway</body></html>"

const parsed = (body: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(body) as unknown }
  } catch {
    return undefined
  }
}

/** A result replaced by a value of another type. */
const wrongType = (outcome: Outcome): Outcome =>
  "result" in outcome && typeof outcome.result === "string"
    ? { result: { unexpected: true } }
    : { result: "unexpected" }

/** An answer before it is written. */
interface Answer {
  readonly status: number
  readonly body: unknown
  /** The same with results of other types. */
  readonly spoilt: unknown
}

const noCall = { version: 1, id: null } as const

const failure = (code: number, message: string): Answer => {
  const outcome = refused(code, message)
  const body = replyOf(noCall, outcome)
  return { status: statusOf(noCall, outcome), body, spoilt: body }
}

/** Serves a node on 127.0.0.1 until the scope closes, as Bitcoin Core does: basic auth, batches, both versions of JSON-RPC. */
export const make = Effect.fn("RpcServer.make")(function* (
  options: RpcServerOptions
): Effect.fn.Return<RpcServer, DevnetError, Scope.Scope> {
  const { password, perform, user } = options
  const queue = makeFaultQueue<Fault>(new Set(["sendrawtransaction"]))
  const counts = new Map<string, number>()
  const expected = `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`

  const outcomeOf = (call: Call): Effect.Effect<Outcome> => {
    const fault = queue.take([call.method], callKinds)
    if (fault?.kind === "empty") return Effect.succeed({ result: emptyLists.has(call.method) ? [] : null })
    if (fault?.kind === "refuse") {
      return Effect.succeed(refused(fault.error_code ?? codes.inWarmup, fault.error_message ?? "Loading block index…"))
    }
    if (fault?.kind === "duplicate") return Effect.andThen(perform(call, 0), perform(call, 0))
    return perform(call, fault?.kind === "lag" ? (fault.lag_blocks ?? lagBlocksDefault) : 0)
  }

  const answerOne = (call: Call): Effect.Effect<Answer> =>
    Effect.map(outcomeOf(call), (outcome) => ({
      status: call.silent ? 204 : statusOf(call, outcome),
      body: replyOf(call, outcome),
      spoilt: replyOf(call, wrongType(outcome))
    }))

  const answerBatch = (calls: ReadonlyArray<Call | undefined>): Effect.Effect<Answer> =>
    Effect.map(
      Effect.forEach(calls, (call) =>
        call === undefined ? Effect.succeed(failure(codes.invalidRequest, "Missing method")) : answerOne(call)
      ),
      (answers) => {
        const given = answers.filter((_, index) => calls[index]?.silent !== true)
        return { status: 200, body: given.map(({ body }) => body), spoilt: given.map(({ spoilt }) => spoilt) }
      }
    )

  const spoil = (exchange: Exchange, style: NonNullable<Fault["garbage"]>, { body, spoilt }: Answer) => {
    if (style === "truncated") return exchange.truncate(JSON.stringify(body))
    return exchange.answer(200, style === "invalid_json" ? notJson : JSON.stringify(spoilt))
  }

  const handle = Effect.fnUntraced(function* (exchange: Exchange) {
    if (exchange.method !== "POST") return yield* exchange.answer(405, "JSONRPC server handles only POST requests")
    if (exchange.headers["authorization"] !== expected) return yield* exchange.answer(401, "")
    const json = parsed(exchange.body)
    const batch = Array.isArray(json?.value) ? json.value.map(toCall) : undefined
    const single = batch === undefined ? toCall(json?.value) : undefined
    const calls = (batch ?? [single]).filter((call) => call !== undefined)
    for (const { method } of calls) counts.set(method, (counts.get(method) ?? 0) + 1)
    const methods = calls.map(({ method }) => method)
    const fault = queue.take(methods, connectionKinds)
    if (fault?.kind === "drop") return yield* exchange.drop
    if (fault?.kind === "delay") yield* Effect.sleep(fault.delay_ms ?? delayMsDefault)
    const answering =
      batch === undefined
        ? single === undefined
          ? Effect.succeed(
              json === undefined ? failure(codes.parse, "Parse error") : failure(codes.invalidRequest, "Missing method")
            )
          : answerOne(single)
        : answerBatch(batch)
    const answer = yield* answering
    if (fault?.kind === "lost_reply") return yield* exchange.drop
    if (fault?.kind === "garbage") return yield* spoil(exchange, fault.garbage ?? "truncated", answer)
    yield* exchange.answer(answer.status, answer.status === 204 ? "" : JSON.stringify(answer.body))
  })

  const port = yield* listen(options.port, handle)
  return {
    port,
    url: `http://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}`,
    inject: queue.inject,
    clear: queue.clear,
    pending: queue.pending,
    seen: Effect.sync(() => Object.fromEntries(counts))
  }
})
