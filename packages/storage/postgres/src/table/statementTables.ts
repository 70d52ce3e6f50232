import { Statement } from "@bursar/core/reconciliation/statement/Statement"
import { SplitEntry } from "@bursar/core/reconciliation/statement/SplitEntry"
import { StatementLine } from "@bursar/core/reconciliation/statement/StatementLine"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { int4, json, numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** Statements of places. */
export const statementTable: RecordTable<Statement> = {
  name: "statement",
  key: ["statement_key"],
  keyType: text,
  columns: [
    column("statement_key", text, Statement.key),
    column(groupColumn, text, Statement.group),
    column("statement_id", text, ({ id }) => id),
    column("currencies", json, ({ currencies }) => currencies ?? []),
    column("from_at", timestamptz, ({ from }) => from),
    column("to_at", timestamptz, ({ to }) => to),
    column("parts", int4, ({ parts }) => parts),
    column("digest", text, ({ digest }) => digest),
    column("received", json, ({ received }) => received),
    column("checked_to", timestamptz, ({ checkedTo }) => checkedTo),
    column("imported_by", text, ({ by }) => by),
    column("imported_at", timestamptz, ({ at }) => at)
  ],
  read: (row) => {
    // a statement about no currency is about all of them
    const currencies = Cell.texts(row.currencies)
    return {
      place: Cell.text(row.record_group),
      id: Cell.text(row.statement_id),
      currencies: currencies.length === 0 ? null : currencies,
      from: Cell.at(row.from_at),
      to: Cell.at(row.to_at),
      parts: Cell.int(row.parts),
      digest: Cell.text(row.digest),
      received: Cell.ints(row.received),
      checkedTo: Cell.at(row.checked_to),
      by: Cell.text(row.imported_by),
      at: Cell.at(row.imported_at)
    }
  }
}

/** The lines of statements. */
export const statementLineTable: RecordTable<StatementLine> = {
  name: "statement_line",
  key: ["line_key"],
  keyType: text,
  columns: [
    column("line_key", text, StatementLine.key),
    column(groupColumn, text, StatementLine.group),
    column("place", text, ({ place }) => place),
    column("line_id", text, ({ id }) => id),
    column("statement_id", text, ({ statement }) => statement),
    column("also_in", json, ({ alsoIn }) => alsoIn),
    column("line_at", timestamptz, ({ at }) => at),
    column("currency", text, ({ currency }) => currency),
    column("units", numeric, ({ units }) => units.toString()),
    column("refs", json, ({ references }) => references),
    column("text", text, ({ text: words }) => words),
    column("about_operation", uuid, ({ about }) => about?.operationId ?? null),
    column("about_tenant", uuid, ({ about }) => about?.tenantId ?? null)
  ],
  read: (row) => ({
    place: Cell.text(row.place),
    id: Cell.text(row.line_id),
    statement: Cell.text(row.statement_id),
    alsoIn: Cell.texts(row.also_in),
    at: Cell.at(row.line_at),
    currency: Cell.text(row.currency),
    units: Cell.units(row.units),
    references: Cell.texts(row.refs),
    text: Cell.text(row.text),
    about:
      row.about_operation === null
        ? null
        : { operationId: Cell.text(row.about_operation), tenantId: TenantId(Cell.text(row.about_tenant)) }
  })
}

/** The entries that statements tell by their parts. */
export const splitEntryTable: RecordTable<SplitEntry> = {
  name: "split_entry",
  key: ["split_key"],
  keyType: text,
  columns: [
    column("split_key", text, SplitEntry.key),
    column(groupColumn, text, SplitEntry.group),
    column("place", text, ({ place }) => place),
    column("entry_id", text, ({ id }) => id),
    column("statement_id", text, ({ statement }) => statement),
    column("entry_at", timestamptz, ({ at }) => at),
    column("currency", text, ({ currency }) => currency),
    column("units", numeric, ({ units }) => units.toString()),
    column("told", numeric, ({ told }) => told.toString())
  ],
  read: (row) => ({
    place: Cell.text(row.place),
    id: Cell.text(row.entry_id),
    statement: Cell.text(row.statement_id),
    at: Cell.at(row.entry_at),
    currency: Cell.text(row.currency),
    units: Cell.units(row.units),
    told: Cell.units(row.told)
  })
}
