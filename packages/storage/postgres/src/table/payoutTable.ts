import { Payout } from "@bursar/core/payout/Payout"
import * as Cell from "../internal/cells.ts"
import { bool, int8, json, numeric, text, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable, seldom } from "../internal/Table.ts"
import { memoOf } from "./memoOf.ts"

/** What chain payouts pay, and how far they have come. */
export const payoutTable: RecordTable<Payout> = {
  name: "payout",
  key: ["operation_id"],
  keyType: uuid,
  columns: [
    column("operation_id", uuid, ({ operationId }) => operationId),
    column(groupColumn, text, Payout.group),
    column("network", text, ({ network }) => network),
    column("currency", text, ({ currency }) => currency),
    column("contract", text, ({ contract }) => contract),
    column("units", numeric, ({ units }) => units.toString()),
    column("paid_to", text, ({ to }) => to),
    column("memo", json, ({ memo }) => memo),
    column("transaction_id", uuid, ({ transactionId }) => transactionId),
    bigintColumn("attempts", int8, ({ attempts }) => attempts),
    column("alone", bool, ({ alone }) => alone),
    column("waits", json, ({ waits }) => waits),
    column("made_by", text, ({ madeBy }) => madeBy),
    ...seldom<Payout>("earlier_transactions", [
      column("earlier_transactions", json, ({ earlierTransactions }) =>
        earlierTransactions.length === 0 ? null : earlierTransactions
      )
    ]),
    ...seldom<Payout>("operators", [
      column("reviewed_by", text, ({ reviewedBy }) => reviewedBy),
      column("cancelled_by", text, ({ cancelledBy }) => cancelledBy)
    ])
  ],
  read: (row) => ({
    operationId: Cell.text(row.operation_id),
    network: Cell.text(row.network),
    currency: Cell.text(row.currency),
    contract: Cell.textOrNull(row.contract),
    units: Cell.units(row.units),
    to: Cell.text(row.paid_to),
    memo: memoOf(row.memo),
    transactionId: Cell.textOrNull(row.transaction_id),
    earlierTransactions: row.earlier_transactions === null ? [] : Cell.texts(row.earlier_transactions),
    attempts: Cell.int(row.attempts),
    alone: Cell.flag(row.alone),
    waits: Cell.json(row.waits),
    madeBy: Cell.text(row.made_by),
    reviewedBy: Cell.textOrNull(row.reviewed_by),
    cancelledBy: Cell.textOrNull(row.cancelled_by)
  })
}
