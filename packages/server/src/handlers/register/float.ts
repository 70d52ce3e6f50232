import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { FloatBalance } from "@bursar/api/wire/Float"
import type { Balance } from "@bursar/core/ledger/Leg"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { Queries } from "@bursar/core/port/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { reading } from "../../refusals.ts"
import { money } from "../../wire/money.ts"

const toWire = (balances: ReadonlyArray<Balance>, currencies: CurrencyTable): ReadonlyArray<FloatBalance> => {
  const units = new Map<string, { available: bigint; held: bigint }>()
  for (const balance of balances) {
    const of = units.get(balance.currency) ?? { available: 0n, held: 0n }
    if (balance.account === "float:available") of.available = balance.units
    if (balance.account === "float:held") of.held = balance.units
    units.set(balance.currency, of)
  }
  return [...units]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, { available, held }]) => ({
      available: money(currencies, available, currency),
      held: money(currencies, held, currency),
      total: money(currencies, available + held, currency)
    }))
}

/** GET /v1/float: every currency that the tenant has ever had a balance in. */
export const float = Effect.gen(function* () {
  const queries = yield* Queries
  const { currencies } = yield* ServerConfig
  return HttpApiBuilder.handler(PartnerApi, "register", "float", () =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      return { currencies: toWire(yield* reading(queries.float(TenantId(tenantId))), currencies) }
    })
  )
})
