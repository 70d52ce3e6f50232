import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** Where an identity check stands. */
export const VerificationStatus = Schema.Literals([
  "NOT_STARTED",
  "PENDING",
  "IN_REVIEW",
  "ACTION_REQUIRED",
  "APPROVED",
  "REJECTED",
  "EXPIRED"
]).annotate({ identifier: "VerificationStatus" })
/** Where an identity check stands. */
export type VerificationStatus = typeof VerificationStatus.Type

/** An identity check opened, or the current one. */
export const VerificationStarted = Schema.Struct({
  customer_id: Uuid,
  applicant_id: Schema.String,
  status: VerificationStatus,
  newly_created: Schema.Boolean,
  verification_url: Schema.NullOr(Schema.String),
  verification_url_expires_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "VerificationStarted" })
/** An identity check opened, or the current one. */
export type VerificationStarted = typeof VerificationStarted.Type

/** A status plus what it grants, never a single yes or no. */
export const Verification = Schema.Struct({
  status: VerificationStatus,
  capabilities: Schema.Array(Schema.String),
  expires_at: Schema.NullOr(Timestamp),
  environment: Schema.NullOr(Schema.Literals(["production", "sandbox"]))
}).annotate({ identifier: "Verification" })
/** A status plus what it grants. */
export type Verification = typeof Verification.Type
