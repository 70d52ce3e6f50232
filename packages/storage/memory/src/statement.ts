import type { LegMoment } from "@bursar/core/ledger/LegMoment"
import type { StatementPage } from "@bursar/core/store/Queries"
import { Operation } from "@bursar/core/operation/Operation"
import { recordsOf, type TenantRecords } from "./Store.ts"

/** What a statement is asked for. */
export interface StatementQuery {
  readonly currency: string
  readonly since?: LegMoment | undefined
  readonly until?: LegMoment | undefined
  readonly limit: number
}

/** The legs of `float:available` between two moments: `opening` plus what is shown gives `closing`. */
export const statement = (tenant: TenantRecords, query: StatementQuery): StatementPage => {
  const { limit, since, until } = query
  const all = tenant.legs.filter((leg) => leg.account === "float:available" && leg.currency === query.currency)
  const legs = all.map((leg, index) => ({
    leg,
    nth: index - all.findIndex(({ postedAt }) => postedAt === leg.postedAt)
  }))
  const before = ({ leg: { postedAt }, nth }: (typeof legs)[number], moment: LegMoment) =>
    postedAt < moment.at || (postedAt === moment.at && nth < moment.nth)
  const between = legs.filter(
    (one) => (since === undefined || !before(one, since)) && (until === undefined || before(one, until))
  )
  const shown = between.slice(0, limit)
  const opening = legs.findLast((one) => since !== undefined && before(one, since))?.leg.balance ?? 0n
  return {
    opening,
    closing: shown.at(-1)?.leg.balance ?? opening,
    movements: shown.flatMap(({ leg, nth }) => {
      const operation = recordsOf(tenant, Operation).get(leg.operationId)
      return operation === undefined ? [] : [{ leg, operation, nth }]
    }),
    truncated: between.length > shown.length
  }
}
