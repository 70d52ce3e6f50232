import { apiError } from "@bursar/api/errors/ApiError"
import { entryOf, isErrorCode } from "@bursar/api/errors/Catalogue"
import type { JsonObject } from "@bursar/api/errors/ErrorBody"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { OperationByKey } from "@bursar/api/wire/OperationByKey"
import { toIso } from "@bursar/core/base/Timestamp"
import type { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { readKey } from "../../idempotency/idempotencyKey.ts"
import { orUnavailable } from "../../refusals.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"
import { keyedEndpoints } from "./keyedEndpoints.ts"

const statusOf = ({ endpoint, outcome }: IdempotencyRecord): number | null => {
  if (outcome._tag === "Done") return keyedEndpoints.get(endpoint)?.status ?? null
  return isErrorCode(outcome.code) ? entryOf(outcome.code).status : null
}

const toWire = (idempotencyRecord: IdempotencyRecord, operation: JsonObject | null): OperationByKey => ({
  key: idempotencyRecord.key,
  endpoint: idempotencyRecord.endpoint,
  claimed_at: toIso(idempotencyRecord.recordedAt),
  completed_at: toIso(idempotencyRecord.recordedAt),
  state: idempotencyRecord.outcome._tag === "Done" ? "COMPLETED" : "REFUSED",
  response_status: statusOf(idempotencyRecord),
  operation
})

/**
 * GET /v1/operations/by-key/{key}: what was committed under an idempotency key of the tenant. `operation` is what the
 * resource's own GET shows now, for a key that may use that GET; null where there is none.
 */
export const operationByKey = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownOf } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "introspection", "operationByKey", ({ params }) =>
    Effect.gen(function* () {
      const caller = yield* Caller
      const tenantId = TenantId(caller.tenantId)
      const key = readKey(params.key)
      const idempotencyRecord =
        key === undefined ? undefined : yield* orUnavailable(queries.idempotencyRecord(tenantId, key))
      if (idempotencyRecord === undefined) return yield* apiError("no_operation_for_key")
      const shown = keyedEndpoints.get(idempotencyRecord.endpoint)?.shown ?? null
      const { resourceId } = idempotencyRecord
      if (resourceId === null || shown === null || !caller.scopes.has(shown.scope))
        return toWire(idempotencyRecord, null)
      return toWire(idempotencyRecord, yield* orUnavailable(shown.show(queries, tenantId, resourceId, shownOf)))
    })
  )
})
