import { SweepAccount } from "@bursar/core/sweep/SweepAccount"
import * as Cell from "../internal/cells.ts"
import { int8, json, numeric, text, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** Accounts that are swept. */
export const sweepAccountTable: RecordTable<SweepAccount> = {
  name: "sweep_account",
  key: ["sweep_account_key"],
  keyType: text,
  columns: [
    column("sweep_account_key", text, SweepAccount.key),
    column(groupColumn, text, SweepAccount.group),
    column("network", text, ({ network }) => network),
    column("account", text, ({ account }) => account),
    column("next_sequence", numeric, ({ nextSequence }) => nextSequence?.toString() ?? null),
    bigintColumn("next_salt", int8, ({ nextSalt }) => nextSalt),
    column("transaction_id", uuid, ({ transactionId }) => transactionId),
    column("sweep_ids", json, ({ sweepIds }) => sweepIds),
    bigintColumn("failures", int8, ({ failures }) => failures)
  ],
  read: (row) => ({
    network: Cell.text(row.network),
    account: Cell.text(row.account),
    nextSequence: row.next_sequence === null ? null : Cell.units(row.next_sequence),
    nextSalt: Cell.int(row.next_salt),
    transactionId: Cell.textOrNull(row.transaction_id),
    sweepIds: Cell.texts(row.sweep_ids),
    failures: Cell.int(row.failures)
  })
}
