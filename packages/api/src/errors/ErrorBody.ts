import { Effect, Schema, SchemaGetter } from "effect"
import { RequestId } from "./RequestId.ts"

/** Any JSON object, where the contract leaves the fields open. */
export const JsonObject = Schema.Record(Schema.String, Schema.Json)
/** Any JSON object, where the contract leaves the fields open. */
export type JsonObject = typeof JsonObject.Type

/** What is wrong with one field: `path` is dotted from the part of the request, as in `body.addresses.3.network`. */
export const FieldError = Schema.Struct({
  path: Schema.String,
  code: Schema.String,
  message: Schema.String
}).annotate({ identifier: "FieldError" })
/** What is wrong with one field. */
export type FieldError = typeof FieldError.Type

const requestIdOfTheRequest = Effect.gen(function* () {
  return yield* RequestId
})

const StampedRequestId = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.passthrough(),
    encode: SchemaGetter.transformEffect((id: string) => (id === "" ? requestIdOfTheRequest : Effect.succeed(id)))
  })
)

/** The error itself. `request_id` left empty is filled from {@link RequestId} when the body is written. */
export const ErrorDetail = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  detail: Schema.optionalKey(JsonObject),
  fields: Schema.optionalKey(Schema.Array(FieldError)),
  request_id: StampedRequestId,
  retryable: Schema.Boolean
}).annotate({ identifier: "ErrorDetail" })
/** The error itself. */
export type ErrorDetail = typeof ErrorDetail.Type

/** The fields of every error body; 429 repeats its `detail` at the top. */
export const errorBodyFields = { error: ErrorDetail, detail: Schema.optionalKey(JsonObject) }

/** The body of every answer that is not a success. */
export const ErrorBody = Schema.Struct(errorBodyFields).annotate({ identifier: "Error" })
/** The body of every answer that is not a success. */
export type ErrorBody = typeof ErrorBody.Type
