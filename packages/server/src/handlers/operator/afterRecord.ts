import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { RecordDefinition } from "@bursar/core/engine/Records"
import type { Queries, RegisterPosition } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { orUnavailable } from "../../refusals.ts"

/** The place of the record that a page goes on after; undefined for the first page. `invalid_cursor` where the tenant has no such record. */
export const afterRecord = <A extends RegisterPosition>(
  queries: Queries["Service"],
  tenantId: TenantId,
  of: RecordDefinition<A>,
  id: string | undefined
): Effect.Effect<RegisterPosition | undefined, ApiError> =>
  id === undefined
    ? Effect.succeed(undefined)
    : Effect.flatMap(orUnavailable(queries.record(tenantId, of, id)), (record) =>
        record === undefined ? Effect.fail(apiError("invalid_cursor")) : Effect.succeed(record)
      )

/** A page of what was read with one more than the limit, and the id that the next page goes on after. */
export const pageOf = <A extends RegisterPosition>(found: ReadonlyArray<A>, limit: number) => {
  const page = found.slice(0, limit)
  return { page, nextAfter: found.length > limit ? (page.at(-1)?.id ?? null) : null }
}
