import { Schema } from "effect"
import { Coverage, HashText, SolvencySnapshot, Statement } from "../solvency/SolvencySnapshot.ts"
import { AmountText } from "../wire/Money.ts"
import { CurrencyText } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

const Environment = Schema.Literals(["LIVE", "SANDBOX"])

/** A statement of a custodian or a bank; the file stays with you, and its hash is in the snapshot. */
export const SolvencyStatementIn = Schema.Struct({
  place: Statement.fields.place,
  provider: Statement.fields.provider,
  currency: CurrencyText,
  amount: AmountText,
  as_of: Timestamp,
  file: Statement.fields.file,
  sha256: HashText
}).annotate({ identifier: "SolvencyStatementIn" })
/** A statement of a custodian or a bank. */
export type SolvencyStatementIn = typeof SolvencyStatementIn.Type

/** What a snapshot is to be taken of. */
export const TakeSnapshot = Schema.Struct({
  environment: Schema.optionalKey(Environment).annotate({
    description: "Of LIVE tenants unless you say otherwise, or there are none but those of SANDBOX."
  }),
  statements: Schema.optionalKey(Schema.Array(SolvencyStatementIn))
}).annotate({
  identifier: "TakeSnapshot",
  examples: [
    {
      environment: "LIVE",
      statements: [
        {
          place: "bank",
          provider: "Bank of Examples",
          currency: "EUR",
          amount: "45000.00",
          as_of: "2026-11-23T11:00:00Z",
          file: "bank-of-examples.pdf",
          sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        }
      ]
    }
  ]
})

/** A snapshot in a list. */
export const OperatorSnapshot = Schema.Struct({
  id: Uuid,
  environment: Environment,
  taken_at: Timestamp,
  taken_by: Schema.String,
  published_at: Schema.NullOr(Timestamp),
  published_by: Schema.NullOr(Schema.String),
  digest: HashText,
  covered: Schema.Boolean.annotate({ description: "Whether every currency is covered." }),
  summary: Schema.Array(Coverage)
}).annotate({ identifier: "OperatorSnapshot" })
/** A snapshot in a list. */
export type OperatorSnapshot = typeof OperatorSnapshot.Type

/** Snapshots, newest first. */
export const OperatorSnapshotList = Schema.Struct({ snapshots: Schema.Array(OperatorSnapshot) }).annotate({
  identifier: "OperatorSnapshotList"
})

/** A snapshot that was just taken. */
export const TakenSnapshot = Schema.Struct({
  snapshot: OperatorSnapshot,
  document: SolvencySnapshot
}).annotate({ identifier: "TakenSnapshot" })

/** What is wrong with a snapshot as it is stored; nothing where it verifies. */
export const SnapshotReport = Schema.Struct({
  ok: Schema.Boolean,
  digest: HashText,
  audited: Schema.Boolean.annotate({ description: "Whether the audit log has the digest under which it was taken." }),
  findings: Schema.Array(Schema.String)
}).annotate({ identifier: "SnapshotReport" })
