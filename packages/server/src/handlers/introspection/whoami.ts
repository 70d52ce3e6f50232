import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** GET /v1/whoami: the tenant and the key of the request. Only an active tenant gets this far. */
export const whoami = HttpApiBuilder.handler(PartnerApi, "introspection", "whoami", () =>
  Effect.map(Caller, ({ keyLabel, keyPrefix, scopes, tenantId, tenantKind, tenantSlug }) => ({
    tenant: { id: tenantId, slug: tenantSlug, kind: tenantKind, status: "ACTIVE" as const },
    key: { prefix: keyPrefix, label: keyLabel, scopes: [...scopes] },
    payout_wallets: {}
  }))
)
