import { SchemaIssue } from "effect"
import type { HttpApiError } from "effect/http-api"
import { refusalCodeKey } from "./refusedAs.ts"
import { apiError, type ApiErrorOf } from "./ApiError.ts"
import { type ErrorCode, isErrorCode } from "./Catalogue.ts"
import type { FieldError } from "./ErrorBody.ts"

/** The codes that a broken schema may be answered with. */
export type SchemaRefusalCode =
  | "malformed_request"
  | "not_found"
  | "invalid_request"
  | "unknown_field"
  | "amount_invalid"
  | "limit_out_of_range"

/** The greatest number of fields reported by one refusal. */
export const reportedFieldsMax = 50

const parts = { Params: "path", Headers: "header", Query: "query", Payload: "body" } as const

const format = SchemaIssue.makeFormatterStandardSchemaV1()

interface Finding {
  readonly path: ReadonlyArray<PropertyKey>
  readonly code: ErrorCode
  readonly message: string
}

const messageOf = (issue: SchemaIssue.Issue): string => format(issue).issues[0]?.message ?? "Expected a valid value"

const codeOfCheck = (issue: SchemaIssue.Filter): ErrorCode => {
  const code = issue.filter.annotations?.[refusalCodeKey]
  return typeof code === "string" && isErrorCode(code) ? code : "invalid_request"
}

const findings = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Finding> => {
  switch (issue._tag) {
    case "Pointer":
      return findings(issue.issue, [...path, ...issue.path])
    case "Encoding":
      return findings(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((inner) => findings(inner, path))
    case "AnyOf":
      return issue.issues.length === 0
        ? [{ path, code: "invalid_request", message: messageOf(issue) }]
        : issue.issues.flatMap((inner) => findings(inner, path))
    case "Filter":
      return [{ path, code: codeOfCheck(issue), message: messageOf(issue) }]
    case "UnexpectedKey":
      return [{ path, code: "unknown_field", message: "This field is not part of the contract." }]
    case "MissingKey":
      return [{ path, code: "invalid_request", message: "This field is required." }]
    default:
      return [{ path, code: "invalid_request", message: messageOf(issue) }]
  }
}

// The body decoder reports JSON that cannot be parsed as an invalid value at the root, and nothing else does.
const isUnparsable = (error: HttpApiError.HttpApiSchemaError): boolean =>
  error.kind === "Payload" && error.cause.issue._tag === "InvalidValue"

/**
 * The refusal that a request with a broken schema is answered with.
 *
 * - JSON that cannot be parsed: 400 `malformed_request`.
 * - A path parameter: 404 `not_found`, since no such record can exist.
 * - One cause in all fields: that cause (`unknown_field`, `amount_invalid`, `limit_out_of_range`).
 * - Anything else: 422 `invalid_request`.
 *
 * Each field is listed with its own code. Errors of kind `Body` and `ResponseHeaders` are the service's own, not the
 * caller's, and must not be given to this function.
 */
export const schemaRefusal = (error: HttpApiError.HttpApiSchemaError): ApiErrorOf<SchemaRefusalCode> => {
  if (isUnparsable(error)) return apiError("malformed_request", { message: "The body is not valid JSON." })
  if (error.kind === "Params") return apiError("not_found")
  const part = error.kind === "Body" || error.kind === "ResponseHeaders" ? "response" : parts[error.kind]
  const found = findings(error.cause.issue, [])
  const fields: ReadonlyArray<FieldError> = found.slice(0, reportedFieldsMax).map((finding) => ({
    path: [part, ...finding.path.map(String)].join("."),
    code: finding.code,
    message: finding.message
  }))
  const codes = new Set(found.map((finding) => finding.code))
  const [only] = codes
  switch (codes.size === 1 ? only : undefined) {
    case "unknown_field":
      return apiError("unknown_field", { fields })
    case "amount_invalid":
      return apiError("amount_invalid", { fields })
    case "limit_out_of_range":
      return apiError("limit_out_of_range", { fields })
    default:
      return apiError("invalid_request", { fields })
  }
}
