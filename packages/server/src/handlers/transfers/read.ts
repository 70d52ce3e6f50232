import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Queries } from "@bursar/core/store/Queries"
import { isReadable } from "@bursar/core/store/UnreadableOperation"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { transferKinds } from "@bursar/core/transfer/Transfer"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { showWhole } from "../../operationsApart.ts"
import { orUnavailable } from "../../refusals.ts"
import { shownCurrencies } from "../../wire/shownCurrencies.ts"
import { statusFilter } from "../statusFilter.ts"
import { isTransferOperation, toWire } from "./toWire.ts"

/** GET /v1/transfers: newest first. `created_after` is exclusive, down to the millisecond that the service counts. */
export const list = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownOf } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "transfers", "list", ({ query }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const { created_after, limit = listLimits.transfers.default, partner_reference } = query
      const status = yield* statusFilter(query.status)
      const found = yield* orUnavailable(
        queries.listedRegister(tenantId, {
          kinds: transferKinds,
          partnerReference: partner_reference,
          status,
          // what is finer than a millisecond lies in it: the next one is after
          since: created_after === undefined ? undefined : Date.parse(created_after) + 1,
          limit
        })
      )
      const shown = yield* orUnavailable(shownOf(found.filter(isReadable)))
      const transfers = yield* showWhole(found, (operation) =>
        Effect.sync(() => (isTransferOperation(operation) ? [toWire(operation, shown)] : []))
      )
      return transfers.flat()
    })
  )
})

/** GET /v1/transfers/{transfer_id}. */
export const get = Effect.gen(function* () {
  const queries = yield* Queries
  const { shownOf } = yield* shownCurrencies
  return HttpApiBuilder.handler(PartnerApi, "transfers", "get", ({ params }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const operation = yield* orUnavailable(queries.operation(tenantId, params.transfer_id))
      if (operation === undefined || !isTransferOperation(operation)) return yield* apiError("not_found")
      return toWire(operation, yield* orUnavailable(shownOf([operation])))
    })
  )
})
