import { routeOf } from "@bursar/api/annotations/routeOf"
import { fitsOf } from "@bursar/core/base/fits"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiError, type HttpApiEndpoint } from "effect/http-api"

/**
 * Makes what writes the answers of an endpoint. A value of the shape that the contract says is written at once. Any other goes through
 * the contract's schema, which leaves out what is not to be told, and dies of what cannot be told.
 */
export const makeAnswer = (endpoint: HttpApiEndpoint.Top) => {
  const { status } = routeOf(endpoint)
  const [schema, ...more] = endpoint.success
  if (schema === undefined || more.length > 0)
    throw new Error(`${endpoint.identifier} does not have one kind of success`)
  const fits = fitsOf(schema.ast)
  // the answers of a contract need nothing of their surroundings to be written
  const encode = Schema.encodeUnknownExit(schema as unknown as Schema.ConstraintEncoder<unknown>)
  const options = { status, contentType: "application/json" }
  return (value: unknown): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    if (HttpServerResponse.isHttpServerResponse(value)) return Effect.succeed(value)
    if (fits(value)) return Effect.succeed(HttpServerResponse.text(JSON.stringify(value), options))
    const encoded = encode(value)
    const written = Effect.mapEager(encoded, (body) => HttpServerResponse.text(JSON.stringify(body), options))
    return Effect.orDie(HttpApiError.HttpApiSchemaError.wrap("Body", written))
  }
}
