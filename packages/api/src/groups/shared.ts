import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/**
 * The idempotency key as it stands in the header, unread.
 *
 * The schema takes any text or none, so that the server can answer `idempotency_key_required` and
 * `idempotency_key_invalid`; the OpenAPI document says that it is required.
 */
export const idempotencyHeaders = { "idempotency-key": Schema.optionalKey(Schema.String) }

/** Gives a success its status 201. */
export const created = HttpApiSchema.status(201)
