import { Effect, Schema } from "effect"
import type { Scope } from "effect"
import { DevnetError } from "./DevnetError.ts"
import { listen } from "./HttpListener.ts"
import type { Exchange } from "./HttpListener.ts"

/** `POST /mine`. */
export const MineRequest = Schema.Struct({ count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })) })

/** `POST /fund`: `asset` is a currency code, `amount` a decimal string in its unit. `memo` is for networks that have memos. */
export const FundRequest = Schema.Struct({
  address: Schema.NonEmptyString,
  asset: Schema.NonEmptyString,
  amount: Schema.String.check(
    Schema.isPattern(/^(?:0|[1-9]\d{0,29})(?:\.\d{1,18})?$/u, { expected: "a decimal string" })
  ),
  memo: Schema.optionalKey(
    Schema.Struct({ type: Schema.Literals(["text", "id", "hash", "return"]), value: Schema.String })
  )
})

/** `POST /reorg`: the transactions of the lost blocks are mined again if `keep` is true, and are gone otherwise. */
export const ReorgRequest = Schema.Struct({
  depth: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })),
  keep: Schema.optionalKey(Schema.Boolean)
})

/** What a local node lets people do to it. Every result is sent as JSON. */
export interface ControlledNode {
  readonly mine: (request: typeof MineRequest.Type) => Effect.Effect<Schema.Json, DevnetError>
  readonly fund: (request: typeof FundRequest.Type) => Effect.Effect<Schema.Json, DevnetError>
  readonly reorg: (request: typeof ReorgRequest.Type) => Effect.Effect<Schema.Json, DevnetError>
  /**
   * Each node has its own kinds of fault and reads the body itself. `{"kind":"none"}` forgets the faults still to come.
   */
  readonly fault: (body: unknown) => Effect.Effect<Schema.Json, DevnetError>
  readonly state: Effect.Effect<Schema.Json, DevnetError>
}

/** A control server that answers. */
export interface ControlServer {
  readonly url: string
  readonly port: number
}

/** Decodes a request body; what is wrong with it becomes `invalid_request`. */
export const decodeRequest = <S extends Schema.Codec<unknown, unknown>>(
  schema: S,
  body: unknown
): Effect.Effect<S["Type"], DevnetError> =>
  Schema.decodeUnknownEffect(schema)(body).pipe(
    Effect.mapError(
      (error) =>
        new DevnetError({
          code: "invalid_request",
          message: error.message,
          hint: "Correct the body and send it again."
        })
    )
  )

const parsed = (text: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () =>
      new DevnetError({ code: "invalid_request", message: "the body is not JSON", hint: "Send a JSON object." })
  })

const routes = (
  node: ControlledNode
): Readonly<Record<string, (text: string) => Effect.Effect<Schema.Json, DevnetError>>> => ({
  "GET /state": () => node.state,
  "POST /mine": (text) =>
    parsed(text).pipe(
      Effect.flatMap((body) => decodeRequest(MineRequest, body)),
      Effect.flatMap(node.mine)
    ),
  "POST /fund": (text) =>
    parsed(text).pipe(
      Effect.flatMap((body) => decodeRequest(FundRequest, body)),
      Effect.flatMap(node.fund)
    ),
  "POST /reorg": (text) =>
    parsed(text).pipe(
      Effect.flatMap((body) => decodeRequest(ReorgRequest, body)),
      Effect.flatMap(node.reorg)
    ),
  "POST /fault": (text) => Effect.flatMap(parsed(text), node.fault)
})

const refusal = (code: string, message: string, hint: string) => JSON.stringify({ error: { code, message, hint } })

/**
 * Serves a node's controls as JSON over HTTP on 127.0.0.1 until the scope closes: `POST /mine`, `/fund`, `/reorg`,
 * `/fault` and `GET /state`.
 *
 * **Details**
 *
 * 200 with a result; 422 for a bad request and 502 when the node does not comply, with `{ error: { code, message, hint
 * } }`. A POST must be `application/json`, which a web page of another origin cannot send unasked.
 */
export const make = Effect.fn("ControlServer.make")(function* (
  node: ControlledNode,
  port = 0
): Effect.fn.Return<ControlServer, DevnetError, Scope.Scope> {
  const table = routes(node)
  const handle = (exchange: Exchange) => {
    const route = table[`${exchange.method} ${exchange.path}`]
    if (route === undefined) {
      return exchange.answer(
        404,
        refusal("not_found", "no such control", `There are ${Object.keys(table).join(", ")}.`)
      )
    }
    if (exchange.method === "POST" && !String(exchange.headers["content-type"]).startsWith("application/json")) {
      return exchange.answer(
        415,
        refusal("not_json", "the body must be application/json", "Set the content-type header.")
      )
    }
    return Effect.matchEffect(route(exchange.body), {
      onSuccess: (result) => exchange.answer(200, JSON.stringify(result)),
      onFailure: (error) =>
        exchange.answer(error.code === "invalid_request" ? 422 : 502, refusal(error.code, error.message, error.hint))
    })
  }
  const listening = yield* listen(port, handle)
  return { url: `http://127.0.0.1:${listening}`, port: listening }
})
