import { Schema } from "effect"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** The formats of an export. */
export const exportFormats = ["hledger", "beancount", "csv", "jsonl", "camt053"] as const

/** A calendar month in UTC. */
export const PeriodText = Schema.String.check(
  Schema.isPattern(/^[0-9]{4}-(?:0[1-9]|1[0-2])$/u, { expected: "a month such as 2026-10" })
).annotate({ identifier: "Period", description: "A calendar month in UTC.", examples: ["2026-10"] })

const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "64 hexadecimal digits" }))

/** A month whose statement is fixed. */
export const OperatorPeriod = Schema.Struct({
  period: PeriodText,
  after_posting: Schema.Int.annotate({ description: "The last posting before it." }),
  through_posting: Schema.Int.annotate({ description: "Its last posting. The next period goes on from there." }),
  csv_sha256: Sha256,
  pdf_sha256: Sha256,
  closed_at: Timestamp,
  closed_by: Schema.String
}).annotate({ identifier: "OperatorPeriod" })
/** A month whose statement is fixed. */
export type OperatorPeriod = typeof OperatorPeriod.Type

/** The closed periods of a tenant, oldest first. */
export const OperatorPeriodList = Schema.Struct({ periods: Schema.Array(OperatorPeriod) }).annotate({
  identifier: "OperatorPeriodList"
})

/** What became of a statement that was fixed, compared with the ledger and the audit log. */
export const PeriodReport = Schema.Struct({
  ok: Schema.Boolean,
  period: PeriodText,
  csv_sha256: Sha256.annotate({ description: "As it was fixed." }),
  ledger_sha256: Sha256.annotate({ description: "Of the statement as the ledger gives it now." }),
  audited: Schema.Boolean.annotate({ description: "Whether the audit log has the digests under which it was closed." }),
  problem: Schema.NullOr(Schema.String)
}).annotate({ identifier: "PeriodReport" })
/** What became of a statement that was fixed. */
export type PeriodReport = typeof PeriodReport.Type

/** What one product of a tenant earned and cost in a currency. */
export const IncomeRow = Schema.Struct({
  tenant_id: Uuid,
  tenant: Schema.String.annotate({ description: "The slug of the tenant." }),
  product: Schema.String.annotate({
    description: "A kind of operation; INTAKE for bringing deposits in, WALLETS for keeping wallets able to pay."
  }),
  currency: Schema.String,
  fees: Schema.String.annotate({ description: "Earned, less what was given back." }),
  network_fees: Schema.String.annotate({ description: "Paid to networks." }),
  exchange: Schema.String.annotate({ description: "In conversions that are open, debits less credits." })
}).annotate({ identifier: "IncomeRow" })
/** What one product of a tenant earned and cost in a currency. */
export type IncomeRow = typeof IncomeRow.Type

/** What a month earned and cost, by tenant, product and currency. */
export const IncomeReport = Schema.Struct({ month: PeriodText, rows: Schema.Array(IncomeRow) }).annotate({
  identifier: "IncomeReport"
})
/** What a month earned and cost. */
export type IncomeReport = typeof IncomeReport.Type
