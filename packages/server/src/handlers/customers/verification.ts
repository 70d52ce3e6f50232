import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { findCustomer, recordOpenedCheck, unread } from "@bursar/core/customer/checkCommands"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import { type CustomerVerification, Customer, grantsAll, statusAt } from "@bursar/core/customer/Customer"
import { Writer } from "@bursar/core/engine/Writer"
import { EarlierIdentityProviders } from "@bursar/core/port/EarlierProviders"
import { Queries } from "@bursar/core/store/Queries"
import { reaching } from "@bursar/core/environment/reach"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { providers } from "../../providers.ts"
import { orUnavailable, submit } from "../../refusals.ts"
import { isoOrNull } from "../../wire/moment.ts"
import { verificationToWire } from "./toWire.ts"

/** The check of a customer to whom an earlier provider grants everything, and does still: a new check could only take it away. */
const approvedEarlier = (
  { verification }: Customer,
  earlier: ReadonlyArray<{ readonly name: string }>,
  now: Timestamp
): CustomerVerification | undefined =>
  grantsAll(verification, now) && earlier.some(({ name }) => name === verification.provider) ? verification : undefined

/**
 * POST /v1/customers/{customer_id}/verification: opens an identity check at the provider, or resumes the one that is open. The approval of an
 * earlier provider that grants everything stays the current check for as long as it counts and that provider is asked. One that grants less stays until the
 * newest provider has decided the check that is opened here.
 */
export const start = Effect.gen(function* () {
  const { identity } = yield* providers
  const earlier = yield* EarlierIdentityProviders
  const writer = yield* Writer
  return HttpApiBuilder.handler(PartnerApi, "customers", "startVerification", ({ params }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const asked = findCustomer(params.customer_id)
      const customer = yield* submit(writer, tenantId, reaching(Option.toArray(identity), asked))
      if (Option.isNone(identity)) return yield* apiError("product_not_enabled")
      const { country, id, isBusiness } = customer
      const current = approvedEarlier(customer, earlier, yield* Clock.currentTimeMillis)
      if (current !== undefined)
        return {
          customer_id: id,
          applicant_id: current.applicantId,
          status: current.status,
          newly_created: false,
          verification_url: null,
          verification_url_expires_at: null
        }
      const { name, open } = identity.value
      const answer = yield* open({ customerId: id, isBusiness, country })
      switch (answer._tag) {
        case "Unknown":
          yield* Effect.annotateLogs(Effect.logWarning("verification.not_opened"), { detail: answer.detail })
          return yield* apiError("provider_unavailable")
        case "Refused":
          return yield* apiError("state_conflict", {
            message: `The identity provider refused to open a check for the customer: ${answer.reason}`
          })
        case "Done": {
          const opened = answer.value
          const { verification } = yield* submit(
            writer,
            tenantId,
            recordOpenedCheck(
              id,
              name,
              opened,
              earlier.map((one) => one.name)
            )
          )
          const isCurrent = verification?.applicantId === opened.applicantId
          return {
            customer_id: id,
            applicant_id: opened.applicantId,
            status: isCurrent ? statusAt(verification, yield* Clock.currentTimeMillis) : unread(opened.status),
            newly_created: opened.newlyCreated,
            verification_url: opened.url,
            verification_url_expires_at: isoOrNull(opened.urlExpiresAt)
          }
        }
      }
    })
  )
})

/** GET /v1/customers/{customer_id}/verification: where the check stands, and what it grants. */
export const read = Effect.gen(function* () {
  const queries = yield* Queries
  return HttpApiBuilder.handler(PartnerApi, "customers", "verification", ({ params }) =>
    Effect.gen(function* () {
      const tenantId = TenantId((yield* Caller).tenantId)
      const customer = yield* orUnavailable(queries.record(tenantId, Customer, params.customer_id))
      return customer === undefined
        ? yield* apiError("not_found")
        : verificationToWire(customer, yield* Clock.currentTimeMillis)
    })
  )
})
