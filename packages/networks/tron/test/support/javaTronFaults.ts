import { emptyAnswer, refusal, spoil } from "@bursar/simulator-tron/faultAnswers"
import { type Json, stringify } from "@bursar/simulator-tron/json"
import { broadcasts, type TronFault } from "@bursar/simulator-tron/TronFault"
import { lagBlocksDefault } from "@bursar/simulator-kit/Fault"
import { makeFaultQueue } from "@bursar/simulator-kit/FaultQueue"
import { type Exchange, listen } from "@bursar/simulator-kit/HttpListener"
import { Effect } from "effect"
import type { JavaTron, JsonObject } from "./JavaTron.ts"

/** A proxy before a real java-tron that injects the devnet's faults. */
export interface JavaTronFaults {
  /** Serves both `/wallet` and `/walletsolidity`. */
  readonly url: string
  readonly inject: (fault: TronFault) => Effect.Effect<void>
  readonly clear: Effect.Effect<void>
}

const numberIn = (block: unknown): number | undefined => {
  const header = (block as { readonly block_header?: { readonly raw_data: { readonly number?: number } } }).block_header
  return header === undefined ? undefined : (header.raw_data.number ?? 0)
}

/** The height of the block that an answer is about; undefined where it is about none. */
const heightIn = (answer: unknown): number | undefined =>
  Array.isArray(answer)
    ? (answer[0] as { readonly blockNumber?: number } | undefined)?.blockNumber
    : (numberIn(answer) ?? (answer as { readonly blockNumber?: number }).blockNumber)

/**
 * The answer of a node that lags: it knows no block, transaction or info above its newest block. Account state does not lag.
 */
const behind = Effect.fnUntraced(function* (
  node: JavaTron,
  scope: string,
  endpoint: string,
  body: JsonObject,
  answer: unknown
) {
  const newest = Math.max(0, (yield* node.height) - lagBlocksDefault)
  const number = heightIn(answer)
  if (number === undefined || number <= newest) return answer
  const asksForNewest = endpoint === "getnowblock" || (endpoint === "getblock" && body["id_or_num"] === undefined)
  if (!asksForNewest) return emptyAnswer(endpoint)
  const detail = endpoint === "getnowblock" || body["detail"] === true
  const question = { id_or_num: String(newest), detail }
  return yield* scope === "wallet"
    ? node.ask("wallet/getblock", question)
    : node.askSolid("walletsolidity/getblock", question)
})

/** Starts the proxy until the scope closes. */
export const makeJavaTronFaults = Effect.fn("JavaTronFaults.make")(function* (node: JavaTron) {
  const queue = makeFaultQueue<TronFault>(broadcasts)
  const forward = ({ body, path }: Exchange, scope: string) =>
    Effect.promise(async () => {
      const behindIt = scope === "wallet" ? node.url : node.solidityUrl
      const response = await fetch(`${behindIt}${path}`, { method: "POST", body })
      return { status: response.status, text: await response.text() }
    })

  const handle = Effect.fnUntraced(function* (exchange: Exchange) {
    const [, scope = "", endpoint = ""] = exchange.path.split("/")
    const fault = queue.take([endpoint])
    if (fault?.kind === "drop") return yield* exchange.drop
    if (fault?.kind === "empty") return yield* exchange.answer(200, stringify(emptyAnswer(endpoint)))
    if (fault?.kind === "refuse") return yield* exchange.answer(200, stringify(refusal(endpoint, fault)))
    if (fault?.kind === "duplicate") yield* forward(exchange, scope)
    const { status, text } = yield* forward(exchange, scope)
    if (fault?.kind === "lost_reply") return yield* exchange.drop
    // What the node says is JSON.
    if (fault?.kind === "garbage") return yield* spoil(exchange, fault.garbage ?? "truncated", JSON.parse(text) as Json)
    if (fault?.kind !== "lag") return yield* exchange.answer(status, text)
    const late = yield* behind(node, scope, endpoint, JSON.parse(exchange.body) as JsonObject, JSON.parse(text))
    yield* exchange.answer(200, JSON.stringify(late))
  })

  const port = yield* listen(0, handle)
  const faults: JavaTronFaults = {
    url: `http://127.0.0.1:${port}`,
    inject: queue.inject,
    clear: queue.clear
  }
  return faults
})
