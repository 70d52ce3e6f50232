import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import { switchedOffForAll } from "@bursar/core/payout/payoutSwitches"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import type { Queries } from "@bursar/core/store/Queries"
import { FeeRule, feeOf, ranked, ruleFor } from "@bursar/core/pricing/FeeRule"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { orUnavailable } from "../../refusals.ts"

/** What a chain payout costs its tenant by the rules in force: charged on top, in the currency of the amount. */
export const payoutFee = Effect.fnUntraced(function* (
  queries: Queries["Service"],
  tenantId: TenantId,
  { currency: code, network, units }: { readonly currency: string; readonly network: Network; readonly units: bigint },
  currencies: CurrencyTable,
  defaults: ReadonlyArray<FeeRule>,
  now: Timestamp
) {
  const rules = ranked(yield* orUnavailable(queries.records(tenantId, FeeRule)), defaults, now)
  const rule = ruleFor(rules, { product: "CHAIN_PAYOUT", currency: code, rail: network })
  const currency = currencies.byCode(code)
  return { units: currency === undefined ? 0n : feeOf(rule, units, currency), ruleId: rule?.id ?? null }
})

/** Why nobody's payouts are made on a network now; null where they are. */
export const switchedOffNow = Effect.gen(function* () {
  const { payoutsOff = [] } = yield* ServerConfig
  const { all } = yield* NetworkSwitches
  return (network: Network) =>
    Effect.map(orUnavailable(all), (switches) => switchedOffForAll(switches, payoutsOff, network))
})
