import { Schema } from "effect"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { SignedMoney } from "./OperatorReconciliation.ts"

/** So many lines come in one request at most, and in so many requests at most. */
export const statementLimits = {
  lines: 1_000,
  parts: 1_000,
  references: 20,
  referenceLength: 140,
  textLength: 280
} as const

const idText = text(300)

const line = {
  at: Timestamp,
  amount: SignedMoney.annotate({ description: "Above zero: what it holds has grown." }),
  references: Schema.Array(text(statementLimits.referenceLength))
    .check(Schema.isMaxLength(statementLimits.references))
    .annotate({ description: "Ids of orders that the line names, the service's or the provider's." }),
  text: Schema.String.check(Schema.isMaxLength(statementLimits.textLength))
}

/** One line of a provider's own books. */
export const StatementLine = Schema.Struct({
  id: idText.annotate({ description: "The provider's id of the line: one for each, for ever." }),
  of_statement: Schema.optionalKey(Schema.Boolean).annotate({
    description:
      "True: the id is one of this statement alone, as the number of an entry is. Another statement may have another line of that id. The line is kept as `<statement>:<id>`."
  }),
  entry: Schema.optionalKey(Schema.Struct({ id: idText, amount: SignedMoney })).annotate({
    description:
      "The entry that the line, called `<entry>/<number>`, is a part of, with the amount of all of it. The line is known where another statement has told the entry as one line. Where another one tells the entry as one line later, that is known once this statement is whole, and refused before."
  }),
  ...line
}).annotate({ identifier: "StatementLine" })
/** One line of a provider's own books. */
export type StatementLine = typeof StatementLine.Type

const header = {
  place: text(100).annotate({ description: "`custodian:<name>` or `bank:<name>`." }),
  id: idText,
  currencies: Schema.Array(text(20)).check(Schema.isMinLength(1), Schema.isMaxLength(100)),
  from: Timestamp,
  to: Timestamp.annotate({ description: "Where the period ends; not in it." }),
  parts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: statementLimits.parts })).annotate({
    description: "In how many requests it comes."
  })
}

const digest = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)).annotate({
  description:
    "A SHA-256 of all its lines, in hexadecimal, as whoever imports it makes it. It is not computed again: the same id with another one is refused, and so are other lines in a part that is there."
})

/** A part of a statement that is imported. */
export const StatementPart = Schema.Struct({
  ...header,
  digest,
  part: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: statementLimits.parts - 1 })).annotate({
    description: "Which of them it is, from 0."
  }),
  lines: Schema.Array(StatementLine).check(Schema.isMaxLength(statementLimits.lines))
}).annotate({
  identifier: "StatementPart",
  examples: [
    {
      place: "bank:bridge",
      id: "2026-11",
      currencies: ["EUR"],
      from: "2026-11-01T00:00:00Z",
      to: "2026-12-01T00:00:00Z",
      parts: 1,
      digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      part: 0,
      lines: [
        {
          id: "2026112300001",
          at: "2026-11-23T13:34:56Z",
          amount: { amount: "-40.5", currency: "EUR" },
          references: ["01a2089d-8169-70d9-b26f-efa99d9566cc"],
          text: "SEPA transfer"
        }
      ]
    }
  ]
})
/** A part of a statement that is imported. */
export type StatementPart = typeof StatementPart.Type

/** What has become of a part. */
export const StatementImported = Schema.Struct({
  added: Schema.Int,
  known: Schema.Int.annotate({ description: "Lines that were there already." }),
  missing_parts: Schema.Int.annotate({ description: "Until all parts are there, nothing is compared with it." })
}).annotate({ identifier: "StatementImported" })

/** A statement of a place. */
export const Statement = Schema.Struct({
  ...header,
  currencies: Schema.NullOr(Schema.Array(Schema.String)).annotate({ description: "Null: all." }),
  missing_parts: Schema.Int,
  compared_to: Timestamp.annotate({ description: "Up to when the books were compared with it." }),
  imported_by: Schema.String,
  imported_at: Timestamp
}).annotate({ identifier: "Statement" })
/** A statement of a place. */
export type Statement = typeof Statement.Type

/** The statements of a place, newest first. */
export const StatementList = Schema.Struct({ statements: Schema.Array(Statement) }).annotate({
  identifier: "StatementList"
})

/** A line as it is kept. */
export const KeptStatementLine = Schema.Struct({
  id: Schema.String,
  ...line,
  place: Schema.String,
  statement: Schema.String,
  operation_id: Schema.NullOr(Schema.String),
  tenant_id: Schema.NullOr(Schema.String)
}).annotate({ identifier: "KeptStatementLine" })
/** A line as it is kept. */
export type KeptStatementLine = typeof KeptStatementLine.Type

/** Lines, the oldest first. */
export const StatementLineList = Schema.Struct({ lines: Schema.Array(KeptStatementLine) }).annotate({
  identifier: "StatementLineList"
})

/** The longest file that is read in a request; larger ones are read by `bursar reconcile import`. */
export const statementFileLengthMax = 900_000

/** A file with statements, as text. */
export const StatementFile = Schema.Struct({
  place: header.place,
  format: Schema.Literals(["camt053", "csv"]),
  content: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(statementFileLengthMax)),
  account: Schema.optionalKey(text(64)).annotate({
    description: "The account that a bank's file has to be of. A file that names its account is refused without it."
  }),
  mapping: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)).annotate({
    description: "Which columns of a CSV file say what, as `bursar reconcile import --mapping` takes it."
  }),
  id: Schema.optionalKey(idText),
  from: Schema.optionalKey(Timestamp),
  to: Schema.optionalKey(Timestamp)
}).annotate({
  identifier: "StatementFile",
  examples: [
    {
      place: "bank:bridge",
      format: "csv",
      content: "date,amount,currency,reference\n2026-11-23T13:34:56Z,-40.5,EUR,01a2089d",
      mapping: { columns: { at: "date", amount: "amount", currency: "currency", references: ["reference"] } },
      id: "2026-11",
      from: "2026-11-01T00:00:00Z",
      to: "2026-12-01T00:00:00Z"
    }
  ]
})
/** A file with statements, as text. */
export type StatementFile = typeof StatementFile.Type

/** The statements of a file, each in the parts that import it. */
export const ReadStatements = Schema.Struct({
  statements: Schema.Array(
    Schema.Struct({
      account: Schema.NullOr(Schema.String),
      pending: Schema.Int.annotate({ description: "Entries that are announced and not booked: they are left out." }),
      requests: Schema.Array(StatementPart)
    })
  )
}).annotate({ identifier: "ReadStatements" })
