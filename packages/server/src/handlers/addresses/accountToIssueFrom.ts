import { apiError } from "@bursar/api/errors/ApiError"
import type { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import { fromHex } from "@bursar/core/base/hex"
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
  return Effect.fnUntraced(function* (tenantId: TenantId, { keys, traits }: NetworkAdapter) {
    const known = yield* orUnavailable(queries.issuingAccount(tenantId, traits.family))
    if (known !== undefined) return known
    const seedId = yield* keysOrUnavailable(vault.createSeed(tenantId))
    const publicSide = yield* keysOrUnavailable(vault.publicAccount(tenantId, seedId, traits.name))
    const [accountKey] = traits.issues === "muxed" ? keys.addressesOf(fromHex(publicSide)) : [publicSide]
    if (accountKey === undefined) return yield* apiError("product_not_enabled")
    return { seedId, accountKey, nextIndex: 0 } satisfies Pick<IssuingAccount, "seedId" | "accountKey" | "nextIndex">
  })
})
