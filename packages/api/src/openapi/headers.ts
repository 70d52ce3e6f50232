import { idempotencyKeyForm } from "../idempotencyKeyForm.ts"
import { Limits } from "../Limits.ts"
import type { Operation } from "./Operation.ts"

const header = (description: string, schema: object) => ({ description, schema })

/** The headers of answers, as OpenAPI components. */
export const headerComponents = {
  RequestId: header("The id of the request: the caller's own if it sent a valid one.", {
    type: "string",
    maxLength: Limits.requestIdLengthMax
  }),
  RetryAfter: header("Seconds to wait before trying again.", { type: "integer", minimum: 0 }),
  RateLimitPolicy: header("The rate limits in force (draft-ietf-httpapi-ratelimit-headers).", { type: "string" }),
  RateLimit: header("The remaining requests (draft-ietf-httpapi-ratelimit-headers).", { type: "string" }),
  WwwAuthenticate: header("The required authentication.", { type: "string" }),
  AcceptSignature: header("What a signature must cover, with which parameters (RFC 9421).", { type: "string" }),
  IdempotencyReplayed: header("`true` when the answer repeats that of an earlier request under the same key.", {
    type: "string",
    enum: ["true"]
  })
}

const ref = (name: keyof typeof headerComponents) => ({ $ref: `#/components/headers/${name}` })

/** The headers of an answer with a status, by name; `limited` where the interface has rate limits. */
export const responseHeaders = (operation: Operation, status: number, limited: boolean): Record<string, object> => ({
  "X-Request-Id": ref("RequestId"),
  // a status may come before the request was counted, and after: a body is read, a scope and a signature are looked at later
  ...(limited ? { RateLimit: ref("RateLimit"), "RateLimit-Policy": ref("RateLimitPolicy") } : {}),
  ...([409, 429, 500, 503].includes(status) ? { "Retry-After": ref("RetryAfter") } : {}),
  ...(status === 401 ? { "WWW-Authenticate": ref("WwwAuthenticate") } : {}),
  ...(status === 401 && operation.needsSignature ? { "Accept-Signature": ref("AcceptSignature") } : {}),
  ...(operation.needsIdempotencyKey && (status < 300 || [403, 404, 409, 422].includes(status))
    ? { "Idempotency-Replayed": ref("IdempotencyReplayed") }
    : {})
})

const parameter = (name: string, required: boolean, description: string, schema: object) => ({
  name,
  in: "header",
  required,
  description,
  schema
})

/** The headers of requests, as OpenAPI components. */
export const parameterComponents = {
  // any is taken, so the schema may not say less than that
  RequestId: parameter(
    "X-Request-Id",
    false,
    `Kept and echoed if it is 1 to ${Limits.requestIdLengthMax} characters of visible ASCII; replaced otherwise.`,
    { type: "string" }
  ),
  IdempotencyKey: parameter(
    "Idempotency-Key",
    true,
    "Identifies the intended operation: a repeat with the same key gets the outcome of the first request. Bare or in double quotes; neither `.` nor `..`.",
    {
      type: "string",
      pattern: `^("${idempotencyKeyForm}"|${idempotencyKeyForm})$`
    }
  ),
  ContentDigest: parameter("Content-Digest", true, "`sha-256=:<base64>:` over the body's bytes (RFC 9530).", {
    type: "string"
  }),
  SignatureInput: parameter(
    "Signature-Input",
    true,
    'One label covering exactly `"@method" "@authority" "@path" "idempotency-key" "content-type" "content-digest"`, with `created`, `expires` (at most 300 seconds later), `keyid`, `nonce` and `tag="bursar-v1"` (RFC 9421).',
    { type: "string" }
  ),
  Signature: parameter("Signature", true, "The Ed25519 signature under the same label (RFC 9421).", { type: "string" })
}

const parameterRef = (name: keyof typeof parameterComponents) => ({ $ref: `#/components/parameters/${name}` })

/** The header parameters of an operation, as references. */
export const requestHeaders = (operation: Operation): ReadonlyArray<object> => [
  parameterRef("RequestId"),
  ...(operation.needsIdempotencyKey ? [parameterRef("IdempotencyKey")] : []),
  ...(operation.needsSignature
    ? [parameterRef("ContentDigest"), parameterRef("SignatureInput"), parameterRef("Signature")]
    : [])
]
