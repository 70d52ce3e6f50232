import { ClosedPeriod } from "@bursar/core/period/ClosedPeriod"
import * as Cell from "../internal/cells.ts"
import { int4, int8, text, timestamptz } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** Months whose statements are fixed. */
export const closedPeriodTable: RecordTable<ClosedPeriod> = {
  name: "closed_period",
  key: ["period"],
  keyType: text,
  columns: [
    column("period", text, ({ period }) => period),
    column(groupColumn, text, ClosedPeriod.group),
    bigintColumn("after_posting", int8, ({ after }) => after),
    bigintColumn("through_posting", int8, ({ through }) => through),
    column("statement_version", int4, (one) => one.statementVersion),
    column("csv_sha256", text, ({ csvSha256 }) => csvSha256),
    column("pdf_sha256", text, ({ pdfSha256 }) => pdfSha256),
    column("closed_at", timestamptz, ({ closedAt }) => closedAt),
    column("closed_by", text, ({ closedBy }) => closedBy)
  ],
  read: (row) => ({
    period: Cell.text(row.period),
    after: Cell.int(row.after_posting),
    through: Cell.int(row.through_posting),
    statementVersion: Cell.int(row.statement_version),
    csvSha256: Cell.text(row.csv_sha256),
    pdfSha256: Cell.text(row.pdf_sha256),
    closedAt: Cell.at(row.closed_at),
    closedBy: Cell.text(row.closed_by)
  })
}
