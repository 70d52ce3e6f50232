import type { IncomeRow } from "@bursar/api/operator/OperatorBooks"
import { fixedIn } from "@bursar/books/decimal"
import { incomeAccounts, IncomeSums } from "@bursar/books/income/Income"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { ClosedPeriod } from "@bursar/core/period/ClosedPeriod"
import { periodRange } from "@bursar/core/period/periodRange"
import { Tenants } from "@bursar/core/port/Tenants"
import { everyTenant } from "@bursar/core/port/TenantList"
import { Journal } from "@bursar/core/store/Journal"
import { Queries } from "@bursar/core/store/Queries"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Effect, Stream } from "effect"
import { orUnavailable } from "../../../refusals.ts"
import { shownCurrencies } from "../../../wire/shownCurrencies.ts"
import { findTenant } from "../found.ts"

/** What a month earned and cost: the postings that its statement has, or will have. */
export const income = Effect.gen(function* () {
  const journal = yield* Journal
  const queries = yield* Queries
  const tenants = yield* Tenants
  const { shownIn } = yield* shownCurrencies

  const ofTenant = Effect.fnUntraced(
    function* ({ id, slug }: Tenant, month: string) {
      const range = yield* periodRange(id, month, yield* queries.records(id, ClosedPeriod))
      const sums = new IncomeSums()
      const entries = journal.entries(id, range, { accounts: incomeAccounts })
      yield* Stream.runForEach(entries, (entry) => Effect.sync(() => sums.add(entry)))
      const lines = sums.lines()
      const shown = yield* shownIn(lines.map(({ currency }) => currency))
      return lines.map(({ currency, exchange, fees, networkFees, product }): IncomeRow => {
        const text = (units: bigint) => fixedIn(shown, units, currency)
        return {
          tenant_id: id,
          tenant: slug,
          product,
          currency,
          fees: text(fees),
          network_fees: text(networkFees),
          exchange: text(exchange)
        }
      })
    },
    Effect.provideService(Journal, journal)
  )

  return Effect.fnUntraced(function* ({ month, tenant_id }: { readonly month: string; readonly tenant_id?: string }) {
    const all =
      tenant_id === undefined
        ? yield* orUnavailable(everyTenant(tenants.list))
        : [yield* findTenant(tenants, tenant_id)]
    const theirs = all.filter(({ id }) => id !== fleetTenantId)
    const rows = yield* orUnavailable(Effect.forEach(theirs, (tenant) => ofTenant(tenant, month)))
    return { month, rows: rows.flat() }
  })
})
