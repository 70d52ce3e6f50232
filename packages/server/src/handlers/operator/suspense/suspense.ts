import { OperatorApi } from "@bursar/api/OperatorApi"
import { Queries } from "@bursar/core/port/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { reading } from "../../../refusals.ts"
import { money } from "../../../wire/money.ts"
import { findTenant } from "../found.ts"
import { entryToWire } from "./toWire.ts"

/** Lines read of each currency, the newest. */
const linesPerCurrency = 100

/** What arrived and cannot be given to anybody. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "suspense",
  Effect.fnUntraced(function* (handlers) {
    const queries = yield* Queries
    const tenants = yield* Tenants
    const { currencies } = yield* ServerConfig
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        const found = yield* Effect.forEach(currencies.all, ({ code }) =>
          reading(queries.accountLines(id, { account: "suspense", currency: code, limit: linesPerCurrency }))
        )
        const lines = found.flat().toSorted((one, other) => other.leg.postingSeq - one.leg.postingSeq)
        // the newest line of a currency has its balance; what stands there for nobody is owed, so it is below zero
        const newest = found.flatMap(([first]) => first ?? [])
        return {
          balances: newest
            .filter(({ leg }) => leg.balance !== 0n)
            .map(({ leg }) => money(currencies, -leg.balance, leg.currency)),
          entries: lines.map((line) => entryToWire(line, currencies))
        }
      })
    })
  })
)
