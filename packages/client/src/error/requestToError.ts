import { schemaRefusal } from "@bursar/api/errors/schemaRefusal"
import { type Schema, SchemaIssue } from "effect"
import { HttpApiError } from "effect/http-api"
import type { BursarErrorCode, BursarErrorFacts } from "./BursarError.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The parts of a request that a call gives. */
export interface RequestParts {
  /** The names of the path's parameters. */
  readonly params: ReadonlyArray<string>
  readonly input: "payload" | "query" | undefined
}

/** The error of a request that breaks the contract: what the service would answer, told before anything is sent. */
export const requestToError = (
  cause: Schema.SchemaError,
  { input, params }: RequestParts,
  idempotencyKey: string | undefined
): BursarErrorFacts<BursarErrorCode> => {
  const [first] = format(cause.issue).issues[0]?.path ?? []
  const isParam = params.some((name) => name === first)
  const kind = isParam ? "Params" : input === "query" ? "Query" : "Payload"
  const { error } = schemaRefusal(new HttpApiError.HttpApiSchemaError({ kind, cause }))
  const { code, fields, message, retryable } = error
  // The codes of a broken schema are the catalogue's own.
  return { code: code as BursarErrorCode, message, fields, retryable, status: null, idempotencyKey }
}
