import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { Adjusted } from "@bursar/api/operator/OperatorFloat"
import { canonicalText } from "@bursar/core/grant/canonical"
import type { GrantValues } from "@bursar/core/grant/GrantDocument"
import { grantName } from "@bursar/core/granting/grantEffect"
import { ofKind } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { CurrentRequest } from "../../../http/CurrentRequest.ts"
import { orUnavailable } from "../../../refusals.ts"
import { aloneHere } from "../grants/alone.ts"
import { availableOf } from "./availableOf.ts"

/** More adjustments than a tenant has in one millisecond. */
const limit = 100

/** What answers for an adjustment that a grant has made already, by its id; undefined where none has. An id that was granted to another is refused. */
export const makeGranted = Effect.gen(function* () {
  const queries = yield* Queries
  const { currencies } = yield* ServerConfig
  const alone = yield* aloneHere
  return Effect.fnUntraced(function* (
    tenantId: TenantId,
    values: GrantValues<"adjustment">
  ): Effect.fn.Return<typeof Adjusted.Type | undefined, ApiError> {
    const grant = yield* alone.granted(tenantId, "adjustment", values.id)
    if (grant === undefined) return undefined
    if (canonicalText(grant.values) !== canonicalText(values)) return yield* apiError("idempotency_key_reused")
    // grant and operation are of one commit, so of one moment
    const since = grant.recordedAt
    const query = { tenantId, kinds: ["ADJUSTMENT"], since, until: since + 1, order: "oldest", limit } as const
    const operations = yield* orUnavailable(queries.operations(query))
    const made = operations.find((one) => ofKind(one, "ADJUSTMENT").details.approved_by === grantName(grant.document))
    const facts = yield* CurrentRequest
    facts.responseHeaders["idempotency-replayed"] = "true"
    return {
      state: "booked",
      operation_id: made?.id ?? null,
      adjustment_id: null,
      available: yield* availableOf({ queries, currencies }, tenantId, values.currency)
    }
  })
})
