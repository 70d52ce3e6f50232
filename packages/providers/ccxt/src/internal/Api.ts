import { shortened } from "@bursar/core/base/shortened"
import type { Exchange } from "ccxt"
import type { CallTurns } from "@bursar/core/port/CallTurns"
import { Clock, Effect, Redacted, Schema } from "effect"
import type { CcxtOptions } from "../CcxtOptions.ts"
import { isOutOfTurn, numbers, timeoutMsDefault, turnsOf } from "./turns.ts"
import { CallError, type RefusalReader, unanswered, unsent } from "./CallError.ts"

/** The endpoints of an exchange, by the names that ccxt gives them. */
export interface Api {
  /** Calls an endpoint once and reads its answer. Once begun it cannot be interrupted: what was sent is waited for. */
  readonly call: <S extends Schema.Codec<unknown, unknown>>(
    endpoint: string,
    params: Readonly<Record<string, unknown>>,
    schema: S
  ) => Effect.Effect<S["Type"], CallError>
  /** Calls an endpoint that moves value, unless it is too late for that when its turn comes. */
  readonly send: <S extends Schema.Codec<unknown, unknown>>(
    endpoint: string,
    params: Readonly<Record<string, unknown>>,
    schema: S,
    sendBefore: number
  ) => Effect.Effect<S["Type"], CallError>
}

/** Beyond the time of one call: for waiting one's turn, and for a body that does not end. */
const patienceMs = 30_000

/** How often a read is made again that came out of turn, which was not carried out. */
const readsAgainMax = 3

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
const withoutQuery = (text: string): string => shortened(text.replace(/\?\S*/gu, "?…"), detailMax)

const callErrorOf =
  (refusalOf: RefusalReader) =>
  (cause: unknown): CallError => {
    if (cause instanceof Answered) {
      const refusal = refusalOf(cause.body)
      return refusal === undefined
        ? unanswered(`the exchange answered ${cause.status}`)
        : new CallError({ kind: "Answered", code: refusal.code, detail: shortened(refusal.message, detailMax) })
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
 * repetition (`maxRetriesOnFailure`), which would send a withdrawal again after a timeout. `turns` is needed for what the
 * exchange takes in order only: without it, such endpoints cannot be called.
 */
export const make = Effect.fn("Api.make")(function* (
  options: CcxtOptions,
  refusalOf: RefusalReader,
  turns: CallTurns["Service"] | null
) {
  const exchange = yield* Effect.cached(Effect.map(opened(options), (loaded) => ({ loaded, ...numbers(loaded) })))
  const timeoutMs = options.timeoutMs ?? timeoutMsDefault
  const ask = (endpoint: string, params: Readonly<Record<string, unknown>>, number: bigint | null) =>
    Effect.flatMap(exchange, ({ loaded, setNumber }) => {
      if (number !== null) setNumber(number)
      // ccxt makes the methods of its endpoints at run time; their names are checked by the tests of each exchange
      const methods = loaded as unknown as Readonly<Record<string, (params: object) => Promise<unknown>>>
      const call = () => methods[endpoint]?.call(loaded, params) ?? Promise.reject(new Error(endpoint))
      return Effect.tryPromise({
        try: () => within(call(), timeoutMs + patienceMs),
        catch: (cause) => (cause instanceof CallError ? cause : callErrorOf(refusalOf)(cause))
      })
    })
  const inTurn = turnsOf(options, turns)
  const send: Api["send"] = (endpoint, params, schema, sendBefore) =>
    inTurn(endpoint, (number) =>
      Effect.gen(function* () {
        // whoever waited for a turn, or was frozen before it, may be too late by now
        if ((yield* Clock.currentTimeMillis) >= sendBefore) return yield* unsent("the order is too old to be sent")
        return yield* ask(endpoint, params, number)
      }).pipe(Effect.uninterruptible)
    ).pipe(
      Effect.flatMap((answer) =>
        Effect.mapError(Schema.decodeUnknownEffect(schema)(answer), () =>
          unanswered(`the answer of ${endpoint} cannot be read`)
        )
      )
    )
  const api: Api = {
    call: (endpoint, params, schema) =>
      Effect.retry(send(endpoint, params, schema, Infinity), { times: readsAgainMax, while: isOutOfTurn }),
    send
  }
  return api
})
