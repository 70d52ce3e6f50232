import { Destination } from "@bursar/core/destination/Destination"
import * as Cell from "../internal/cells.ts"
import { text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** Where tenants withdraw to. */
export const destinationTable: RecordTable<Destination> = {
  name: "destination",
  key: ["destination_id"],
  keyType: uuid,
  columns: [
    column("destination_id", uuid, ({ id }) => id),
    column(groupColumn, text, Destination.group),
    column("currency", text, ({ currency }) => currency),
    column("network", text, ({ network }) => network),
    column("address", text, ({ address }) => address),
    column("memo", text, ({ memo }) => memo),
    column("label", text, ({ label }) => label),
    column("proposed_by", text, ({ proposedBy }) => proposedBy),
    column("verified_by", text, ({ verifiedBy }) => verifiedBy),
    column("verified_at", timestamptz, ({ verifiedAt }) => verifiedAt),
    column("usable_from", timestamptz, ({ usableFrom }) => usableFrom),
    column("rejected_at", timestamptz, ({ rejectedAt }) => rejectedAt),
    column("rejected_reason", text, ({ rejectedReason }) => rejectedReason),
    column("created_at", timestamptz, ({ createdAt }) => createdAt)
  ],
  read: (row) => ({
    id: Cell.text(row.destination_id),
    currency: Cell.text(row.currency),
    network: Cell.text(row.network),
    address: Cell.text(row.address),
    memo: Cell.textOrNull(row.memo),
    label: Cell.text(row.label),
    proposedBy: Cell.text(row.proposed_by),
    verifiedBy: Cell.textOrNull(row.verified_by),
    verifiedAt: Cell.atOrNull(row.verified_at),
    usableFrom: Cell.atOrNull(row.usable_from),
    rejectedAt: Cell.atOrNull(row.rejected_at),
    rejectedReason: Cell.textOrNull(row.rejected_reason),
    createdAt: Cell.at(row.created_at)
  })
}
