import { apiError } from "@bursar/api/errors/ApiError"
import { entryOf, isErrorCode } from "@bursar/api/errors/Catalogue"
import type { JsonObject } from "@bursar/api/errors/ErrorBody"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { OperationByKey } from "@bursar/api/wire/OperationByKey"
import { toIso } from "@bursar/core/engine/Timestamp"
import type { Claim } from "@bursar/core/idempotency/Claim"
import { Queries } from "@bursar/core/port/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { readKey } from "../../idempotency/idempotencyKey.ts"
import { reading } from "../../refusals.ts"
import { keyedEndpoints } from "./keyedEndpoints.ts"

const statusOf = ({ endpoint, outcome }: Claim): number | null => {
  if (outcome._tag === "Done") return keyedEndpoints.get(endpoint)?.status ?? null
  return isErrorCode(outcome.code) ? entryOf(outcome.code).status : null
}

const toWire = (claim: Claim, operation: JsonObject | null): OperationByKey => ({
  key: claim.key,
  endpoint: claim.endpoint,
  claimed_at: toIso(claim.claimedAt),
  completed_at: toIso(claim.claimedAt),
  state: claim.outcome._tag === "Done" ? "COMPLETED" : "REFUSED",
  response_status: statusOf(claim),
  operation
})

/**
 * GET /v1/operations/by-key/{key}: what was committed under an idempotency key of the tenant. `operation` is what the
 * resource's own GET shows now, for a key that may use that GET; null where there is none.
 */
export const operationByKey = Effect.gen(function* () {
  const queries = yield* Queries
  const { currencies } = yield* ServerConfig
  return HttpApiBuilder.handler(PartnerApi, "introspection", "operationByKey", ({ params }) =>
    Effect.gen(function* () {
      const caller = yield* Caller
      const tenantId = TenantId(caller.tenantId)
      const key = readKey(params.key)
      const claim = key === undefined ? undefined : yield* reading(queries.claim(tenantId, key))
      if (claim === undefined) return yield* apiError("no_operation_for_key")
      const shown = keyedEndpoints.get(claim.endpoint)?.shown ?? null
      const { resourceId } = claim
      if (resourceId === null || shown === null || !caller.scopes.has(shown.scope)) return toWire(claim, null)
      return toWire(claim, yield* reading(shown.show(queries, tenantId, resourceId, currencies)))
    })
  )
})
