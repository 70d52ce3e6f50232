import type { ImportedKey } from "@bursar/core/address/ImportedKey"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, type RecordTable } from "../internal/Table.ts"

/** Private keys that tenants have handed over, without the keys. */
export const importedKeyTable: RecordTable<ImportedKey> = {
  name: "imported_key",
  key: ["key_id"],
  keyType: uuid,
  columns: [
    column("key_id", uuid, ({ id }) => id),
    column("address_id", uuid, ({ addressId }) => addressId),
    column("network", text, ({ network }) => network),
    column("address", text, ({ address }) => address),
    column("algorithm", text, ({ algorithm }) => algorithm),
    column("source_system", text, ({ sourceSystem }) => sourceSystem),
    column("source_reference", text, ({ sourceReference }) => sourceReference),
    column("created_at", timestamptz, ({ createdAt }) => createdAt)
  ],
  read: (row) => ({
    id: Cell.text(row.key_id),
    tenantId: TenantId(Cell.text(row.tenant_id)),
    addressId: Cell.text(row.address_id),
    network: Cell.text(row.network),
    address: Cell.text(row.address),
    algorithm: Cell.text(row.algorithm),
    sourceSystem: Cell.textOrNull(row.source_system),
    sourceReference: Cell.textOrNull(row.source_reference),
    createdAt: Cell.at(row.created_at)
  })
}
