import { type KeyConflict, keyConflictKinds } from "@bursar/core/address/KeyConflict"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"

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

/** What lost its key to another tenant when the database was updated. */
export const keyConflicts = (sql: SqlClient, limit: number): Effect.Effect<ReadonlyArray<KeyConflict>, SqlError> =>
  Effect.map(sql<Row>`select * from key_conflict order by found_at desc, tenant_id, id limit ${limit}`, (rows) =>
    rows.map(read)
  )
