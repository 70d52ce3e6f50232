import { Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { BursarError } from "../error/BursarError.ts"
import { eachOf } from "../page/eachOf.ts"
import type { Pager } from "../page/pagers.ts"
import { makePartnerClient } from "../PartnerClient.ts"
import type { CallOptions, Client, IdempotentCallOptions } from "./Client.ts"
import { type ClientOptions, readClientOptions } from "./clientOptions.ts"
import { type EndpointShape, endpoints } from "./endpoints.ts"
import { type RawCall, runCall } from "./runCall.ts"

type Derived = Readonly<Record<string, Readonly<Record<string, (request: unknown) => RawCall>>>>

/** The derived client over `fetch`. Redirects are not followed: they would carry the key, or a payment, elsewhere. */
const derive = (options: ClientOptions): Promise<Derived> => {
  const { apiKey, baseUrl, fetch, signingKey } = readClientOptions(options)
  const { retry, timeoutMs } = options
  const common = { apiKey: Redacted.make(apiKey), baseUrl, retry, timeoutMs }
  const layerFetch = FetchHttpClient.layer.pipe(
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
    Layer.provide(fetch === undefined ? Layer.empty : Layer.succeed(FetchHttpClient.Fetch, fetch)),
    Layer.provide(Layer.succeed(HttpClient.TracerDisabledWhen, () => true))
  )
  const made =
    signingKey === undefined
      ? makePartnerClient(common)
      : makePartnerClient({ ...common, signing: { privateJwk: Redacted.make(signingKey) } })
  return Effect.runPromise(
    made.pipe(
      Effect.provide(layerFetch),
      Effect.mapError(
        ({ message }) => new BursarError({ code: "signing_key_unreadable", message, status: null, retryable: false })
      ),
      // The shape of the derived client is that of the contract, over which the calls below run.
      Effect.map((client) => client as unknown as Derived)
    )
  )
}

const visible = /^[\x21-\x7e]{1,257}$/u

/** The key that was given, or one of the call's own. JavaScript may give something else, such as null for a key that was not found. */
const keyOf = (given: unknown): string => {
  const key = given === undefined ? crypto.randomUUID() : given
  if (typeof key === "string" && visible.test(key)) return key
  // The service refuses other mistakes itself; this one would never reach it.
  const message = "An idempotency key is 1 to 255 characters from A-Z, a-z, 0-9 and . _ ~ : -, and neither . nor .."
  throw new BursarError({ code: "idempotency_key_invalid", message, status: null, retryable: false })
}

const badCall = (message: string, cause?: unknown): BursarError =>
  new BursarError({ code: "invalid_request", message, status: null, retryable: false, cause })

/** A value as JSON carries it: members that are undefined are not there. */
const asJson = (value: unknown): unknown => {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch (cause) {
    throw badCall(
      "The body or the query of the call is nothing that JSON can carry: write an amount as a string.",
      cause
    )
  }
}

const knownOptions: Readonly<Record<keyof IdempotentCallOptions, true>> = {
  idempotencyKey: true,
  onAnswer: true,
  requestId: true,
  signal: true,
  timeoutMs: true
}

/** Whether it is an object of no class, of whatever realm. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * What was given after the id and the body or query. What is no option is not ignored: a key that is misspelt, or that stands elsewhere,
 * would leave the call with one of its own, and pay twice where it is made again.
 */
const optionsOf = (given: ReadonlyArray<unknown>): IdempotentCallOptions => {
  const [options, ...more] = given
  if (more.some((one) => one !== undefined)) throw badCall("The call was given more than it takes.")
  if (options === undefined || options === null) return {}
  // what a Headers or a list holds is in no member of it
  if (typeof options !== "object" || !isPlain(options)) throw badCall("The options of the call are not a plain object.")
  const strange = Object.keys(options).find((name) => !Object.hasOwn(knownOptions, name))
  if (strange !== undefined)
    throw badCall(`The call has no option ${strange}. It has ${Object.keys(knownOptions).join(", ")}.`)
  // The types of the functions say what the values are.
  return options
}

/** Refuses a request id with which a request cannot be sent. In place of other wrong ones the service makes one of its own. */
const checkRequestId = (requestId: string | undefined): void => {
  if (requestId === undefined) return
  try {
    new Headers().set("x-request-id", requestId)
  } catch {
    throw badCall("A requestId is 1 to 128 visible ASCII characters; this one cannot stand in a header.")
  }
}

const callOf =
  (derived: () => Promise<Derived>, { group, input, isAnswer, name, needsKey, params }: EndpointShape) =>
  async (...given: ReadonlyArray<unknown>): Promise<unknown> => {
    const ids = Object.fromEntries(params.map((param, index) => [param, given[index]]))
    const body = asJson(given[params.length] ?? {})
    const options = optionsOf(given.slice(params.length + (input === undefined ? 0 : 1)))
    checkRequestId(options.requestId)
    const key = needsKey ? keyOf(options.idempotencyKey) : undefined
    const method = (await derived())[group]?.[name]
    if (method === undefined) throw new TypeError(`The contract has no ${group}.${name}.`)
    const request = {
      params: ids,
      ...(input === undefined ? {} : { [input]: body }),
      headers: key === undefined ? {} : { "idempotency-key": key },
      responseMode: "response-only"
    }
    return runCall(method(request), { params, input, isAnswer }, options, key)
  }

type List = (query: object, options?: CallOptions) => Promise<unknown>

const eachIn =
  (pager: Pager<unknown, unknown, object>, list: List) =>
  (query: object = {}, options: CallOptions = {}): AsyncIterable<unknown> => {
    const page = (asked: object) => Effect.tryPromise({ try: () => list(asked, options), catch: (error) => error })
    return Stream.toAsyncIterable(eachOf(pager, page, query))
  }

/**
 * A client of the partner interface. Every endpoint of the contract is a function of its resource: the id in its path,
 * then its body or query, then what the call may be given, such as `client.chainPayouts.create(payout)`.
 *
 * Calls reject with a {@link BursarError}. Operations that take an idempotency key get one where none is given; they and
 * readings are tried again, under the same key, where that may help. Operations that must be signed are.
 *
 * Throws a `TypeError` where the options can make no client.
 */
export const createClient = (options: ClientOptions): Client => {
  readClientOptions(options)
  let made: Promise<Derived> | undefined
  const derived = () => (made ??= derive(options))
  const client: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints()) {
    const group = (client[endpoint.group] ??= {})
    const call = callOf(derived, endpoint)
    group[endpoint.name] = call
    if (endpoint.pager !== undefined) group["each"] = eachIn(endpoint.pager, call)
  }
  // Made of every endpoint of the contract and every pager, of which the type is made, too.
  return client as unknown as Client
}
