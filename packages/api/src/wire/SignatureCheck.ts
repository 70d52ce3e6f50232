import { Schema } from "effect"
import { JsonObject } from "../errors/ErrorBody.ts"

/** Any JSON object, signed as a signed operation would be. */
export const SignedProbe = JsonObject.annotate({
  identifier: "SignedProbe",
  examples: [{ hello: "world" }]
})
/** Any JSON object, signed as a signed operation would be. */
export type SignedProbe = typeof SignedProbe.Type

/** Whether this very request's signature would be taken by a signed operation, and if not, why. */
export const SignatureCheck = Schema.Struct({
  verified: Schema.Boolean,
  keyid: Schema.NullOr(Schema.String),
  code: Schema.NullOr(Schema.String).annotate({ description: "The error code a signed operation would answer." }),
  message: Schema.NullOr(Schema.String),
  signature_base: Schema.NullOr(Schema.String).annotate({
    description: "The signature base as the service computes it, to compare byte by byte."
  }),
  content_digest: Schema.NullOr(Schema.String).annotate({
    description: "The Content-Digest of the bytes received."
  })
}).annotate({ identifier: "SignatureCheck" })
/** Whether this very request's signature would be taken. */
export type SignatureCheck = typeof SignatureCheck.Type
