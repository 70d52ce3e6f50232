import type { ApiKey } from "@bursar/core/access/ApiKey"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { json, text, timestamptz } from "../internal/columnTypes.ts"
import { column, type RecordTable } from "../internal/Table.ts"

/** API keys, revoked or not. */
export const apiKeyTable: RecordTable<ApiKey> = {
  name: "api_key",
  key: ["key_id"],
  keyType: text,
  unique: { table: "api_key_directory", column: "key_id" },
  columns: [
    column("key_id", text, ({ id }) => id),
    column("label", text, ({ label }) => label),
    column("prefix", text, ({ prefix }) => prefix),
    column("hash", text, ({ hash }) => hash),
    column("scopes", json, ({ scopes }) => scopes),
    column("expires_at", timestamptz, ({ expiresAt }) => expiresAt),
    column("seal", text, ({ seal }) => seal),
    column("created_at", timestamptz, ({ createdAt }) => createdAt),
    column("revoked_at", timestamptz, ({ revokedAt }) => revokedAt)
  ],
  read: (row) => ({
    id: Cell.text(row.key_id),
    tenantId: TenantId(Cell.text(row.tenant_id)),
    label: Cell.text(row.label),
    prefix: Cell.text(row.prefix),
    hash: Cell.text(row.hash),
    scopes: Cell.json(row.scopes),
    expiresAt: Cell.atOrNull(row.expires_at),
    seal: Cell.textOrNull(row.seal),
    createdAt: Cell.at(row.created_at),
    revokedAt: Cell.atOrNull(row.revoked_at)
  })
}
