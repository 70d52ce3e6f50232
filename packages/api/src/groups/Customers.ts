import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { CreateCustomer, Customer } from "../wire/Customer.ts"
import { IdentityIn, RegisteredWithProvider } from "../wire/Identity.ts"
import { Uuid } from "../wire/Uuid.ts"
import { Verification, VerificationStarted } from "../wire/Verification.ts"
import { created, idempotencyHeaders } from "./shared.ts"

const params = { customer_id: Uuid }

/** The tenant's end users and their identity checks. */
export class CustomersGroup extends HttpApiGroup.make("customers")
  .add(
    HttpApiEndpoint.post("create", "/v1/customers", {
      headers: idempotencyHeaders,
      payload: CreateCustomer,
      success: Customer.pipe(created),
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "customers:write",
        built: true,
        idempotencyKey: true,
        summary: "Register a customer",
        description: "Registers an end user under the tenant's own identifier.",
        refuses: ["external_id_taken"]
      })
    ),
    HttpApiEndpoint.post("registerWithProvider", "/v1/customers/:customer_id/provider-registration", {
      params,
      payload: IdentityIn,
      success: RegisteredWithProvider.pipe(created),
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "customers:write",
        built: true,
        summary: "Register a customer with the payout provider",
        description: "Forwards the identity of a verified customer to the provider; it is not stored.",
        refuses: ["not_found", "customer_not_verified", "product_not_enabled", "provider_unavailable"]
      })
    ),
    HttpApiEndpoint.post("startVerification", "/v1/customers/:customer_id/verification", {
      params,
      success: VerificationStarted.pipe(created),
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "customers:write",
        built: true,
        summary: "Start an identity check",
        description:
          "Opens an identity check or returns the current one. The person submits documents directly to the verification provider.",
        refuses: ["not_found", "state_conflict", "product_not_enabled", "provider_unavailable"]
      })
    ),
    HttpApiEndpoint.get("verification", "/v1/customers/:customer_id/verification", {
      params,
      success: Verification,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "customers:read",
        built: true,
        summary: "Read an identity check",
        description: "A status plus a list of capabilities, never a single yes or no.",
        refuses: ["not_found"]
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Customers", description: "End users and their identity checks." })) {}
