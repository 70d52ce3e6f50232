import { PaidAccount } from "@bursar/core/transfer/PaidAccount"
import * as Cell from "../internal/cells.ts"
import { text, timestamptz } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** The accounts at banks that were paid. */
export const paidAccountTable: RecordTable<PaidAccount> = {
  name: "paid_account",
  key: ["account"],
  keyType: text,
  columns: [
    column("account", text, ({ account }) => account),
    column(groupColumn, text, PaidAccount.group),
    column("first_paid_at", timestamptz, ({ firstPaidAt }) => firstPaidAt)
  ],
  read: (row) => ({ account: Cell.text(row.account), firstPaidAt: Cell.at(row.first_paid_at) })
}
