import { ErrorBody } from "@bursar/api/errors/ErrorBody"
import { Schema } from "effect"
import { Untouched } from "./Untouched.ts"

/** What went wrong, for a person: what it is, what to do about it, and by which id it can be found in the logs. */
export interface Problem {
  readonly code: string
  readonly message: string
  readonly requestId: string | null
}

const isErrorBody = Schema.is(ErrorBody)

/** Reads what a call was rejected with. */
export const problemOf = (error: unknown): Problem => {
  if (isErrorBody(error)) {
    const { code, message, request_id: requestId } = error.error
    return { code, message, requestId }
  }
  if (error instanceof Untouched) return { code: error.code, message: error.message, requestId: null }
  return {
    code: "unreachable",
    message: "The service did not answer. It is not known whether anything changed: look before you try again.",
    requestId: null
  }
}

/** Whether a call was rejected because nobody is signed in any more. */
export const isSignedOut = (error: unknown): boolean => {
  const { code } = problemOf(error)
  return code === "key_missing" || code === "key_invalid"
}
