import { storable } from "@bursar/core/base/storable"
import { Effect, Redacted, Result, Semaphore } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import { redactEndpoint } from "@bursar/core/port/redactEndpoint"
import { inconsistent, NodeRefusal, toChainError, unreachable } from "./NodeAnswer.ts"
import { notAsked } from "@bursar/network-kit/answers"
import { nodePauseOf, type NodeReply } from "@bursar/network-kit/nodePause"
import { positive } from "@bursar/network-kit/positive"

const timeoutMsDefault = 20_000
const callsMaxDefault = 8

/** The largest answer that is read: a full block in hexadecimal has 8 MB, a batch of 100 large transactions 80 MB. */
const answerBytesMax = 128 * 1024 * 1024

/** How a node is asked. Every call or batch is one HTTP request, made once: the callers of the port ask again. */
export interface BitcoinRpc {
  /** The `result` of a call, unchecked. Fails with `NodeRefusal` when the node answers with an error. */
  readonly call: (
    doing: string,
    method: string,
    params: ReadonlyArray<unknown>
  ) => Effect.Effect<unknown, ChainError | NodeRefusal>
  /** The same, with refusals as errors of the port. */
  readonly ask: (doing: string, method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, ChainError>
  /** Many calls of one method in one request; the results are in the order of `params`. */
  readonly askAll: (
    doing: string,
    method: string,
    params: ReadonlyArray<ReadonlyArray<unknown>>
  ) => Effect.Effect<ReadonlyArray<Result.Result<unknown, NodeRefusal>>, ChainError>
}

/** Where and how a node is asked. */
export interface BitcoinRpcOptions {
  readonly rpcUrl: Redacted.Redacted<string>
  readonly timeoutMs?: number
  readonly callsMax?: number
}

/** Says that an answer went beyond {@link answerBytesMax}. */
class TooLarge extends Error {}

const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && name in value ? Reflect.get(value, name) : undefined

/** The address without its user and password, and the header that carries them. */
const endpoint = (secret: Redacted.Redacted<string>) => {
  const text = Redacted.value(secret)
  if (!/^https?:\/\//iu.test(text) || !URL.canParse(text))
    throw new Error("the rpc url of bitcoin is not an http(s) address")
  const url = new URL(text)
  const user = decodeURIComponent(url.username)
  const password = decodeURIComponent(url.password)
  const clean = redactEndpoint([text])
  url.username = ""
  url.password = ""
  const credentials = Buffer.from(`${user}:${password}`, "utf8").toString("base64")
  return {
    url: url.href,
    headers: {
      "content-type": "application/json",
      ...(user === "" && password === "" ? {} : { authorization: `Basic ${credentials}` })
    },
    clean
  }
}

const notJson = ({ status, text }: NodeReply): string => {
  if (status === 401) return "the node refused the user and password of the rpc url (HTTP 401)"
  if (status === 403) return "the node does not take calls from here (HTTP 403): see its rpcallowip"
  return `HTTP ${status} and no JSON: ${text}`
}

/** Posts questions, and gives the JSON that is answered. */
const postTo = (
  { clean, headers, url }: ReturnType<typeof endpoint>,
  { callsMax, timeoutMs }: { readonly callsMax: number; readonly timeoutMs: number }
): ((doing: string, method: string, body: unknown) => Effect.Effect<unknown, ChainError>) => {
  const semaphore = Semaphore.makeUnsafe(callsMax)
  const pause = nodePauseOf(url)
  return (doing, method, body) =>
    Effect.tryPromise({
      try: async (signal): Promise<NodeReply> => {
        const response = await fetch(url, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
          signal,
          redirect: "error"
        })
        const decoder = new TextDecoder()
        let bytes = 0
        let text = ""
        for await (const chunk of response.body ?? []) {
          bytes += chunk.length
          if (bytes > answerBytesMax) throw new TooLarge()
          text += decoder.decode(chunk, { stream: true })
        }
        const retryAfter = response.headers.get("retry-after")
        return { status: response.status, text: text + decoder.decode(), retryAfter }
      },
      catch: (cause) =>
        cause instanceof TooLarge
          ? inconsistent(doing, `the answer to ${method} is larger than ${answerBytesMax} bytes`)
          : unreachable(doing, clean(`${method}: ${reasonOf(cause)}`))
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.fail(unreachable(doing, `${method}: no answer within ${timeoutMs} ms`))
      }),
      Effect.tap(pause.note),
      (ask) => pause.unlessPaused(ask, (detail) => notAsked(unreachable(doing, `${method}: ${detail}`))),
      Semaphore.withPermits(semaphore, 1),
      Effect.flatMap((reply) =>
        Effect.try({
          try: (): unknown => JSON.parse(reply.text),
          catch: () => unreachable(doing, clean(`${method}: ${notJson(reply)}`))
        })
      )
    )
}

/** The outcome of the question with this id. */
const outcomeOf = (
  { clean, doing }: { readonly clean: (text: string) => string; readonly doing: string },
  answer: unknown,
  id: number
): Result.Result<unknown, ChainError | NodeRefusal> => {
  if (field(answer, "id") !== id) return Result.fail(inconsistent(doing, "the answer belongs to another question"))
  const error = field(answer, "error")
  if (error === undefined || error === null) return Result.succeed(field(answer, "result"))
  const code = field(error, "code")
  const message = field(error, "message")
  const detail = storable(clean(typeof message === "string" ? message : JSON.stringify(error)))
  return Result.fail(new NodeRefusal({ doing, code: typeof code === "number" ? code : 0, detail }))
}

/** Calls to one node. Throws when the address is no http(s) URL: a mistake of the configuration. */
export const makeBitcoinRpc = (options: BitcoinRpcOptions): BitcoinRpc => {
  const { callsMax = callsMaxDefault, rpcUrl, timeoutMs = timeoutMsDefault } = options
  positive("timeoutMs", timeoutMs)
  positive("callsMax", callsMax)
  const node = endpoint(rpcUrl)
  const { clean } = node
  const post = postTo(node, { callsMax, timeoutMs })

  const call: BitcoinRpc["call"] = (doing, method, params) =>
    Effect.flatMap(post(doing, method, { jsonrpc: "1.0", id: 0, method, params }), (answer) =>
      Effect.fromResult(outcomeOf({ clean, doing }, answer, 0))
    )

  return {
    call,
    ask: (doing, method, params) =>
      Effect.catchTag(call(doing, method, params), "NodeRefusal", (refusal) => Effect.fail(toChainError(refusal))),
    askAll: Effect.fnUntraced(function* (doing, method, params) {
      if (params.length === 0) return []
      const body = params.map((of, id) => ({ jsonrpc: "1.0", id, method, params: of }))
      const answers = yield* post(doing, method, body)
      if (!Array.isArray(answers) || answers.length !== params.length) {
        return yield* inconsistent(doing, `${method}: ${params.length} questions were not answered by as many answers`)
      }
      const results: Array<Result.Result<unknown, NodeRefusal>> = []
      for (const [id, answer] of answers.entries()) {
        const result = outcomeOf({ clean, doing }, answer, id)
        if (Result.isFailure(result) && result.failure._tag === "ChainError") return yield* result.failure
        results.push(result as Result.Result<unknown, NodeRefusal>)
      }
      return results
    })
  }
}
