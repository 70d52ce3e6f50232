import type { ApiKey } from "@bursar/core/access/ApiKey"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { json, text, timestamptz } from "../internal/columnTypes.ts"
import { column, type RecordTable } from "../internal/Table.ts"

/** The latest moment that there is: what stands for one that cannot be read, and is in no seal. */
const unreadableAt = 8_640_000_000_000_000

/** A moment of a row that anybody may have written, such as `infinity`: one key that cannot be read must not keep the others from being read. */
const readAt = (cell: unknown): number =>
  cell instanceof Date && !Number.isNaN(cell.getTime()) ? cell.getTime() : unreadableAt

/** Scopes of such a row; none where they are no list of texts. The seal of the key does not fit then, so it opens nothing and is named. */
const readScopes = (cell: unknown): ReadonlyArray<string> =>
  Array.isArray(cell) && cell.every((one) => typeof one === "string") ? cell : []

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
    scopes: readScopes(row.scopes),
    expiresAt: row.expires_at === null ? null : readAt(row.expires_at),
    seal: Cell.textOrNull(row.seal),
    createdAt: readAt(row.created_at),
    revokedAt: row.revoked_at === null ? null : readAt(row.revoked_at)
  })
}
