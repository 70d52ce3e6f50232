import { PlaceSight } from "@bursar/core/reconciliation/PlaceSight"
import * as Cell from "../internal/cells.ts"
import { text, timestamptz } from "../internal/columnTypes.ts"
import { column, type RecordTable } from "../internal/Table.ts"

/** When places were last looked at whole. */
export const placeSightTable: RecordTable<PlaceSight> = {
  name: "place_sight",
  key: ["name"],
  keyType: text,
  columns: [column("name", text, PlaceSight.key), column("seen_at", timestamptz, ({ seenAt }) => seenAt)],
  read: (row) => ({ name: Cell.text(row.name), seenAt: Cell.at(row.seen_at) })
}
