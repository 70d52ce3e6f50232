import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { createCustomer } from "@bursar/core/customer/createCustomer"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { countryIn } from "../../wire/countryIn.ts"
import { toWire } from "./toWire.ts"

/** POST /v1/customers: registers an end user under the tenant's own identifier. */
export const create = Effect.gen(function* () {
  const answer = yield* handleIdempotent
  return HttpApiBuilder.handler(PartnerApi, "customers", "create", ({ endpoint, headers, payload }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      return yield* answer({
        endpoint,
        tenantId,
        keyHeader: headers["idempotency-key"],
        payload,
        prepare: () =>
          Effect.map(countryIn(payload.country), (country) =>
            createCustomer({
              externalId: payload.external_id,
              isBusiness: payload.is_business ?? false,
              displayName: payload.display_name ?? null,
              country
            })
          ),
        render: toWire,
        resourceId: ({ id }) => id
      })
    })
  )
})
