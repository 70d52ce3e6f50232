import type { Exchange } from "ccxt"
import { Effect, Redacted, Schema, Semaphore } from "effect"
import type { CcxtOptions } from "../CcxtOptions.ts"
import { CallError, type RefusalReader, unanswered } from "./CallError.ts"

/** The endpoints of an exchange, by the names that ccxt gives them. */
export interface Api {
  /** Calls an endpoint once and reads its answer. Once begun it cannot be interrupted: what was sent is waited for. */
  readonly call: <S extends Schema.Codec<unknown, unknown>>(
    endpoint: string,
    params: Readonly<Record<string, unknown>>,
    schema: S
  ) => Effect.Effect<S["Type"], CallError>
}

const timeoutMsDefault = 15_000

/** Beyond the time of one call: for waiting one's turn, and for a body that does not end. */
const patienceMs = 30_000

const detailMax = 300

/** An exchange's own "no", as it came over the wire. */
class Answered extends Error {
  readonly status: number
  readonly body: unknown
  constructor(status: number, body: unknown) {
    super(`answered ${status}`)
    this.status = status
    this.body = body
  }
}

/** ccxt writes URLs into its messages, and some exchanges sign in the query. */
const withoutQuery = (text: string): string => text.replace(/\?\S*/gu, "?…").slice(0, detailMax)

const callErrorOf =
  (refusalOf: RefusalReader) =>
  (cause: unknown): CallError => {
    if (cause instanceof Answered) {
      const refusal = refusalOf(cause.body)
      return refusal === undefined
        ? unanswered(`the exchange answered ${cause.status}`)
        : new CallError({ kind: "Answered", code: refusal.code, detail: refusal.message.slice(0, detailMax) })
    }
    if (!(cause instanceof Error)) return unanswered("the call failed")
    return unanswered(`${cause.constructor.name}: ${withoutQuery(cause.message)}`)
  }

/** The URLs of the API, which some exchanges have in several layers, at another origin. */
const atOrigin = (urls: unknown, origin: string): unknown => {
  if (typeof urls === "string") return urls.replace(/^https?:\/\/[^/]+/u, origin)
  if (typeof urls !== "object" || urls === null || Array.isArray(urls)) return urls
  return Object.fromEntries(Object.entries(urls).map(([key, value]) => [key, atOrigin(value, origin)]))
}

/**
 * Puts the status and the body of an answer into what is thrown. ccxt sorts errors into classes by tables that are not
 * complete, so that a duplicate reference can look like a refusal; an adapter decides by the exchange's own codes.
 */
const keepAnswers = (exchange: Exchange): void => {
  const own = exchange.handleErrors.bind(exchange)
  exchange.handleErrors = (status, reason, url, method, headers, body, response, ...rest) => {
    if (status >= 500) throw unanswered(`the exchange answered ${status}`)
    try {
      return own(status, reason, url, method, headers, body, response, ...rest)
    } catch {
      throw new Answered(status, response)
    }
  }
}

/** A nonce that kraken has seen before, or a smaller one, is refused. */
const risingNonce = (exchange: Exchange): void => {
  let last = 0
  exchange.nonce = () => {
    last = Math.max(last + 1, exchange.milliseconds())
    return last
  }
}

const opened = (options: CcxtOptions) =>
  Effect.tryPromise({
    try: () => import("ccxt"),
    catch: (cause) => unanswered(`ccxt cannot be loaded: ${String(cause)}`)
  }).pipe(
    Effect.map(({ default: ccxt }): Exchange => {
      const { credentials } = options
      const exchange = new ccxt[options.exchange]({
        apiKey: credentials === undefined ? "" : Redacted.value(credentials.apiKey),
        secret: credentials === undefined ? "" : Redacted.value(credentials.secret),
        password: credentials?.passphrase === undefined ? "" : Redacted.value(credentials.passphrase),
        timeout: options.timeoutMs ?? timeoutMsDefault,
        enableRateLimit: options.paced ?? true,
        number: String
      })
      if (options.baseUrl !== undefined) {
        const api = atOrigin(exchange.urls.api, options.baseUrl.replace(/\/$/u, ""))
        Object.assign(exchange.urls, { api })
      }
      if (options.exchange === "kraken") risingNonce(exchange)
      keepAnswers(exchange)
      return exchange
    })
  )

const within = <A>(promise: Promise<A>, limitMs: number): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unanswered(`no answer in ${limitMs} ms`)), limitMs)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/**
 * Opens an exchange when it is first called; loading ccxt takes half a second that a start should not. ccxt is told of no
 * repetition (`maxRetriesOnFailure`), which would send a withdrawal again after a timeout.
 */
export const make = Effect.fn("Api.make")(function* (options: CcxtOptions, refusalOf: RefusalReader) {
  const exchange = yield* Effect.cached(opened(options))
  const limitMs = (options.timeoutMs ?? timeoutMsDefault) + patienceMs
  // kraken's nonces must arrive in their order
  const inTurn =
    options.exchange === "kraken"
      ? Semaphore.withPermits(Semaphore.makeUnsafe(1), 1)
      : <A, E, R>(effect: Effect.Effect<A, E, R>) => effect
  const ask = (endpoint: string, params: Readonly<Record<string, unknown>>) =>
    Effect.flatMap(exchange, (loaded) => {
      // ccxt makes the methods of its endpoints at run time; their names are checked by the tests of each exchange
      const methods = loaded as unknown as Readonly<Record<string, (params: object) => Promise<unknown>>>
      return Effect.tryPromise({
        try: () => within(methods[endpoint]?.call(loaded, params) ?? Promise.reject(new Error(endpoint)), limitMs),
        catch: (cause) => (cause instanceof CallError ? cause : callErrorOf(refusalOf)(cause))
      })
    })
  const api: Api = {
    call: (endpoint, params, schema) =>
      ask(endpoint, params).pipe(
        inTurn,
        Effect.uninterruptible,
        Effect.flatMap((answer) =>
          Effect.mapError(Schema.decodeUnknownEffect(schema)(answer), () =>
            unanswered(`the answer of ${endpoint} cannot be read`)
          )
        )
      )
  }
  return api
})
