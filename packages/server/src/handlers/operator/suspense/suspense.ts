import { OperatorApi } from "@bursar/api/OperatorApi"
import { type AccountLine, type LegPlace, Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable } from "../../../refusals.ts"
import { toldMoney } from "../../../wire/money.ts"
import { findTenant } from "../found.ts"
import { type PagedList, pagesOf } from "../pages.ts"
import { entryToWire, placeOfShortfall } from "./toWire.ts"

const paged: PagedList<AccountLine, LegPlace> = {
  name: "suspense",
  write: ({ leg }) => [`${leg.postingSeq}`, `${leg.ordinal}`],
  read: ([postingSeq, ordinal]) => ({ postingSeq: Number(postingSeq), ordinal: Number(ordinal) })
}

/** What arrived and cannot be given to anybody, and what left and was never booked in: in every currency, whatever is configured. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "suspense",
  Effect.fnUntraced(function* (handlers) {
    const queries = yield* Queries
    const tenants = yield* Tenants
    const { currencies } = yield* ServerConfig
    const pages = yield* pagesOf(paged)
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ params, query }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        const { next, page } = yield* pages({ ...query, filters: { tenant_id: id } }, (after, limit) =>
          orUnavailable(queries.suspenseLines(id, { after, limit }))
        )
        // a balance is below zero for what is owed, or is missing
        const standing = (yield* orUnavailable(queries.suspense(id))).filter(({ units }) => units !== 0n)
        return {
          balances: standing
            .filter(({ account }) => account === "suspense")
            .map(({ currency, units }) => toldMoney(currencies, -units, currency)),
          shortfalls: standing
            .filter(({ account }) => account !== "suspense")
            .map(({ account, currency, units }) => ({
              place: placeOfShortfall(account),
              amount: toldMoney(currencies, -units, currency)
            })),
          entries: page.map((line) => entryToWire(line, currencies)),
          next_cursor: next
        }
      })
    })
  })
)
