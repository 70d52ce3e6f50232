import { SuspenseTaken } from "@bursar/core/operation/SuspenseTaken"
import * as Cell from "../internal/cells.ts"
import { numeric, text } from "../internal/columnTypes.ts"
import { column, type RecordTable } from "../internal/Table.ts"

/** What adjustments have taken out of suspense without naming the arrival. */
export const suspenseTakenTable: RecordTable<SuspenseTaken> = {
  name: "suspense_taken",
  key: ["currency"],
  keyType: text,
  columns: [column("currency", text, SuspenseTaken.key), column("units", numeric, ({ units }) => units.toString())],
  read: (row) => ({ currency: Cell.text(row.currency), units: Cell.units(row.units) })
}
