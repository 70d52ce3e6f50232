import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { schemaRefusal } from "@bursar/api/errors/schemaRefusal"
import { SchemaRefusals } from "@bursar/api/middleware/SchemaRefusals"
import { Effect, Layer, type Types } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { holdsMoreValuesThan } from "../http/manyValues.ts"

/** Whether a query holds a NUL: no record has one, and some stores cannot even be asked for it. */
const asksForNul = (url: string): boolean => /[?].*%00/su.test(url)

/** The largest body of the contract, 500 addresses of five fields each, holds a third of this. */
const bodyValuesMax = 10_000

const refused = (error: Types.unhandled): Effect.Effect<never, Types.unhandled | ApiError> => {
  if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.fail(error)
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
  return Effect.fail(schemaRefusal(error))
}

/** Answers a request that breaks its schema, or whose body is no JSON, with a refusal of the catalogue. */
export const layer = Layer.succeed(
  SchemaRefusals,
  SchemaRefusals.of((app, { endpoint }) => {
    const hasBody = endpoint.method !== "GET" && endpoint.payload.size > 0
    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      // The decoder reads the same text, which the request keeps; what breaks off is answered as it would be there.
      if (hasBody && holdsMoreValuesThan(yield* Effect.orDie(request.text), bodyValuesMax)) {
        return yield* apiError("invalid_request", { message: `The body contains more than ${bodyValuesMax} values.` })
      }
      if (asksForNul(request.url)) {
        return yield* apiError("invalid_request", { message: "The query contains a NUL character." })
      }
      const response = yield* Effect.catch(app, refused)
      // The decoder answers a body of another type by itself, with this status and plain text.
      return response.status === 415 ? yield* apiError("unsupported_media_type") : response
    })
  })
)
