import type { ApiError } from "@bursar/api/errors/ApiError"
import type { Money } from "@bursar/api/wire/Money"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { orUnavailable } from "../../../refusals.ts"
import { toldMoney } from "../../../wire/money.ts"

/** What a tenant's float has available of a currency now. */
export const availableOf = (
  { currencies, queries }: { readonly currencies: CurrencyTable; readonly queries: Queries["Service"] },
  tenantId: TenantId,
  code: string
): Effect.Effect<Money, ApiError> =>
  Effect.map(orUnavailable(queries.float(tenantId)), (balances) => {
    const available = balances.find(({ account, currency }) => account === "float:available" && currency === code)
    return toldMoney(currencies, available?.units ?? 0n, code)
  })
