import type { Backfill } from "@bursar/core/address/DepositAddress"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { int8, json, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, type RecordTable } from "../internal/Table.ts"

/** Jobs to read the past. How far they have come is not part of the record. */
export const backfillTable: RecordTable<Backfill> = {
  name: "backfill",
  key: ["backfill_id"],
  keyType: uuid,
  columns: [
    column("backfill_id", uuid, ({ id }) => id),
    column("network", text, ({ network }) => network),
    column("addresses", json, ({ addresses }) => addresses),
    bigintColumn("from_block", int8, ({ fromBlock }) => fromBlock),
    column("from_time", timestamptz, ({ fromTime }) => fromTime),
    column("created_at", timestamptz, ({ createdAt }) => createdAt)
  ],
  read: (row) => ({
    id: Cell.text(row.backfill_id),
    tenantId: TenantId(Cell.text(row.tenant_id)),
    network: Cell.text(row.network),
    addresses: Cell.json(row.addresses),
    fromBlock: Cell.intOrNull(row.from_block),
    fromTime: Cell.at(row.from_time),
    createdAt: Cell.at(row.created_at)
  })
}
