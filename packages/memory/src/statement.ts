import type { Timestamp } from "@bursar/core/engine/Timestamp"
import type { StatementPage } from "@bursar/core/port/Queries"
import { within } from "./lists.ts"
import type { TenantRecords } from "./Store.ts"

/** What a statement is asked for. */
export interface StatementQuery {
  readonly currency: string
  readonly since?: Timestamp | undefined
  readonly until?: Timestamp | undefined
  readonly limit: number
}

/** The legs of `float:available` between two moments: `opening` plus what is shown gives `closing`. */
export const statement = (tenant: TenantRecords, query: StatementQuery): StatementPage => {
  const legs = tenant.legs.filter((leg) => leg.account === "float:available" && leg.currency === query.currency)
  const between = legs.filter((leg) => within(leg.postedAt, query))
  const shown = between.slice(0, query.limit)
  const opening = legs.findLast((leg) => query.since !== undefined && leg.postedAt < query.since)?.balance ?? 0n
  return {
    opening,
    closing: shown.at(-1)?.balance ?? opening,
    movements: shown.flatMap((leg) => {
      const operation = tenant.operations.get(leg.operationId)
      return operation === undefined ? [] : [{ leg, operation }]
    }),
    truncated: between.length > shown.length
  }
}
