import type { Xpub } from "@bursar/core/address/Xpub"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { int8, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, type RecordTable } from "../internal/Table.ts"

/** Extended public keys, live and retired. */
export const xpubTable: RecordTable<Xpub> = {
  name: "xpub",
  key: ["xpub_id"],
  keyType: uuid,
  groups: "from xpub t where t.tenant_id = $1 and t.network = any($2::text[]) and t.retired_at is null",
  columns: [
    column("xpub_id", uuid, ({ id }) => id),
    column("network", text, ({ network }) => network),
    column("xpub", text, ({ xpub }) => xpub),
    column("canonical", text, ({ canonical }) => canonical),
    bigintColumn("index_from", int8, ({ indexFrom }) => indexFrom),
    bigintColumn("index_to", int8, ({ indexTo }) => indexTo),
    bigintColumn("next_index", int8, ({ nextIndex }) => nextIndex),
    column("retired_at", timestamptz, ({ retiredAt }) => retiredAt),
    column("created_at", timestamptz, ({ createdAt }) => createdAt)
  ],
  read: (row) => ({
    id: Cell.text(row.xpub_id),
    tenantId: TenantId(Cell.text(row.tenant_id)),
    network: Cell.text(row.network),
    xpub: Cell.text(row.xpub),
    canonical: Cell.text(row.canonical),
    indexFrom: Cell.int(row.index_from),
    indexTo: Cell.int(row.index_to),
    nextIndex: Cell.int(row.next_index),
    retiredAt: Cell.atOrNull(row.retired_at),
    createdAt: Cell.at(row.created_at)
  })
}
