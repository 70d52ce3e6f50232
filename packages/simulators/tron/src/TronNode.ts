import { Clock, Effect } from "effect"
import type { Scope } from "effect"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { listen } from "@bursar/simulator-kit/HttpListener"
import type { Exchange } from "@bursar/simulator-kit/HttpListener"
import type { Chain } from "./Chain.ts"
import { emptyAnswer, refusal, spoil } from "./faultAnswers.ts"
import { type Json, parseObject, stringify } from "./json.ts"
import { answer, errorJson, knows } from "./nodeApi.ts"
import { broadcasts, type TronFault } from "./TronFault.ts"
import { delayMsDefault, lagBlocksDefault } from "@bursar/simulator-kit/Fault"
import { type Faults, makeFaultQueue } from "@bursar/simulator-kit/FaultQueue"
import type { Transaction } from "./Transaction.ts"

/** The HTTP side of the local node, with the faults it has been told to have. */
export interface TronNode extends Faults<TronFault> {
  readonly url: string
  readonly port: number
  /** How many requests have come in, by endpoint: proof of what a client did and did not ask. */
  readonly seen: Effect.Effect<Readonly<Record<string, number>>>
}

/** What java-tron answers to a path that it does not have. */
const noSuchPath =
  "<html>\n<head>\n<title>Error 405 HTTP method POST is not supported by this URL</title>\n</head>\n<body><h2>HTTP ERROR 405</h2></body>\n</html>\n"

/** Texts that a query gives in place of numbers are read by the questions themselves. */
const bodyOf = ({ body, method, query }: Exchange) => (method === "GET" ? Object.fromEntries(query) : parseObject(body))

const route = /^\/(wallet|walletsolidity)\/([a-z0-9]+)\/?$/u

/** Answers java-tron's questions over HTTP on 127.0.0.1 until the scope closes. */
export const make = Effect.fn("TronNode.make")(function* (
  chain: Chain,
  submit: (transaction: Transaction, now: number) => void,
  port = 0
): Effect.fn.Return<TronNode, DevnetError, Scope.Scope> {
  const queue = makeFaultQueue<TronFault>(broadcasts)
  const counts = new Map<string, number>()

  const truth = (scope: string, endpoint: string, exchange: Exchange, lag: number) =>
    Effect.map(Clock.currentTimeMillis, (now): Json => {
      const body = bodyOf(exchange)
      if (body === undefined)
        return errorJson("com.alibaba.fastjson.JSONException", "the body is not an object of JSON")
      const latest = Math.max(0, chain.head().number - lag)
      const height = scope === "wallet" ? latest : Math.min(latest, Math.max(0, chain.solid() - lag))
      const pending = scope === "wallet" && lag === 0
      const view = { chain, height, pending, now, submit: (transaction: Transaction) => submit(transaction, now) }
      return answer(view, scope, endpoint, body)
    })

  const answered = (scope: string, endpoint: string, exchange: Exchange, fault: TronFault | undefined) => {
    if (fault?.kind === "empty") return Effect.succeed(emptyAnswer(endpoint))
    if (fault?.kind === "refuse") return Effect.succeed(refusal(endpoint, fault))
    const lag = fault?.kind === "lag" ? (fault.lag_blocks ?? lagBlocksDefault) : 0
    const once = truth(scope, endpoint, exchange, lag)
    return fault?.kind === "duplicate" ? Effect.andThen(once, once) : once
  }

  const handle = Effect.fnUntraced(function* (exchange: Exchange) {
    const [, scope = "", endpoint = ""] = route.exec(exchange.path) ?? []
    if (!knows(scope, endpoint)) return yield* exchange.answer(405, noSuchPath)
    counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1)
    const fault = queue.take([endpoint])
    if (fault?.kind === "drop") return yield* exchange.drop
    if (fault?.kind === "delay") yield* Effect.sleep(fault.delay_ms ?? delayMsDefault)
    const value = yield* answered(scope, endpoint, exchange, fault)
    if (fault?.kind === "lost_reply") return yield* exchange.drop
    if (fault?.kind === "garbage") return yield* spoil(exchange, fault.garbage ?? "truncated", value)
    yield* exchange.answer(200, stringify(value))
  })

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
