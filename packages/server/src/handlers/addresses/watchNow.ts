import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { watchNow as watchNowCommand } from "@bursar/core/address/watchNow"
import { Writer } from "@bursar/core/engine/Writer"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { submit } from "../../refusals.ts"
import { showing } from "./showing.ts"
import { addressContext, toWire } from "./toWire.ts"

/** POST /v1/deposit-addresses/{address_id}/watch-now: reads an address every minute for the next hour. */
export const watchNow = Effect.gen(function* () {
  const writer = yield* Writer
  const context = yield* addressContext
  const show = yield* showing
  return HttpApiBuilder.handler(PartnerApi, "depositAddresses", "watchNow", ({ params }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const address = yield* submit(writer, TenantId(tenantId), watchNowCommand(params.address_id))
      yield* show.records(tenantId, [address])
      return toWire(address, context)
    })
  )
})
