import { Schema } from "effect"
import { JsonObject } from "../errors/ErrorBody.ts"
import { Timestamp } from "./Timestamp.ts"

/** What an idempotency key produced; `operation` is what the resource's own GET shows, if the key may read it. */
export const OperationByKey = Schema.Struct({
  key: Schema.String,
  endpoint: Schema.String,
  claimed_at: Timestamp,
  completed_at: Schema.NullOr(Timestamp),
  state: Schema.Literals(["COMPLETED", "REFUSED"]),
  response_status: Schema.NullOr(Schema.Int),
  operation: Schema.NullOr(JsonObject)
}).annotate({ identifier: "OperationByKey" })
/** What an idempotency key produced. */
export type OperationByKey = typeof OperationByKey.Type
