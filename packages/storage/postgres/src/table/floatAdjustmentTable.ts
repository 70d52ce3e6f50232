import { adjustmentStates, FloatAdjustment } from "@bursar/core/adjustment/FloatAdjustment"
import * as Cell from "../internal/cells.ts"
import { numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"
import { account } from "./legTable.ts"

/** The adjustments that operators propose. */
export const floatAdjustmentTable: RecordTable<FloatAdjustment> = {
  name: "float_adjustment",
  key: ["adjustment_id"],
  keyType: uuid,
  columns: [
    column("adjustment_id", uuid, ({ id }) => id),
    column(groupColumn, text, FloatAdjustment.group),
    column("currency", text, ({ amount }) => amount.currency),
    column("units", numeric, ({ amount }) => amount.units.toString()),
    column("against", text, ({ against }) => against),
    column("from_account", text, ({ from }) => from),
    column("assigns", uuid, ({ assigns }) => assigns),
    column("corrects", uuid, ({ corrects }) => corrects),
    column("reason", text, ({ reason }) => reason),
    column("proposed_by", text, ({ proposedBy }) => proposedBy),
    column("state", text, ({ state }) => state),
    column("decided_by", text, ({ decidedBy }) => decidedBy),
    column("rejected_reason", text, ({ rejectedReason }) => rejectedReason),
    column("operation_id", uuid, ({ operationId }) => operationId),
    column("created_at", timestamptz, ({ createdAt }) => createdAt),
    column("decided_at", timestamptz, ({ decidedAt }) => decidedAt)
  ],
  read: (row) => ({
    id: Cell.text(row.adjustment_id),
    amount: { units: Cell.units(row.units), currency: Cell.text(row.currency) },
    against: account(row.against),
    from: row.from_account === null ? null : account(row.from_account),
    assigns: Cell.textOrNull(row.assigns),
    corrects: Cell.textOrNull(row.corrects),
    reason: Cell.text(row.reason),
    proposedBy: Cell.text(row.proposed_by),
    state: Cell.oneOf(adjustmentStates, row.state),
    decidedBy: Cell.textOrNull(row.decided_by),
    rejectedReason: Cell.textOrNull(row.rejected_reason),
    operationId: Cell.textOrNull(row.operation_id),
    createdAt: Cell.at(row.created_at),
    decidedAt: Cell.atOrNull(row.decided_at)
  })
}
