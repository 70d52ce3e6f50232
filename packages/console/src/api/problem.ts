import { ErrorBody } from "@bursar/api/errors/ErrorBody"
import { schemaRefusal } from "@bursar/api/errors/schemaRefusal"
import { Schema } from "effect"
import { HttpClientError } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { UnreadableAnswer } from "./UnreadableAnswer.ts"
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

const problemOfBody = ({ error }: ErrorBody): Problem => {
  const { code, fields = [], message, request_id: requestId } = error
  const wrong = fields.map((field) => `${fieldName(field.path)}: ${field.message}`)
  return { code, message, requestId, fields: wrong }
}

/** What the page refused before it asked, as the service would have refused it. Which part of the request it stands in makes no difference. */
const problemBefore = (cause: Schema.SchemaError): Problem => {
  const { code, fields, message } = problemOfBody(
    schemaRefusal(new HttpApiError.HttpApiSchemaError({ kind: "Query", cause }))
  )
  return { code, message: `${message} Nothing was changed.`, requestId: null, fields }
}

const notKnown = "It is not known whether anything changed: look before you try again."

/** Reads what a call was rejected with. */
export const problemOf = (error: unknown): Problem => {
  if (isErrorBody(error)) return problemOfBody(error)
  if (Schema.isSchemaError(error)) return problemBefore(error)
  const [code, message] =
    error instanceof Untouched
      ? [error.code, error.message]
      : error instanceof UnreadableAnswer || (HttpClientError.isHttpClientError(error) && error.response !== undefined)
        ? [
            "answer_unreadable",
            `The answer cannot be read: something in between gave it, or another version of the service. ${notKnown}`
          ]
        : ["unreachable", `The service did not answer. ${notKnown}`]
  return { code, message, requestId: null, fields: [] }
}

/** Whether a call was rejected because nobody is signed in any more. */
export const isSignedOut = (error: unknown): boolean => {
  const { code } = problemOf(error)
  return code === "key_missing" || code === "key_invalid"
}
