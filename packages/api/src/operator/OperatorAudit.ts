import { Schema } from "effect"
import { Timestamp } from "../wire/Timestamp.ts"

/** A record of what an operator did, as it stands in the chain. */
export const AuditEntry = Schema.Struct({
  id: Schema.Int,
  action_id: Schema.String.annotate({
    description:
      "The same in both records of an action, before and after it: a UUID, where nobody has changed the record."
  }),
  at: Timestamp,
  operator: Schema.String,
  role: Schema.String,
  method: Schema.String,
  route: Schema.String,
  params: Schema.Record(Schema.String, Schema.String),
  status: Schema.NullOr(Schema.Int).annotate({
    description: "The status of the answer; null in the record before. An action without a record after was cut off."
  }),
  request_id: Schema.String,
  address: Schema.String,
  digest: Schema.NullOr(Schema.String).annotate({ description: "SHA-256 of the body of the request." }),
  values: Schema.NullOr(Schema.Json).annotate({
    description:
      "Without secrets: in the record before an action `request`, what was asked for; in the one after it `changes`, what each record was and is now."
  }),
  problem: Schema.NullOr(Schema.String).annotate({
    description:
      "Why the values of the record cannot be read: somebody has changed it past the service. Null where they can."
  }),
  previous_hash: Schema.String,
  hash: Schema.String
}).annotate({ identifier: "AuditEntry" })
/** A record of what an operator did. */
export type AuditEntry = typeof AuditEntry.Type

/** Records of what operators did, newest first. */
export const AuditEntryList = Schema.Struct({ entries: Schema.Array(AuditEntry) }).annotate({
  identifier: "AuditEntryList"
})

/** What was found of the chain of records. */
export const AuditReport = Schema.Struct({
  ok: Schema.Boolean,
  records: Schema.Int.annotate({ description: "The number of correct records, from the first on." }),
  head: Schema.NullOr(Schema.String).annotate({
    description: "The hash of the last of them. Note it elsewhere: it shows later that nothing was cut off."
  }),
  first_wrong: Schema.NullOr(Schema.String),
  sealed: Schema.Int.annotate({
    description:
      "The number of records that the signer has sealed, from the first on. `bursar check` asks the signer whether the seals are its own."
  }),
  unsealed_since: Schema.NullOr(Timestamp).annotate({
    description: "When the first record without a seal was written; null where all are sealed."
  }),
  anchor_found: Schema.NullOr(Schema.Boolean).annotate({
    description: "Whether the given hash is among them; null if none was given."
  })
}).annotate({ identifier: "AuditReport" })
/** What was found of the chain of records. */
export type AuditReport = typeof AuditReport.Type
