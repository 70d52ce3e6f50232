import { type KeyConflict, keyConflictKinds, type KeyConflictPlace } from "@bursar/core/address/KeyConflict"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { given } from "../internal/select.ts"

const read = (row: Row): KeyConflict => ({
  key: Cell.text(row.key_name),
  what: Cell.oneOf(keyConflictKinds, row.what),
  tenantId: TenantId(Cell.text(row.tenant_id)),
  id: Cell.text(row.id),
  network: Cell.text(row.network),
  text: Cell.text(row.text),
  keptBy: TenantId(Cell.text(row.kept_by)),
  foundAt: Cell.at(row.found_at)
})

const behind = (sql: SqlClient, { foundAt, id, tenantId }: KeyConflictPlace) =>
  sql`found_at <= ${new Date(foundAt)} and (found_at < ${new Date(foundAt)}
    or (tenant_id, id) > (${tenantId}::uuid, ${id}::uuid))`

/** What lost its key to another tenant when the database was updated, newest first, behind a place where one is given. */
export const keyConflicts = (
  sql: SqlClient,
  { after, limit }: { readonly after?: KeyConflictPlace | undefined; readonly limit: number }
): Effect.Effect<ReadonlyArray<KeyConflict>, SqlError> =>
  Effect.map(
    sql<Row>`select * from key_conflict where ${sql.and([
      sql`true`,
      ...given(after, (place) => behind(sql, place))
    ])} order by found_at desc, tenant_id, id limit ${limit}`,
    (rows) => rows.map(read)
  )
