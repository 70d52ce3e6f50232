import type { Balance } from "@bursar/core/ledger/Leg"
import * as Cell from "../internal/cells.ts"
import { int8, numeric, text } from "../internal/columnTypes.ts"
import { bigintColumn, column, type Table } from "../internal/Table.ts"
import { account } from "./legTable.ts"

/** What the legs of each account come to. */
export const balanceTable: Table<Balance> = {
  name: "balance",
  key: ["account", "currency"],
  columns: [
    column("account", text, (balance) => balance.account),
    column("currency", text, ({ currency }) => currency),
    column("units", numeric, ({ units }) => units.toString()),
    bigintColumn("version", int8, ({ version }) => version)
  ],
  read: (row) => ({
    account: account(row.account),
    currency: Cell.text(row.currency),
    units: Cell.units(row.units),
    version: Cell.int(row.version)
  })
}
