import { AccountNumber } from "@bursar/core/account/FiatAccount"
import * as Cell from "../internal/cells.ts"
import { json, text } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** Which accounts an IBAN or account number names. */
export const accountNumberTable: RecordTable<AccountNumber> = {
  name: "account_number",
  key: ["number"],
  keyType: text,
  columns: [
    column("number", text, ({ number }) => number),
    column(groupColumn, text, AccountNumber.group),
    column("account_ids", json, ({ accountIds }) => accountIds)
  ],
  read: (row) => ({ number: Cell.text(row.number), accountIds: Cell.texts(row.account_ids) })
}
