import { Schema } from "effect"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** One rule checked over all of a tenant's records, or over what all share, with the first row that breaks it if there is one. */
export const CheckInvariant = Schema.Struct({
  tenant_id: Schema.NullOr(Uuid).annotate({
    description: "The tenant whose records were checked; null for records that all tenants share."
  }),
  invariant: Schema.String,
  rule: Schema.String.annotate({ description: "A sentence that describes the rule." }),
  first_wrong: Schema.NullOr(Schema.String).annotate({
    description: "A description of the first wrong row; null if there is none."
  })
}).annotate({ identifier: "CheckInvariant" })
/** One rule checked over all of a tenant's records. */
export type CheckInvariant = typeof CheckInvariant.Type

/** What the checker found, over all tenants. */
export const CheckReport = Schema.Struct({
  ok: Schema.Boolean,
  started_at: Timestamp,
  finished_at: Timestamp,
  invariants: Schema.Array(CheckInvariant)
}).annotate({ identifier: "CheckReport" })
/** What the checker found, over all tenants. */
export type CheckReport = typeof CheckReport.Type
