import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

/** GET /v1/whoami: the tenant and the key of the request. Only an active tenant gets this far. */
export const whoami = Effect.map(Queries, (queries) =>
  HttpApiBuilder.handler(PartnerApi, "introspection", "whoami", () =>
    Effect.gen(function* () {
      const { keyLabel, keyPrefix, scopes, tenantId, tenantKind, tenantSlug } = yield* Caller
      const wallets = yield* orUnavailable(queries.records(TenantId(tenantId), PayoutWallet))
      return {
        tenant: { id: tenantId, slug: tenantSlug, kind: tenantKind, status: "ACTIVE" as const },
        key: { prefix: keyPrefix, label: keyLabel, scopes: [...scopes] },
        payout_wallets: Object.fromEntries(
          wallets.filter(({ role }) => role === "PAYOUT").map(({ address, network }) => [network, address])
        )
      }
    })
  )
)
