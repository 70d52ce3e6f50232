import type { GrantValues } from "@bursar/core/grant/GrantDocument"
import { grantedLimits } from "@bursar/core/grant/GrantState"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { Effect } from "effect"
import type { KeptGrants } from "./KeptGrants.ts"

const limitsNothing = (
  { currency, per_day: day, per_hour: hour, per_payment: payment }: GrantValues<"currency_limit">,
  currencies: CurrencyTable
): boolean => [payment, hour, day].some((units) => units !== null) && currencies.byCode(currency)?.asset == null

/**
 * The same grants, and says of each granted limit whose currency has no asset on a chain here that it limits nothing: whoever granted it believes
 * that it does. It is said once.
 */
export const tellingLimits = (grants: KeptGrants, currencies: CurrencyTable): KeptGrants => {
  const told = new Set<string>()
  return {
    ...grants,
    stateOf: (tenantId) =>
      Effect.tap(grants.stateOf(tenantId), ({ tenant }) =>
        Effect.forEach(
          grantedLimits(tenant).filter((limit) => limitsNothing(limit, currencies)),
          ({ currency }) => {
            const key = `${tenantId} ${currency}`
            if (told.has(key)) return Effect.void
            told.add(key)
            return Effect.annotateLogs(Effect.logError("signer.limit_of_nothing"), { tenantId, currency })
          },
          { discard: true }
        )
      )
  }
}
