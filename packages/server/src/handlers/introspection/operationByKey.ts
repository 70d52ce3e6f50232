import { apiError } from "@bursar/api/errors/ApiError"
import { entryOf, isErrorCode } from "@bursar/api/errors/Catalogue"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { OperationByKey } from "@bursar/api/wire/OperationByKey"
import { toIso } from "@bursar/core/engine/Timestamp"
import type { Claim } from "@bursar/core/idempotency/Claim"
import { Queries } from "@bursar/core/port/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { readKey } from "../../idempotency/idempotencyKey.ts"
import { reading } from "../../refusals.ts"
import { derivationEndpoint } from "../addresses/derive.ts"
import { issueEndpoint } from "../addresses/issue.ts"
import { registrationEndpoint } from "../addresses/register.ts"
import { importEndpoint } from "../depositKeys/importKey.ts"
import { xpubEndpoint } from "../depositKeys/registerXpub.ts"

/** The status of success of each endpoint that takes an idempotency key. */
const successStatus: Readonly<Record<string, number>> = Object.fromEntries(
  [registrationEndpoint, derivationEndpoint, issueEndpoint, xpubEndpoint, importEndpoint].map(({ name, status }) => [
    name,
    status
  ])
)

const statusOf = ({ endpoint, outcome }: Claim): number | null => {
  if (outcome._tag === "Done") return successStatus[endpoint] ?? null
  return isErrorCode(outcome.code) ? entryOf(outcome.code).status : null
}

/** Addresses, extended public keys and imported keys have no GET of their own: there is nothing to stand in `operation`. */
const toWire = (claim: Claim): OperationByKey => ({
  key: claim.key,
  endpoint: claim.endpoint,
  claimed_at: toIso(claim.claimedAt),
  completed_at: toIso(claim.claimedAt),
  state: claim.outcome._tag === "Done" ? "COMPLETED" : "REFUSED",
  response_status: statusOf(claim),
  operation: null
})

/** GET /v1/operations/by-key/{key}: what was committed under an idempotency key of the tenant. */
export const operationByKey = Effect.map(Queries, (queries) =>
  HttpApiBuilder.handler(PartnerApi, "introspection", "operationByKey", ({ params }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const key = readKey(params.key)
      const claim = key === undefined ? undefined : yield* reading(queries.claim(TenantId(tenantId), key))
      return claim === undefined ? yield* apiError("no_operation_for_key") : toWire(claim)
    })
  )
)
