import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { IdentityIn } from "@bursar/api/wire/Identity"
import { mayRegister, recordRegistration } from "@bursar/core/account/registration"
import { Writer } from "@bursar/core/engine/Writer"
import type { Identity } from "@bursar/core/port/FiatProvider"
import { reaching } from "@bursar/core/environment/reach"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Option, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { providers } from "../../providers.ts"
import { submit } from "../../refusals.ts"

/** Who a person is, wrapped up so that nothing writes it by accident. */
const identityOf = (given: IdentityIn): Redacted.Redacted<Identity> =>
  Redacted.make({
    firstName: given.first_name,
    middleName: given.middle_name ?? null,
    lastName: given.last_name,
    dateOfBirth: given.date_of_birth,
    documentKind: given.document_kind,
    documentNumber: given.document_number,
    documentCountry: given.document_country,
    documentIssued: given.document_issued ?? null,
    documentExpires: given.document_expires ?? null,
    residence: {
      street: given.residence_street ?? null,
      city: given.residence_city ?? null,
      postcode: given.residence_postcode ?? null,
      state: given.residence_state ?? null,
      country: given.residence_country ?? null
    },
    email: given.email ?? null,
    phone: given.phone ?? null
  })

/**
 * POST /v1/customers/{customer_id}/provider-registration: forwards the identity of a verified customer to the payout
 * provider. It is neither stored nor logged here, nor is what the provider says of it, which may repeat it.
 */
export const registerWithProvider = Effect.gen(function* () {
  const { fiat } = yield* providers
  const writer = yield* Writer
  return HttpApiBuilder.handler(PartnerApi, "customers", "registerWithProvider", ({ params, payload }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const asked = mayRegister(params.customer_id)
      const { id, isBusiness, registration } = yield* submit(writer, tenantId, reaching(Option.toArray(fiat), asked))
      if (Option.isNone(fiat)) return yield* apiError("product_not_enabled")
      const { name, register } = fiat.value
      const answer = yield* register({ reference: id, isBusiness, identity: identityOf(payload) })
      switch (answer._tag) {
        case "Unknown":
          yield* Effect.logWarning("customer.not_registered")
          return yield* apiError("provider_unavailable")
        case "Refused":
          return yield* apiError("invalid_request", {
            message: `The payout provider refused the customer: ${answer.reason}`
          })
        case "Done": {
          const { newlyRegistered, providerCustomerId } = answer.value
          yield* submit(writer, tenantId, recordRegistration(id, name, providerCustomerId))
          // a provider may not say that it had done the same before
          const isKnown = registration?.provider === name && registration.providerCustomerId === providerCustomerId
          return {
            customer_id: id,
            provider: name,
            provider_customer_id: providerCustomerId,
            newly_registered: newlyRegistered && !isKnown
          }
        }
      }
    })
  )
})
