import type { SigningKey, SigningKeyBinding } from "@bursar/core/signature/SigningKey"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { text, timestamptz } from "../internal/columnTypes.ts"
import { column, selectList, type RecordTable } from "../internal/Table.ts"

/** Public keys, one row per API key that each is bound to. */
export const signingKeyTable: RecordTable<SigningKey, SigningKeyBinding> = {
  name: "signing_key",
  key: ["api_key_id", "keyid"],
  keyColumns: [column("api_key_id", text, ({ apiKeyId }) => apiKeyId), column("keyid", text, ({ keyid }) => keyid)],
  // all of a tenant are one group
  groups: "from signing_key t where t.tenant_id = $1 and cardinality($2::text[]) > 0",
  columns: [
    column("api_key_id", text, ({ apiKeyId }) => apiKeyId),
    column("keyid", text, ({ keyid }) => keyid),
    column("public_key", text, ({ publicKey }) => publicKey),
    column("created_at", timestamptz, ({ createdAt }) => createdAt),
    column("revoked_at", timestamptz, ({ revokedAt }) => revokedAt)
  ],
  read: (row) => ({
    tenantId: TenantId(Cell.text(row.tenant_id)),
    apiKeyId: Cell.text(row.api_key_id),
    keyid: Cell.text(row.keyid),
    publicKey: Cell.text(row.public_key),
    createdAt: Cell.at(row.created_at),
    revokedAt: Cell.atOrNull(row.revoked_at)
  })
}

/** All signing keys of a tenant, `$1`, oldest first. */
export const selectSigningKeys = `select ${selectList(signingKeyTable, "t")} from signing_key t where t.tenant_id = $1
  order by t.created_at, t.api_key_id collate "C", t.keyid collate "C"`
