import { UnsweptImports } from "@bursar/core/operation/UnsweptImports"
import * as Cell from "../internal/cells.ts"
import { numeric, text } from "../internal/columnTypes.ts"
import { column, type RecordTable } from "../internal/Table.ts"

/** What was credited on addresses of imported keys and is not swept yet. */
export const unsweptImportsTable: RecordTable<UnsweptImports> = {
  name: "unswept_imports",
  key: ["currency"],
  keyType: text,
  columns: [column("currency", text, UnsweptImports.key), column("units", numeric, ({ units }) => units.toString())],
  read: (row) => ({ currency: Cell.text(row.currency), units: Cell.units(row.units) })
}
