import { type SealedKey, sealedKinds } from "@bursar/core/port/SealedKey"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, type RecordTable } from "../internal/Table.ts"

/** Secrets that only the vault can open. */
export const sealedKeyTable: RecordTable<SealedKey> = {
  name: "sealed_key",
  key: ["key_id"],
  keyType: uuid,
  columns: [
    column("key_id", uuid, ({ id }) => id),
    column("kind", text, ({ kind }) => kind),
    column("sealed", text, ({ sealed }) => sealed),
    column("created_at", timestamptz, ({ createdAt }) => createdAt)
  ],
  read: (row) => ({
    tenantId: TenantId(Cell.text(row.tenant_id)),
    id: Cell.text(row.key_id),
    kind: Cell.oneOf(sealedKinds, row.kind),
    sealed: Cell.text(row.sealed),
    createdAt: Cell.at(row.created_at)
  })
}
