import { ErrorBody } from "@bursar/api/errors/ErrorBody"
import { Schema } from "effect"

const isErrorBody = Schema.is(ErrorBody)

const Missing = Schema.Struct({
  kind: Schema.String,
  chain: Schema.String,
  values: Schema.Record(Schema.String, Schema.Json)
})

/** A grant that something takes, as it is to be proposed. */
export type MissingGrant = typeof Missing.Type

const isMissing = Schema.is(Missing)

/** The grant that a refusal asks for; undefined where it is about something else. */
export const missingGrant = (error: unknown): MissingGrant | undefined => {
  if (!isErrorBody(error) || error.error.code !== "grant_required") return undefined
  const { detail } = error.error
  return isMissing(detail) ? detail : undefined
}
