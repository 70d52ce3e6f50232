import { notAsked } from "@bursar/network-kit/answers"
import { nodePauseOf } from "@bursar/network-kit/nodePause"
import { Effect, Redacted, Result, Semaphore } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import { redactEndpoint } from "@bursar/core/port/redactEndpoint"
import { absent, inconsistent, unreachable } from "./NodeAnswer.ts"

/** The largest answer that is read. */
const answerBytesMax = 64 * 1024 * 1024

/** The largest page that is read where fewer records can be asked for: no more than a slow line carries in time. */
const pageBytesMax = 16 * 1024 * 1024

/** How a node is asked. Every question is one HTTP request, made once: the callers of the port ask again. */
export interface HorizonHttp {
  /** The answer to `GET /{path}`, unchecked but for being JSON. `absent` where Horizon itself says that there is nothing. */
  readonly get: (
    doing: string,
    path: string,
    query?: Readonly<Record<string, string>>
  ) => Effect.Effect<unknown, ChainError>
  /** The same with the size of its text, but undefined where that is larger than 16 MiB: then ask for less. */
  readonly getPage: (
    doing: string,
    path: string,
    query?: Readonly<Record<string, string>>
  ) => Effect.Effect<{ readonly answer: unknown; readonly bytes: number } | undefined, ChainError>
  /**
   * The same of the state of an account: with the newest ledger that the answer is from, where Horizon says so (`Latest-Ledger`, which it sends with
   * state and never with history). The answer is undefined where there is nothing: that too is so up to a ledger.
   */
  readonly getState: (
    doing: string,
    path: string,
    query?: Readonly<Record<string, string>>
  ) => Effect.Effect<{ readonly answer: unknown; readonly latestLedger: number | undefined }, ChainError>
  /** The answer to a form that is posted, whatever its status; `unreachable` where it is not JSON. */
  readonly post: (
    doing: string,
    path: string,
    form: Readonly<Record<string, string>>
  ) => Effect.Effect<{ readonly status: number; readonly answer: unknown }, ChainError>
  /** The answer of Stellar RPC to a question without parameters, unchecked; undefined where there is no such node. */
  readonly rpc: ((doing: string, method: string) => Effect.Effect<unknown, ChainError>) | undefined
}

/** Where a node is, and how it is asked. */
export interface HorizonHttpOptions {
  readonly horizonUrl: Redacted.Redacted<string>
  readonly rpcUrl: Redacted.Redacted<string> | undefined
  readonly timeoutMs: number
  readonly callsMax: number
}

const baseOf = (name: string, url: Redacted.Redacted<string>): URL => {
  const text = Redacted.value(url)
  if (!/^https?:\/\//iu.test(text) || !URL.canParse(text)) {
    throw new Error(`the ${name} of stellar is not an http(s) address`)
  }
  return new URL(text)
}

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

const authorizationOf = ({ password, username }: URL): Record<string, string> =>
  username === ""
    ? {}
    : { authorization: `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}` }

const withoutUser = (url: URL): URL => {
  const bare = new URL(url)
  bare.username = ""
  bare.password = ""
  return bare
}

const parsed = (text: string): unknown => Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))

/** Whether an answer is Horizon's own word for a status: gateways say 404 as well when the address is wrong. */
const isProblem = (status: number, text: string): boolean => {
  const answer = parsed(text)
  return typeof answer === "object" && answer !== null && "status" in answer && answer.status === status
}

const ledgerIn = (header: string | null): number | undefined =>
  header !== null && /^[0-9]{1,10}$/u.test(header) ? Number(header) : undefined

/** There is nothing, and there is nothing any more. */
const absentStatuses: ReadonlySet<number> = new Set([404, 410])

/** One request, with the words for what it is for and for what is asked, which errors say. */
interface Question {
  readonly doing: string
  readonly what: string
  /** The address of the node, and that of the question below it. */
  readonly base: URL
  readonly url: URL
  readonly init: RequestInit
  readonly contentType?: string
}

interface Exchanged {
  readonly headers: Headers
  readonly status: number
  readonly text: string
}

type Clean = ReturnType<typeof redactEndpoint>

const failure =
  (clean: Clean, { doing, what }: Question) =>
  (detail: string) =>
    unreachable(doing, clean(`${what}: ${detail}`))

/** Asks questions, so many at once: the answers have their text, which is undefined where it is too large. */
const exchanging = (clean: Clean, { callsMax, timeoutMs }: Pick<HorizonHttpOptions, "callsMax" | "timeoutMs">) => {
  const semaphore = Semaphore.makeUnsafe(callsMax)
  return (question: Question, bytesMax: number) => {
    const { base, contentType = "application/json", init, url } = question
    const pause = nodePauseOf(base.href)
    const failed = failure(clean, question)
    return Effect.tryPromise({
      try: async (signal) => {
        const { body, headers, status } = await fetch(withoutUser(url), {
          ...init,
          headers: { accept: "application/json", "content-type": contentType, ...authorizationOf(url) },
          signal
        })
        const decoder = new TextDecoder()
        let text = ""
        let bytes = 0
        for await (const chunk of body ?? []) {
          bytes += chunk.length
          if (bytes > bytesMax) return { headers, status, bytes, text: undefined }
          text += decoder.decode(chunk, { stream: true })
        }
        return { headers, status, bytes, text: text + decoder.decode() }
      },
      catch: (error) => failed(messageOf(error))
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.fail(failed(`no answer within ${timeoutMs} ms`))
      }),
      Effect.tap(({ headers, status, text = "" }) =>
        pause.note({ status, text, retryAfter: headers.get("retry-after") })
      ),
      (ask) => pause.unlessPaused(ask, (detail) => notAsked(failed(detail))),
      Semaphore.withPermits(semaphore, 1)
    )
  }
}

/** The JSON of an answer; fails with what its status says. */
const readAnswer = (
  clean: Clean,
  question: Question,
  { status, text }: Pick<Exchanged, "status" | "text">
): Effect.Effect<unknown, ChainError> => {
  const failed = failure(clean, question)
  if (absentStatuses.has(status) && isProblem(status, text)) {
    return Effect.fail(
      absent(question.doing, status === 410 ? "the node keeps no history so old" : "the node does not know it")
    )
  }
  if (status === 429)
    return Effect.fail(failed("HTTP 429: the node's rate limit is reached; wait, or use a node of your own"))
  if (status !== 200) return Effect.fail(failed(`HTTP ${status}: ${text}`))
  const answer = parsed(text)
  return answer === undefined ? Effect.fail(failed(`the answer is not JSON: ${text}`)) : Effect.succeed(answer)
}

const urlBelow = (base: URL, path: string, query: Readonly<Record<string, string>> = {}): URL => {
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/+$/u, "")}/${path}`
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

/** Questions to one node. Throws when an address is no http(s) URL: a mistake of the configuration. */
export const makeHorizonHttp = ({ horizonUrl, rpcUrl, ...limits }: HorizonHttpOptions): HorizonHttp => {
  const base = baseOf("horizon url", horizonUrl)
  const rpcBase = rpcUrl === undefined ? undefined : baseOf("rpc url", rpcUrl)
  const clean = redactEndpoint([base.href, ...(rpcBase === undefined ? [] : [rpcBase.href])])
  const exchangeAny = exchanging(clean, limits)

  const exchange = (question: Question): Effect.Effect<Exchanged, ChainError> =>
    Effect.flatMap(exchangeAny(question, answerBytesMax), ({ headers, status, text }) =>
      text === undefined
        ? Effect.fail(inconsistent(question.doing, `${question.what}: more than ${answerBytesMax} bytes`))
        : Effect.succeed({ headers, status, text })
    )
  const ask = (question: Question) =>
    Effect.flatMap(exchange(question), (exchanged) => readAnswer(clean, question, exchanged))

  const getting = (doing: string, path: string, query?: Readonly<Record<string, string>>): Question => ({
    doing,
    what: `GET /${path}`,
    base,
    url: urlBelow(base, path, query),
    init: { method: "GET" }
  })

  return {
    rpc:
      rpcBase === undefined
        ? undefined
        : (doing, method) => {
            const init = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method }) }
            return ask({ doing, what: method, base: rpcBase, url: rpcBase, init })
          },
    get: (doing, path, query) => ask(getting(doing, path, query)),
    getPage: (doing, path, query) => {
      const question = getting(doing, path, query)
      return Effect.flatMap(exchangeAny(question, pageBytesMax), ({ bytes, status, text }) =>
        text === undefined
          ? Effect.succeed(undefined)
          : Effect.map(readAnswer(clean, question, { status, text }), (answer) => ({ answer, bytes }))
      )
    },
    getState: (doing, path, query) =>
      Effect.gen(function* () {
        const question = getting(doing, path, query)
        const exchanged = yield* exchange(question)
        const answer = yield* readAnswer(clean, question, exchanged).pipe(
          Effect.catchIf(
            ({ reason }) => reason === "absent",
            () => Effect.succeed(undefined)
          )
        )
        return { answer, latestLedger: ledgerIn(exchanged.headers.get("latest-ledger")) }
      }),
    post: (doing, path, form) => {
      const init = { method: "POST", body: new URLSearchParams(form).toString() }
      const contentType = "application/x-www-form-urlencoded"
      const question = { doing, what: `POST /${path}`, base, url: urlBelow(base, path), init, contentType }
      return Effect.flatMap(exchange(question), ({ status, text }) => {
        const answer = parsed(text)
        return answer === undefined
          ? Effect.fail(failure(clean, question)(`HTTP ${status}: ${text}`))
          : Effect.succeed({ status, answer })
      })
    }
  }
}
