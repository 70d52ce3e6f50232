import { Schema } from "effect"
import { JsonObject } from "../errors/ErrorBody.ts"
import { Timestamp } from "../wire/Timestamp.ts"

/** One pass of the checker over every row it concerns, with the first wrong row if there is one. */
export const CheckPass = Schema.Struct({
  name: Schema.String,
  ok: Schema.Boolean,
  rows: Schema.Int,
  first_wrong: Schema.NullOr(JsonObject),
  message: Schema.NullOr(Schema.String)
}).annotate({ identifier: "CheckPass" })
/** One pass of the checker. */
export type CheckPass = typeof CheckPass.Type

/** What the checker found. */
export const CheckReport = Schema.Struct({
  ok: Schema.Boolean,
  started_at: Timestamp,
  finished_at: Timestamp,
  passes: Schema.Array(CheckPass)
}).annotate({ identifier: "CheckReport" })
/** What the checker found. */
export type CheckReport = typeof CheckReport.Type
