import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { createAccount } from "@bursar/core/account/createAccount"
import { Refusal } from "@bursar/core/base/Refusal"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { providers } from "../../providers.ts"
import { countryIn } from "../../wire/countryIn.ts"
import { toWire } from "./toWire.ts"

const noProvider = new Refusal({ code: "product_not_enabled", message: "The service has no provider for accounts." })

/** POST /v1/accounts: asks for account details in a customer's name; PENDING until the provider issues them. */
export const create = Effect.gen(function* () {
  const { currencies } = yield* ServerConfig
  const { fiat } = yield* providers
  const answer = yield* handleIdempotent
  return HttpApiBuilder.handler(PartnerApi, "accounts", "create", ({ endpoint, headers, payload }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      return yield* answer({
        endpoint,
        tenantId,
        keyHeader: headers["idempotency-key"],
        payload,
        prepare: () =>
          Effect.map(countryIn(payload.country), (country) =>
            Option.match(fiat, {
              onNone: () => rejectWith("CreateAccount", noProvider),
              onSome: (provider) =>
                createAccount({
                  customerId: payload.customer_id,
                  currency: payload.currency,
                  country,
                  provider,
                  currencies
                })
            })
          ),
        render: toWire,
        resourceId: ({ id }) => id
      })
    })
  )
})
