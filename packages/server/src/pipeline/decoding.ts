import { type ApiError, apiError } from "@bursar/api/errors/ApiError"
import { schemaRefusal } from "@bursar/api/errors/schemaRefusal"
import { fitsOf } from "@bursar/core/base/fits"
import { Context, Effect, Schema, SchemaIssue } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApi, HttpApiError, type HttpApiEndpoint } from "effect/http-api"

/** What a handler is given of a request. */
export interface Decoded {
  params?: unknown
  headers?: unknown
  query?: unknown
  payload?: unknown
}

/** What of a request the schemas of an endpoint are about, before they are applied. */
export interface Undecoded {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | Array<string>>>
}

type Part = "Params" | "Headers" | "Query" | "Payload"

/** The parsers of this contract need nothing of their surroundings. */
type Decode = (input: unknown) => Effect.Effect<unknown, ApiError>

const decoderOf = (
  part: Part,
  schema: Schema.Constraint,
  options: Parameters<typeof Schema.decodeUnknownEffect>[1]
): Decode => {
  // see `Decode`
  const decode = Schema.decodeUnknownEffect(schema, options) as (
    input: unknown
  ) => Effect.Effect<unknown, Schema.SchemaError>
  const refuse = (cause: Schema.SchemaError) =>
    Effect.fail(schemaRefusal(new HttpApiError.HttpApiSchemaError({ kind: part, cause })))
  return (input) => Effect.catchEager(decode(input), refuse)
}

/** The media type of a body, without its parameters. */
const mediaType = (header: string | undefined): string =>
  (header ?? "application/json").split(";", 1)[0]?.trim().toLowerCase() ?? ""

const notJson = (): ApiError =>
  schemaRefusal(
    new HttpApiError.HttpApiSchemaError({
      kind: "Payload",
      cause: new Schema.SchemaError(new SchemaIssue.InvalidValue({ message: "Expected a valid JSON body" }))
    })
  )

const payloadDecoder = (endpoint: HttpApiEndpoint.Top, options: Parameters<typeof decoderOf>[2]) => {
  const [[contentType, { schemas }] = ["", { schemas: [] }], ...more] = endpoint.payload
  const [schema, ...others] = schemas
  if (schema === undefined || more.length > 0 || others.length > 0 || contentType !== "application/json")
    throw new Error(`${endpoint.identifier} does not take one kind of JSON`)
  const decode = decoderOf("Payload", schema, options)
  // what has the schema's form as it stands is what the schema would make of it
  const fits = fitsOf(schema.ast)
  return ({ request }: Undecoded): Effect.Effect<unknown, ApiError> => {
    if (mediaType(request.headers["content-type"]) !== contentType)
      return Effect.fail(apiError("unsupported_media_type"))
    // the body is kept, so that whoever looks at it before sees the same; what breaks off is no refusal of a schema
    return Effect.flatMapEager(Effect.orDie(request.text), (text) => {
      if (text === "") return decode(undefined)
      let json: unknown
      try {
        json = JSON.parse(text)
      } catch {
        return Effect.fail(notJson())
      }
      return fits(json) ? Effect.succeed(json) : decode(json)
    })
  }
}

/**
 * Makes what reads the requests of an endpoint by the schemas and settings of the contract: path, headers, query, then body. What breaks one is answered
 * with a refusal of the catalogue.
 */
export const makeDecoding = (endpoint: HttpApiEndpoint.Top, annotations: Context.Context<never>) => {
  const otherwise = Context.getOrUndefined(annotations, HttpApi.ParseOptions)
  const steps: Array<readonly [keyof Decoded, (from: Undecoded) => Effect.Effect<unknown, ApiError>]> = []
  if (endpoint.params !== undefined) {
    const decode = decoderOf(
      "Params",
      endpoint.params,
      Context.getOrUndefined(annotations, HttpApi.ParamsParseOptions) ?? otherwise
    )
    steps.push(["params", ({ params }) => decode(params)])
  }
  if (endpoint.headers !== undefined) {
    const decode = decoderOf(
      "Headers",
      endpoint.headers,
      Context.getOrUndefined(annotations, HttpApi.HeadersParseOptions) ?? otherwise
    )
    steps.push(["headers", ({ request }) => decode(request.headers)])
  }
  if (endpoint.query !== undefined) {
    const decode = decoderOf(
      "Query",
      Schema.toCodecArrayFromSingle(endpoint.query),
      Context.getOrUndefined(annotations, HttpApi.QueryParseOptions) ?? otherwise
    )
    steps.push(["query", ({ query }) => decode(query)])
  }
  if (endpoint.payload.size > 0 && endpoint.method !== "GET")
    steps.push([
      "payload",
      payloadDecoder(endpoint, Context.getOrUndefined(annotations, HttpApi.PayloadParseOptions) ?? otherwise)
    ])
  return (from: Undecoded): Effect.Effect<Decoded, ApiError> => {
    const decoded: Decoded = {}
    let all: Effect.Effect<unknown, ApiError> = Effect.void
    for (const [part, decode] of steps)
      all = Effect.flatMapEager(all, () => Effect.mapEager(decode(from), (value) => void (decoded[part] = value)))
    return Effect.mapEager(all, () => decoded)
  }
}
