import { ErrorBody } from "@bursar/api/errors/ErrorBody"
import { Schema } from "effect"
import { Untouched } from "./Untouched.ts"

/** What went wrong, for a person: what it is, what to do about it, and by which id it can be found in the logs. */
export interface Problem {
  readonly code: string
  readonly message: string
  readonly requestId: string | null
  /** What is wrong with single fields of what was asked. */
  readonly fields: ReadonlyArray<string>
}

/** A field by its own name: which part of the request it stood in is nothing to a person. */
const fieldName = (path: string): string => path.replace(/^(?:body|query|params)\./u, "")

const isErrorBody = Schema.is(ErrorBody)

/** Reads what a call was rejected with. */
export const problemOf = (error: unknown): Problem => {
  if (isErrorBody(error)) {
    const { code, fields = [], message, request_id: requestId } = error.error
    const wrong = fields.map((field) => `${fieldName(field.path)}: ${field.message}`)
    return { code, message, requestId, fields: wrong }
  }
  if (error instanceof Untouched) return { code: error.code, message: error.message, requestId: null, fields: [] }
  return {
    code: "unreachable",
    message: "The service did not answer. It is not known whether anything changed: look before you try again.",
    requestId: null,
    fields: []
  }
}

/** Whether a call was rejected because nobody is signed in any more. */
export const isSignedOut = (error: unknown): boolean => {
  const { code } = problemOf(error)
  return code === "key_missing" || code === "key_invalid"
}
