import { apiError } from "@bursar/api/errors/ApiError"
import { beginningAccount } from "@bursar/core/granting/beginningAccount"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { Vault } from "@bursar/core/port/Vault"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { orUnavailable } from "../../refusals.ts"
import { keysOrUnavailable } from "../keysOrUnavailable.ts"

/** The account that a tenant's addresses of a network are issued from, as it stands or, where nothing was issued yet, as it begins. */
export const makeAccountToIssueFrom = Effect.gen(function* () {
  const queries = yield* Queries
  const vault = yield* Vault
  return Effect.fnUntraced(function* (tenantId: TenantId, adapter: NetworkAdapter) {
    const known = yield* orUnavailable(queries.issuingAccount(tenantId, adapter.traits.family))
    if (known !== undefined) return known
    const begun = yield* keysOrUnavailable(Effect.provideService(beginningAccount(tenantId, adapter), Vault, vault))
    return begun ?? (yield* apiError("product_not_enabled"))
  })
})
