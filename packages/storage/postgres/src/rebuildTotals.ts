import type { StorageError } from "@bursar/core/engine/StorageError"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { Connection } from "./Connection.ts"
import { attemptChange } from "./internal/attempt.ts"
import { recountTexts } from "./storage/unsweptImports.ts"
import { rebuildTexts } from "./storage/totals.ts"

/**
 * Writes the totals of a tenant's operations anew, and what of its deposits backs nothing: for when the checker finds one that is wrong. The tenant's commits wait meanwhile. It is
 * the owner of the schema who may delete totals.
 */
export const rebuildTotals = (tenantId: TenantId): Effect.Effect<void, StorageError, Connection> =>
  Effect.flatMap(Connection, ({ long: sql }) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          yield* sql`select 1 from tenant_head where tenant_id = ${tenantId} for update`
          for (const text of [...rebuildTexts, ...recountTexts]) yield* sql.unsafe(text, [tenantId])
        })
      )
      .pipe(attemptChange("write the totals of a tenant anew"))
  )
