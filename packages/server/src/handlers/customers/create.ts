import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { createCustomer } from "@bursar/core/customer/createCustomer"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { countryIn } from "../../wire/countryIn.ts"
import { toWire } from "./toWire.ts"

/** The endpoint as claims name it, and the status of its success. */
export const customerEndpoint = { name: "POST /v1/customers", path: "/v1/customers", status: 201 } as const

/** POST /v1/customers: registers an end user under the tenant's own identifier. */
export const create = Effect.gen(function* () {
  const answer = yield* handleIdempotent
  return HttpApiBuilder.handler(PartnerApi, "customers", "create", ({ headers, payload }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      return yield* answer({
        tenantId,
        keyHeader: headers["idempotency-key"],
        endpoint: customerEndpoint.name,
        path: customerEndpoint.path,
        payload,
        status: customerEndpoint.status,
        command: () =>
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
