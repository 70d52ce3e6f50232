import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { retireAddress } from "@bursar/core/address/retireAddress"
import { Writer } from "@bursar/core/engine/Writer"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { submit } from "../../refusals.ts"
import { showing } from "./showing.ts"
import { addressContext, toWire } from "./toWire.ts"

/** POST /v1/deposit-addresses/{address_id}/retire: stops watching an address; repeating changes nothing. */
export const retire = Effect.gen(function* () {
  const writer = yield* Writer
  const context = yield* addressContext
  const show = yield* showing
  return HttpApiBuilder.handler(PartnerApi, "depositAddresses", "retire", ({ params }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const address = yield* submit(writer, TenantId(tenantId), retireAddress(params.address_id))
      yield* show.records(tenantId, [address])
      return toWire(address, context)
    })
  )
})
