import type { Amount } from "@bursar/core/money/Amount"
import { Resolution, resolutionBases, resolutionOutcomes, resolutionStates } from "@bursar/core/resolution/Resolution"
import { Predicate } from "effect"
import * as Cell from "../internal/cells.ts"
import { json, numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

const bearers = ["RECEIVER", "SERVICE"] as const

const amountOf = (units: unknown, currency: unknown): Amount => ({
  units: Cell.units(units),
  currency: Cell.text(currency)
})

/** What operators propose became of operations. */
export const resolutionTable: RecordTable<Resolution> = {
  name: "resolution",
  key: ["resolution_id"],
  keyType: uuid,
  columns: [
    column("resolution_id", uuid, ({ id }) => id),
    column(groupColumn, text, Resolution.group),
    column("operation_id", uuid, ({ operationId }) => operationId),
    column("outcome", text, ({ outcome }) => outcome),
    column("basis", text, ({ basis }) => basis),
    column("reference", text, ({ reference }) => reference),
    column("source", text, ({ source }) => source),
    column("statement", text, (one) => one.text),
    column("provider_reference", text, ({ providerReference }) => providerReference),
    column("tx_hash", text, ({ txHash }) => txHash),
    column("received_currency", text, ({ received }) => received?.currency ?? null),
    column("received_units", numeric, ({ received }) => received?.units.toString() ?? null),
    column("network_fee_currency", text, ({ networkFee }) => networkFee?.amount.currency ?? null),
    column("network_fee_units", numeric, ({ networkFee }) => networkFee?.amount.units.toString() ?? null),
    column("network_fee_borne_by", text, ({ networkFee }) => networkFee?.borneBy ?? null),
    column("state", text, ({ state }) => state),
    column("proposed_by", text, ({ proposedBy }) => proposedBy),
    column("said", text, ({ said }) => said),
    column("noted", json, ({ noted }) => noted),
    column("decided_by", text, ({ decidedBy }) => decidedBy),
    column("rejected_reason", text, ({ rejectedReason }) => rejectedReason),
    column("created_at", timestamptz, ({ createdAt }) => createdAt),
    column("decided_at", timestamptz, ({ decidedAt }) => decidedAt)
  ],
  read: (row) => ({
    id: Cell.text(row.resolution_id),
    operationId: Cell.text(row.operation_id),
    outcome: Cell.oneOf(resolutionOutcomes, row.outcome),
    basis: Cell.oneOf(resolutionBases, row.basis),
    reference: Cell.text(row.reference),
    source: Cell.text(row.source),
    text: Cell.text(row.statement),
    providerReference: Cell.textOrNull(row.provider_reference),
    txHash: Cell.textOrNull(row.tx_hash),
    received: row.received_currency === null ? null : amountOf(row.received_units, row.received_currency),
    networkFee:
      row.network_fee_currency === null
        ? null
        : {
            amount: amountOf(row.network_fee_units, row.network_fee_currency),
            borneBy: Cell.oneOf(bearers, row.network_fee_borne_by)
          },
    state: Cell.oneOf(resolutionStates, row.state),
    proposedBy: Cell.text(row.proposed_by),
    said: Cell.textOrNull(row.said),
    noted: Cell.list(row.noted, Predicate.isString),
    decidedBy: Cell.textOrNull(row.decided_by),
    rejectedReason: Cell.textOrNull(row.rejected_reason),
    createdAt: Cell.at(row.created_at),
    decidedAt: Cell.atOrNull(row.decided_at)
  })
}
