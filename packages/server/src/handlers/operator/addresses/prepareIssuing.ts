import { OperatorApi } from "@bursar/api/OperatorApi"
import { rulingOf } from "@bursar/core/grant/Ruling"
import { issuingObjection } from "@bursar/core/granting/issuingByGrants"
import { Networks } from "@bursar/core/port/Networks"
import { Tenants } from "@bursar/core/port/Tenants"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable, refusalError } from "../../../refusals.ts"
import { makeAccountToIssueFrom } from "../../addresses/accountToIssueFrom.ts"
import { findNetwork } from "../../network.ts"
import { findTenant } from "../found.ts"

/** POST /operator/v1/tenants/{tenant_id}/issuing-accounts: what a grant has to name before addresses are issued. */
export const prepareIssuing = Effect.gen(function* () {
  const tenants = yield* Tenants
  const networks = yield* Networks
  const accountOf = yield* makeAccountToIssueFrom
  return HttpApiBuilder.handler(OperatorApi, "addresses", "prepareIssuing", ({ params, payload }) =>
    Effect.gen(function* () {
      const { id: tenantId, kind } = yield* findTenant(tenants, params.tenant_id)
      const found = findNetwork(networks, kind, payload.network)
      if (Result.isFailure(found)) return yield* refusalError(found.failure)
      const { family } = found.success.traits
      const account = yield* accountOf(tenantId, found.success)
      const ruling = yield* orUnavailable(rulingOf(tenantId))
      return {
        family,
        seed_id: account.seedId,
        account_key: account.accountKey,
        next_index: account.nextIndex,
        granted: ruling === undefined ? null : issuingObjection(ruling, family, account) === undefined
      }
    })
  )
})
