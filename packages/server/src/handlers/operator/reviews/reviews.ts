import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Writer } from "@bursar/core/engine/Writer"
import { awaitsReview, reviewOf } from "@bursar/core/operation/Review"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { reviewOperation, type Verdict } from "@bursar/core/review/reviewOperation"
import { hashesGiven } from "@bursar/core/payout/standingEvidence"
import { isReadable } from "@bursar/core/store/UnreadableOperation"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { showApart } from "../../../operationsApart.ts"
import { orUnavailable, submit } from "../../../refusals.ts"
import { shownCurrencies } from "../../../wire/shownCurrencies.ts"
import { findTenant } from "../found.ts"
import { unreadableToWire } from "../unreadableToWire.ts"
import { makeRefuseSigned } from "./refuseSigned.ts"
import { approvalByGrants } from "./approvalByGrants.ts"
import { reviewToWire } from "./toWire.ts"

const options = { uninterruptible: true }

/** The queue of reviews, and the word of operators on it. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "reviews",
  Effect.fnUntraced(function* (handlers) {
    const writer = yield* Writer
    const queries = yield* Queries
    const tenants = yield* Tenants
    const { asKnown } = yield* shownCurrencies
    const approval = yield* approvalByGrants
    const refuseSigned = yield* makeRefuseSigned

    const decide = Effect.fnUntraced(function* (
      params: { readonly tenant_id: string; readonly operation_id: string },
      verdict: Verdict,
      reason: string | null
    ) {
      const { name: by } = yield* Operator
      const tenantId = TenantId(params.tenant_id)
      const operation = yield* orUnavailable(queries.operation(tenantId, params.operation_id))
      if (operation === undefined || reviewOf(operation) === null) return yield* apiError("not_found")
      const known = yield* asKnown([operation])
      yield* verdict === "APPROVE" ? approval(operation) : refuseSigned(operation, known)
      const given = yield* orUnavailable(hashesGiven(queries, tenantId, operation.id))
      const command = reviewOperation({ operation, verdict, given, by, reason, currencies: known })
      return reviewToWire(yield* submit(writer, tenantId, command), known)
    })

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ params }) {
        const { id, slug } = yield* findTenant(tenants, params.tenant_id)
        const limit = listLimits.operatorLists.maximum
        const waiting = yield* orUnavailable(queries.listedRegister(id, { status: "IN_REVIEW", limit }))
        const listed = waiting.filter((one) => !isReadable(one) || awaitsReview(one))
        const known = yield* asKnown(listed.filter(isReadable))
        const { shown, unreadable } = yield* showApart(listed, (operation) =>
          Effect.sync(() => reviewToWire(operation, known))
        )
        return { reviews: shown, unreadable: unreadable.map((one) => unreadableToWire(one, slug)) }
      }),
      approve: { handler: ({ params }) => decide(params, "APPROVE", null), options },
      reject: { handler: ({ params, payload }) => decide(params, "REJECT", payload.reason), options },
      cancel: { handler: ({ params }) => decide(params, "CANCEL", null), options }
    })
  })
)
