import { AnyTextAt } from "@bursar/api/annotations/AnyTextAt"
import { type ApiError, apiError } from "@bursar/api/errors/ApiError"
import { schemaRefusal } from "@bursar/api/errors/schemaRefusal"
import { SchemaRefusals } from "@bursar/api/middleware/SchemaRefusals"
import { repeatsName } from "@bursar/core/base/repeatsName"
import { Context, Effect, Layer, type Types } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError, type HttpApiEndpoint } from "effect/http-api"
import { jsonIn, unstorableJson } from "../idempotency/canonicalJson.ts"
import { isReadable, isReadableQuery, namesOtherCharset, unread } from "../http/encodings.ts"
import { holdsMoreValuesThan } from "../http/manyValues.ts"
import type { MakeCheck } from "../http/Arrived.ts"
import { pass } from "../http/Step.ts"

const nul = "%00"

/** Whether a query holds a NUL: no record has one, and some stores cannot even be asked for it. */
const asksForNul = (url: string): boolean => url.includes(nul, url.includes("?") ? url.indexOf("?") : url.length)

/** Whether a path does: then it names no record. */
const namesNul = (url: string): boolean => (url.split("?", 1)[0] ?? "").includes(nul)

const notUtf8 = () => apiError("malformed_request", { message: "The body is not UTF-8." })

/** The largest body of the contract, 500 addresses of five fields each, holds a third of this. */
const bodyValuesMax = 10_000

const lookAtBody = (text: string, anyTextAt: RegExp | null): Effect.Effect<undefined, ApiError> => {
  if (holdsMoreValuesThan(text, bodyValuesMax))
    return Effect.fail(apiError("invalid_request", { message: `The body contains more than ${bodyValuesMax} values.` }))
  const value = jsonIn(text)
  if (value !== undefined && repeatsName(text, value))
    return Effect.fail(apiError("invalid_request", { message: "An object of the body names a field twice." }))
  const problem = unstorableJson(text, anyTextAt)
  return problem === undefined
    ? pass
    : Effect.fail(apiError("invalid_request", { fields: [{ ...problem, code: "invalid_request" }] }))
}

/**
 * What a request is checked for before any schema is applied to it. The decoder reads the same text, which the request keeps; what
 * breaks off is answered as it would be there.
 */
const readable = (endpoint: HttpApiEndpoint.Top) => {
  const anyTextAt = Context.get(endpoint.annotations, AnyTextAt)
  const hasBody = endpoint.method !== "GET" && endpoint.payload.size > 0
  const lookAt =
    (request: HttpServerRequest.HttpServerRequest) =>
    (text: string): Effect.Effect<undefined, ApiError> => {
      const look = lookAtBody(text, anyTextAt)
      if (!text.includes(unread)) return look
      return Effect.flatMapEager(Effect.orDie(request.arrayBuffer), (body) =>
        isReadable(body) ? look : Effect.fail(notUtf8())
      )
    }
  const lookAtQuery = (url: string): Effect.Effect<undefined, ApiError> => {
    if (asksForNul(url))
      return Effect.fail(apiError("invalid_request", { message: "The query contains a NUL character." }))
    return isReadableQuery(url)
      ? pass
      : Effect.fail(apiError("invalid_request", { message: "The query is not UTF-8." }))
  }
  return (request: HttpServerRequest.HttpServerRequest): Effect.Effect<undefined, ApiError> => {
    if (!hasBody) return lookAtQuery(request.url)
    if (namesOtherCharset(request.headers["content-type"])) return Effect.fail(apiError("unsupported_media_type"))
    return Effect.flatMapEager(Effect.flatMap(Effect.orDie(request.text), lookAt(request)), () =>
      lookAtQuery(request.url)
    )
  }
}

/** Refuses what no schema needs to be applied to. What breaks one is refused where it is decoded. */
export const make: MakeCheck = (endpoint) => {
  const check = readable(endpoint)
  return ({ request }) => check(request)
}

const refused = (error: Types.unhandled): Effect.Effect<never, Types.unhandled | ApiError> => {
  if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.fail(error)
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
  return Effect.fail(schemaRefusal(error))
}

/** Answers a request of an interface of `HttpApiBuilder` that breaks its schema, or whose body is no JSON, with a refusal of the catalogue. */
export const layer = Layer.succeed(
  SchemaRefusals,
  SchemaRefusals.of((app, { endpoint }) => {
    const check = readable(endpoint)
    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (namesNul(request.url)) return yield* apiError("not_found")
      yield* check(request)
      const response = yield* Effect.catch(app, refused)
      // The decoder answers a body of another type by itself, with this status and plain text.
      return response.status === 415 ? yield* apiError("unsupported_media_type") : response
    })
  })
)
