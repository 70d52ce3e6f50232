import { Effect } from "effect"
import type { Scope } from "effect"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { listen } from "@bursar/simulator-kit/HttpListener"
import type { Exchange } from "@bursar/simulator-kit/HttpListener"
import { askHorizon, askRpc, rpcCall } from "./ask.ts"
import type { Answer } from "./horizon/horizonApi.ts"
import { notFound } from "./horizon/Problem.ts"
import type { Json, JsonObject } from "./json.ts"
import type { StellarFaucet } from "./StellarFaucet.ts"
import { type StellarFault, submissions } from "./StellarFault.ts"
import { delayMsDefault, lagBlocksDefault } from "@bursar/simulator-kit/Fault"
import { type Faults, makeFaultQueue } from "@bursar/simulator-kit/FaultQueue"

/** The HTTP side of the local node, with the faults it has been told to have. */
export interface StellarNode extends Faults<StellarFault> {
  readonly horizonUrl: string
  readonly rpcUrl: string
  readonly port: number
  /** How many requests have come in, by their names: proof of what a client did and did not ask. */
  readonly seen: Effect.Effect<Readonly<Record<string, number>>>
}

const rpcPath = "/rpc"

/** What a gateway in trouble says instead of JSON. */
const notJson = "<html><body>502 Bad Gateway</body></html>"

/** The name of a request to Horizon: its method and path, what is named in it left out. */
const nameOf = ({ method, path }: Exchange): string => {
  const [kind = "", name, ...below] = path.split("/").slice(1)
  return `${method} /${[kind, ...(name === undefined || name === "" ? [] : ["{id}"]), ...below].join("/")}`
}

const emptyHorizon = (name: string): Answer => {
  if (name === "GET /" || name === "GET /fee_stats" || name.startsWith("POST ")) return { status: 200, body: {} }
  return name.endsWith("{id}") ? notFound : { status: 200, body: { _embedded: { records: [] } } }
}

const emptyRpc = (method: string): Json => {
  if (method === "getTransaction") return { status: "NOT_FOUND" }
  return method === "getLedgerEntries" ? { entries: [] } : null
}

const isRpc = ({ path }: Exchange): boolean => path === rpcPath

/** Whether a question is about the state of an account, and not about history. */
const isState = (exchange: Exchange, name: string): boolean =>
  !isRpc(exchange) && (name === "GET /accounts/{id}" || name.startsWith("GET /accounts/{id}/data/"))

const rpcAnswer = ({ body }: Exchange, content: JsonObject): Answer => ({
  status: 200,
  body: { jsonrpc: "2.0", id: rpcCall(body)?.id ?? null, ...content }
})

const empty = (exchange: Exchange, name: string): Answer =>
  isRpc(exchange) ? rpcAnswer(exchange, { result: emptyRpc(name) }) : emptyHorizon(name)

const refusal = (
  exchange: Exchange,
  { error_code: code, error_message: message = "refused" }: StellarFault
): Answer => {
  if (isRpc(exchange)) return rpcAnswer(exchange, { error: { code: code ?? -32603, message } })
  const status = code === undefined || code < 400 || code > 599 ? 503 : code
  return { status, body: { type: "about:blank", title: message, status } }
}

const spoil = (exchange: Exchange, style: NonNullable<StellarFault["garbage"]>, { body, status }: Answer) => {
  if (style === "truncated") return exchange.truncate(JSON.stringify(body))
  const spoilt = Object.fromEntries(Object.keys(body).map((key) => [key, "unexpected"]))
  return exchange.answer(status, style === "invalid_json" ? notJson : JSON.stringify(spoilt))
}

/**
 * Answers Horizon's questions, and under `/rpc` those of Stellar RPC, over HTTP on 127.0.0.1 until the scope closes.
 * `submitTimeoutMs` is how long Horizon waits for a transaction to come into a ledger before it answers 504.
 */
export const make = Effect.fn("StellarNode.make")(function* (
  faucet: StellarFaucet,
  submitTimeoutMs: number,
  port = 0
): Effect.fn.Return<StellarNode, DevnetError, Scope.Scope> {
  const queue = makeFaultQueue<StellarFault>(submissions)
  const counts = new Map<string, number>()

  /** The newest ledger that the node seems to have. */
  const heightOf = (fault: StellarFault | undefined): number => {
    const lag = fault?.kind === "lag" ? (fault.lag_blocks ?? lagBlocksDefault) : 0
    return Math.max(1, faucet.chain.head().sequence - lag)
  }

  const respond = (exchange: Exchange, name: string, fault: StellarFault | undefined): Effect.Effect<Answer> => {
    if (fault?.kind === "empty") return Effect.succeed(empty(exchange, name))
    if (fault?.kind === "refuse") return Effect.succeed(refusal(exchange, fault))
    const once = Effect.suspend(() => {
      const view = { chain: faucet.chain, height: heightOf(fault) }
      return isRpc(exchange) ? askRpc(faucet, exchange, view) : askHorizon(faucet, exchange, view, submitTimeoutMs)
    })
    return fault?.kind === "duplicate" ? Effect.andThen(once, once) : once
  }

  const handle = Effect.fnUntraced(function* (exchange: Exchange) {
    const name = isRpc(exchange) ? (rpcCall(exchange.body)?.call.method ?? "unknown") : nameOf(exchange)
    counts.set(name, (counts.get(name) ?? 0) + 1)
    const fault = queue.take([name])
    if (fault?.kind === "drop") return yield* exchange.drop
    if (fault?.kind === "delay") yield* Effect.sleep(fault.delay_ms ?? delayMsDefault)
    const { body, status } = yield* respond(exchange, name, fault)
    // Horizon says it with what it knows of the state, and of what is not there, but never with history.
    const told = isState(exchange, name) && fault?.kind !== "refuse" ? { "Latest-Ledger": String(heightOf(fault)) } : {}
    if (fault?.kind === "lost_reply") return yield* exchange.drop
    if (fault?.kind === "garbage") return yield* spoil(exchange, fault.garbage ?? "truncated", { body, status })
    yield* exchange.answer(status, JSON.stringify(body), told)
  })

  const listening = yield* listen(port, handle)
  const horizonUrl = `http://127.0.0.1:${listening}`
  return {
    horizonUrl,
    rpcUrl: `${horizonUrl}${rpcPath}`,
    port: listening,
    inject: queue.inject,
    clear: queue.clear,
    pending: queue.pending,
    seen: Effect.sync(() => Object.fromEntries(counts))
  }
})
