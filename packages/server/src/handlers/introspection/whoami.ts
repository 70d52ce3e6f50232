import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { isGrantedWallet } from "@bursar/core/granting/issuingByGrants"
import { rulingOf } from "@bursar/core/grant/Ruling"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { payingWallets, PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

/** GET /v1/whoami: the tenant and the key of the request. Only an active tenant gets this far. */
export const whoami = Effect.map(Queries, (queries) =>
  HttpApiBuilder.handler(PartnerApi, "introspection", "whoami", () =>
    Effect.gen(function* () {
      const { keyLabel, keyPrefix, scopes, tenantId, tenantKind, tenantSlug } = yield* Caller
      const id = TenantId(tenantId)
      const wallets = yield* orUnavailable(queries.records(id, PayoutWallet))
      const ruling = yield* orUnavailable(rulingOf(id))
      const payoutWallets = payingWallets(wallets)
      const shown = payoutWallets.filter((wallet) => isGrantedWallet(ruling, wallet))
      for (const { address, network } of payoutWallets.filter((wallet) => !shown.includes(wallet)))
        yield* Effect.logError("wallet.not_granted").pipe(Effect.annotateLogs({ tenant: id, network, address }))
      return {
        tenant: { id: tenantId, slug: tenantSlug, kind: tenantKind, status: "ACTIVE" as const },
        key: { prefix: keyPrefix, label: keyLabel, scopes: [...scopes] },
        // of several on a network, the one that was made first
        payout_wallets: Object.fromEntries(shown.map(({ address, network }) => [network, address]).toReversed())
      }
    })
  )
)
