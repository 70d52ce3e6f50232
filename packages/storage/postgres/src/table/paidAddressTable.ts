import { PaidAddress } from "@bursar/core/payout/PaidAddress"
import * as Cell from "../internal/cells.ts"
import { text, timestamptz } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** The addresses that were paid. */
export const paidAddressTable: RecordTable<PaidAddress> = {
  name: "paid_address",
  key: ["paid_address_key"],
  keyType: text,
  columns: [
    column("paid_address_key", text, PaidAddress.key),
    column(groupColumn, text, PaidAddress.group),
    column("network", text, ({ network }) => network),
    column("address", text, ({ address }) => address),
    column("first_paid_at", timestamptz, ({ firstPaidAt }) => firstPaidAt)
  ],
  read: (row) => ({
    network: Cell.text(row.network),
    address: Cell.text(row.address),
    firstPaidAt: Cell.at(row.first_paid_at)
  })
}
