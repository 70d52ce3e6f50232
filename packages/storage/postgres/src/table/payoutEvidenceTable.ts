import { evidenceVerdicts, PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import * as Cell from "../internal/cells.ts"
import { int4, numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** What operators know of payouts. */
export const payoutEvidenceTable: RecordTable<PayoutEvidence> = {
  name: "payout_evidence",
  key: ["evidence_key"],
  keyType: text,
  columns: [
    column("evidence_key", text, ({ key }) => key),
    column(groupColumn, text, PayoutEvidence.group),
    column("operation_id", uuid, ({ operationId }) => operationId),
    column("network", text, ({ network }) => network),
    column("tx_hash", text, ({ txHash }) => txHash),
    column("note", text, ({ note }) => note),
    column("given_by", text, ({ givenBy }) => givenBy),
    column("given_at", timestamptz, ({ givenAt }) => givenAt),
    column("verdict", text, ({ verdict }) => verdict),
    column("found", text, ({ found }) => found),
    column("fee", numeric, ({ fee }) => fee?.toString() ?? null),
    column("checked_at", timestamptz, ({ checkedAt }) => checkedAt),
    column("shared_count", int4, ({ sharedCount }) => sharedCount),
    column("cost_borne_by", uuid, ({ costBorneBy }) => costBorneBy)
  ],
  read: (row) => ({
    key: Cell.text(row.evidence_key),
    operationId: Cell.text(row.operation_id),
    network: row.network === null ? null : Cell.text(row.network),
    txHash: Cell.textOrNull(row.tx_hash),
    note: Cell.text(row.note),
    givenBy: Cell.text(row.given_by),
    givenAt: Cell.at(row.given_at),
    verdict: row.verdict === null ? null : Cell.oneOf(evidenceVerdicts, row.verdict),
    found: Cell.textOrNull(row.found),
    fee: row.fee === null ? null : Cell.units(row.fee),
    checkedAt: Cell.atOrNull(row.checked_at),
    sharedCount: Cell.intOrNull(row.shared_count),
    costBorneBy: Cell.textOrNull(row.cost_borne_by)
  })
}
