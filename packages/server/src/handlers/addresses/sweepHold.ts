import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { setSweepHold } from "@bursar/core/sweep/sweepHold"
import { Writer } from "@bursar/core/engine/Writer"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { submit } from "../../refusals.ts"
import { showing } from "./showing.ts"
import { addressContext, toWire } from "./toWire.ts"

/** POST /v1/deposit-addresses/{address_id}/sweep-hold: the tenant's own hold, or the release of one. */
export const sweepHold = Effect.gen(function* () {
  const writer = yield* Writer
  const context = yield* addressContext
  const show = yield* showing
  return HttpApiBuilder.handler(PartnerApi, "depositAddresses", "sweepHold", ({ params, payload }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const seenThrough = payload.seen_through ?? null
      if (payload.held && seenThrough !== null) {
        return yield* apiError("invalid_request", {
          fields: [
            { path: "body.seen_through", code: "invalid_request", message: "Allowed only when a hold is released." }
          ]
        })
      }
      const { held, reason } = payload
      const command = setSweepHold({ addressId: params.address_id, held, reason, seenThrough })
      const address = yield* submit(writer, TenantId(tenantId), command)
      yield* show.records(tenantId, [address])
      return toWire(address, context)
    })
  )
})
