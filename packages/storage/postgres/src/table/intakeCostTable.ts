import { IntakeCost } from "@bursar/core/sweep/IntakeCost"
import * as Cell from "../internal/cells.ts"
import { int8, numeric, text, timestamptz } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** What bringing in deposits has cost. */
export const intakeCostTable: RecordTable<IntakeCost> = {
  name: "intake_cost",
  key: ["currency"],
  keyType: text,
  columns: [
    column("currency", text, ({ currency }) => currency),
    column(groupColumn, text, IntakeCost.group),
    column("native_asset", text, ({ native }) => native),
    bigintColumn("sweeps", int8, ({ count }) => count),
    column("fee_units", numeric, ({ feeUnits }) => feeUnits.toString()),
    column("usd_cents", numeric, ({ usdCents }) => usdCents?.toString() ?? null),
    column("since", timestamptz, ({ since }) => since),
    column("until", timestamptz, ({ until }) => until)
  ],
  read: (row) => ({
    currency: Cell.text(row.currency),
    native: Cell.text(row.native_asset),
    count: Cell.int(row.sweeps),
    feeUnits: Cell.units(row.fee_units),
    usdCents: row.usd_cents === null ? null : Cell.units(row.usd_cents),
    since: Cell.at(row.since),
    until: Cell.at(row.until)
  })
}
