import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { ErrorStatus } from "./Catalogue.ts"
import { ErrorBody } from "./ErrorBody.ts"
import { errorHeaders } from "./errorHeaders.ts"
import {
  BadRequest,
  Conflict,
  Forbidden,
  InternalError,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  TooManyRequests,
  Unauthorized,
  Unavailable,
  Unprocessable,
  UnsupportedMediaType
} from "./WireErrors.ts"

const bodyOf = (status: ErrorStatus) => ErrorBody.pipe(HttpApiSchema.status(status))

const headers = {
  "retry-after": Schema.optionalKey(Schema.String),
  "www-authenticate": Schema.optionalKey(Schema.String),
  "accept-signature": Schema.optionalKey(Schema.String)
}

const encode = (error: ErrorBody) => ({
  headers: errorHeaders(error),
  body: { error: error.error, ...(error.detail === undefined ? {} : { detail: error.detail }) }
})

/**
 * The wire form of every error class: the common body under the class's status, with the headers it implies.
 *
 * Every endpoint declares all of them, so that any refusal can be answered anywhere; which codes an operation really
 * answers is said by its `Refuses` annotation and written into the OpenAPI document.
 */
export const wireErrors = [
  BadRequest.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: bodyOf(400), headers },
      {
        decode: ({ body }) => new BadRequest(body),
        encode
      }
    )
  ),
  Unauthorized.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: bodyOf(401), headers },
      {
        decode: ({ body }) => new Unauthorized(body),
        encode
      }
    )
  ),
  Forbidden.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: bodyOf(403), headers },
      {
        decode: ({ body }) => new Forbidden(body),
        encode
      }
    )
  ),
  NotFound.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: bodyOf(404), headers },
      {
        decode: ({ body }) => new NotFound(body),
        encode
      }
    )
  ),
  MethodNotAllowed.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: bodyOf(405), headers },
      {
        decode: ({ body }) => new MethodNotAllowed(body),
        encode
      }
    )
  ),
  Conflict.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: bodyOf(409), headers },
      {
        decode: ({ body }) => new Conflict(body),
        encode
      }
    )
  ),
  PayloadTooLarge.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: bodyOf(413), headers },
      {
        decode: ({ body }) => new PayloadTooLarge(body),
        encode
      }
    )
  ),
  UnsupportedMediaType.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: bodyOf(415), headers },
      {
        decode: ({ body }) => new UnsupportedMediaType(body),
        encode
      }
    )
  ),
  Unprocessable.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: bodyOf(422), headers },
      {
        decode: ({ body }) => new Unprocessable(body),
        encode
      }
    )
  ),
  TooManyRequests.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: bodyOf(429), headers },
      {
        decode: ({ body }) => new TooManyRequests(body),
        encode
      }
    )
  ),
  InternalError.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: bodyOf(500), headers },
      {
        decode: ({ body }) => new InternalError(body),
        encode
      }
    )
  ),
  Unavailable.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: bodyOf(503), headers },
      {
        decode: ({ body }) => new Unavailable(body),
        encode
      }
    )
  )
] as const
