import { notAsked } from "@bursar/network-kit/answers"
import { nodePauseOf } from "@bursar/network-kit/nodePause"
import { Effect, Redacted, Semaphore } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import { redactEndpoint } from "@bursar/core/port/redactEndpoint"
import { parseExactJson } from "./exactJson.ts"
import { AnswerTooLarge, inconsistent, MissingEndpoint, shortened, unreachable } from "./NodeAnswer.ts"

/** Which of the two views of a node is asked: the newest blocks, or those that cannot be replaced. */
export type Scope = "wallet" | "walletsolidity"

/** How a node is asked. Every call is one HTTP request, made once: the callers of the port ask again. */
export interface Rpc {
  /**
   * The answer of `POST /{scope}/{endpoint}`, unchecked but for being JSON without an `Error`. Whole numbers beyond 2^53 are
   * bigint in it.
   */
  readonly call: (
    doing: string,
    scope: Scope,
    endpoint: string,
    body: Readonly<Record<string, unknown>>
  ) => Effect.Effect<unknown, ChainError | MissingEndpoint>
  /** The same, but an answer above the limit fails with `AnswerTooLarge`, so that the caller can ask for less at a time. */
  readonly callSized: (
    ...call: Parameters<Rpc["call"]>
  ) => Effect.Effect<unknown, ChainError | MissingEndpoint | AnswerTooLarge>
}

/** Where a node is, and how it is asked. */
export interface RpcOptions {
  readonly nodeUrl: Redacted.Redacted<string>
  readonly solidityUrl: Redacted.Redacted<string>
  readonly apiKey: Redacted.Redacted<string> | undefined
  readonly timeoutMs: number
  readonly callsMax: number
  readonly answerBytesMax: number
}

const baseOf = (name: string, url: Redacted.Redacted<string>): URL => {
  const text = Redacted.value(url)
  if (!/^https?:\/\//iu.test(text) || !URL.canParse(text))
    throw new Error(`the ${name} of tron is not an http(s) address`)
  return new URL(text)
}

/** The address of an endpoint below that of the node, whose path and query providers use for keys. */
const endpointOf = (base: URL, path: string): URL => {
  const url = new URL(base)
  url.username = ""
  url.password = ""
  url.pathname = `${base.pathname.replace(/\/+$/u, "")}/${path}`
  return url
}

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

const errorIn = (answer: unknown): string | undefined => {
  if (typeof answer !== "object" || answer === null || !("Error" in answer)) return undefined
  return typeof answer.Error === "string" ? answer.Error : JSON.stringify(answer.Error)
}

/** Calls to one node. Throws when an address is no http(s) URL: a mistake of the configuration. */
export const makeRpc = (options: RpcOptions): Rpc => {
  const { answerBytesMax, apiKey, timeoutMs } = options
  const bases: Readonly<Record<Scope, URL>> = {
    wallet: baseOf("node url", options.nodeUrl),
    walletsolidity: baseOf("solidity url", options.solidityUrl)
  }
  const redacted = redactEndpoint(
    [bases.wallet.href, bases.walletsolidity.href],
    apiKey === undefined ? [] : [Redacted.value(apiKey)]
  )
  const clean = (detail: string) => shortened(redacted(detail))
  const headersOf = ({ password, username }: URL): Record<string, string> => ({
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { "TRON-PRO-API-KEY": Redacted.value(apiKey) }),
    ...(username === ""
      ? {}
      : { authorization: `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}` })
  })
  const semaphore = Semaphore.makeUnsafe(options.callsMax)

  const callSized: Rpc["callSized"] = (doing, scope, endpoint, body) => {
    const path = `${scope}/${endpoint}`
    // either view may have a node of its own
    const pause = nodePauseOf(bases[scope].href)
    const failed = (detail: string) => unreachable(doing, clean(`${path}: ${detail}`))
    return Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(endpointOf(bases[scope], path), {
          method: "POST",
          headers: headersOf(bases[scope]),
          body: JSON.stringify(body),
          signal
        })
        const decoder = new TextDecoder()
        let text = ""
        let bytes = 0
        for await (const chunk of response.body ?? []) {
          bytes += chunk.length
          if (bytes > answerBytesMax) return { status: response.status, text: undefined, retryAfter: null }
          text += decoder.decode(chunk, { stream: true })
        }
        const retryAfter = response.headers.get("retry-after")
        return { status: response.status, text: text + decoder.decode(), retryAfter }
      },
      catch: (error) => failed(messageOf(error))
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.fail(failed(`no answer within ${timeoutMs} ms`))
      }),
      Effect.tap(({ text = "", ...reply }) => pause.note({ ...reply, text })),
      (ask) => pause.unlessPaused(ask, (detail) => notAsked(failed(detail))),
      Semaphore.withPermits(semaphore, 1),
      Effect.flatMap(({ status, text }): ReturnType<Rpc["callSized"]> => {
        if (text === undefined) return Effect.fail(new AnswerTooLarge({ doing, path, bytesMax: answerBytesMax }))
        if (status === 404 || status === 405) return Effect.fail(new MissingEndpoint({ doing, path }))
        if (status !== 200) return Effect.fail(failed(`HTTP ${status}: ${text}`))
        return Effect.try({ try: () => parseExactJson(text), catch: () => failed(`the answer is not JSON: ${text}`) })
      }),
      Effect.flatMap((answer) => {
        const error = errorIn(answer)
        return error === undefined ? Effect.succeed(answer) : Effect.fail(failed(`the node refused: ${error}`))
      })
    )
  }

  return {
    callSized,
    call: (...call) =>
      Effect.catchTag(callSized(...call), "AnswerTooLarge", ({ bytesMax, doing, path }) =>
        Effect.fail(inconsistent(doing, `${path}: more than ${bytesMax} bytes`))
      )
  }
}
