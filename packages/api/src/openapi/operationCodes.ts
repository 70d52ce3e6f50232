import { entryOf, type ErrorCode, errorCodes, type ErrorStatus } from "../errors/Catalogue.ts"
import type { Operation } from "./Operation.ts"

const signatureCodes = errorCodes.filter((code) => code.startsWith("signature_") || code === "digest_mismatch")

const when = (condition: boolean, ...codes: ReadonlyArray<ErrorCode>): ReadonlyArray<ErrorCode> =>
  condition ? codes : []

const commonCodes = ({ hasBody, method, needsIdempotencyKey, refuses }: Operation): ReadonlyArray<ErrorCode> => [
  "malformed_request",
  "key_missing",
  "key_invalid",
  "rate_limited",
  "invalid_request",
  "internal_error",
  "provider_unavailable",
  // a body that nothing asks for can be too large as well
  "body_too_large",
  ...when(hasBody, "unsupported_media_type", "unknown_field"),
  ...when(method !== "GET" && !needsIdempotencyKey, "outcome_unknown"),
  ...when(method !== "GET", "read_only"),
  ...refuses
]

/** Every code that an operator operation may answer. Failed logins alone are limited. */
export const operatorCodes = (operation: Operation): ReadonlySet<ErrorCode> =>
  new Set([
    ...commonCodes(operation),
    ...when(operation.role !== "viewer", "scope_missing"),
    ...when(operation.method !== "GET", "another_operator")
  ])

/** Every code that a partner operation may answer: those common to its kind, and its own. */
export const partnerCodes = (operation: Operation): ReadonlySet<ErrorCode> =>
  new Set([
    ...commonCodes(operation),
    "address_not_allowed",
    "tenant_suspended",
    ...when(operation.scope !== null, "scope_missing"),
    ...when(operation.needsSignature || operation.signedByPolicy !== null, ...signatureCodes),
    ...when(
      operation.needsIdempotencyKey,
      "idempotency_in_flight",
      "idempotency_key_required",
      "idempotency_key_invalid",
      "idempotency_key_reused"
    )
  ])

/** Codes gathered under the status that carries them, both in the catalogue's order. */
export const byStatus = (codes: ReadonlySet<ErrorCode>): ReadonlyMap<ErrorStatus, ReadonlyArray<ErrorCode>> => {
  const carried = new Map<ErrorStatus, Array<ErrorCode>>()
  for (const code of errorCodes.filter((one) => codes.has(one))) {
    const { status } = entryOf(code)
    carried.set(status, [...(carried.get(status) ?? []), code])
  }
  return carried
}
