import { BookedIncoming } from "@bursar/core/account/FiatAccount"
import * as Cell from "../internal/cells.ts"
import { text, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** The payments that were booked, by the provider's ids of them. */
export const bookedIncomingTable: RecordTable<BookedIncoming> = {
  name: "booked_incoming",
  key: ["payment_key"],
  keyType: text,
  columns: [
    column("payment_key", text, ({ key }) => key),
    column(groupColumn, text, BookedIncoming.group),
    column("operation_id", uuid, ({ operationId }) => operationId)
  ],
  read: (row) => ({ key: Cell.text(row.payment_key), operationId: Cell.text(row.operation_id) })
}
