import { OperatorApi } from "@bursar/api/OperatorApi"
import { type Account, shortfallOf } from "@bursar/core/ledger/Account"
import type { Currency } from "@bursar/core/money/Currency"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable } from "../../../refusals.ts"
import { money } from "../../../wire/money.ts"
import { findTenant } from "../found.ts"
import { entryToWire, placeOfShortfall } from "./toWire.ts"

/** Lines read of each account and currency, the newest. */
const linesPerAccount = 100

/** How many accounts are read at a time. */
const accountsAtOnce = 8

/** Where a currency can stand in suspense: what arrived for nobody, and what left each place without having been booked in there. */
const accountsOf = ({ asset }: Currency): ReadonlyArray<Account> => [
  "suspense",
  ...(["custodian", "bank"] as const).map(shortfallOf),
  ...(asset === null
    ? []
    : (["payouts", "deposits", "tenant"] as const).map((part) => shortfallOf(`chain:${asset.network}:${part}`)))
]

/** What arrived and cannot be given to anybody, and what left and was never booked in. */
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
        const wanted = currencies.all.flatMap((currency) =>
          accountsOf(currency).map((account) => ({ account, currency: currency.code, limit: linesPerAccount }))
        )
        const found = yield* Effect.forEach(wanted, (query) => orUnavailable(queries.accountLines(id, query)), {
          concurrency: accountsAtOnce
        })
        const lines = found.flat().toSorted((one, other) => other.leg.postingSeq - one.leg.postingSeq)
        // the newest line of an account has its balance, which is below zero for what is owed, or is missing
        const standing = found.flatMap(([first]) =>
          first === undefined || first.leg.balance === 0n ? [] : [first.leg]
        )
        return {
          balances: standing
            .filter(({ account }) => account === "suspense")
            .map(({ balance, currency }) => money(currencies, -balance, currency)),
          shortfalls: standing
            .filter(({ account }) => account !== "suspense")
            .map(({ account, balance, currency }) => ({
              place: placeOfShortfall(account),
              amount: money(currencies, -balance, currency)
            })),
          entries: lines.map((line) => entryToWire(line, currencies))
        }
      })
    })
  })
)
