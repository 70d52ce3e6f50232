import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { DerivedAddresses, DeriveIn, IssuedAddresses, IssueIn } from "../wire/AddressDerivation.ts"
import { RegisterAddresses, RegistrationResults } from "../wire/AddressRegistration.ts"
import { DepositAddress, DepositAddressPage } from "../wire/DepositAddress.ts"
import { listLimits, QueryFlag, queryLimit } from "../wire/QueryParameters.ts"
import { SweepHold } from "../wire/SweepHold.ts"
import { AddressText, NetworkText, ReferenceText } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import { idempotencyHeaders } from "./shared.ts"

const params = { address_id: Uuid }

/** The addresses that the service watches for the tenant. */
export class DepositAddressesGroup extends HttpApiGroup.make("depositAddresses")
  .add(
    HttpApiEndpoint.post("register", "/v1/deposit-addresses", {
      headers: idempotencyHeaders,
      payload: RegisterAddresses,
      success: RegistrationResults,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:write",
        idempotencyKey: true,
        built: true,
        signedByPolicy: "addresses",
        anyTextAt: /^body\.addresses\.\d+\.(?:network|address)$/u,
        summary: "Register addresses",
        description:
          "Each item is registered, existing or refused on its own; every `status` must be read. Up to 500 items a call."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/deposit-addresses", {
      query: {
        network: Schema.optionalKey(NetworkText),
        reference: Schema.optionalKey(ReferenceText),
        address: Schema.optionalKey(AddressText),
        include_retired: Schema.optionalKey(QueryFlag),
        after: Schema.optionalKey(Uuid),
        limit: Schema.optionalKey(queryLimit(listLimits.depositAddresses))
      },
      success: DepositAddressPage,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:read",
        built: true,
        summary: "List addresses",
        description: "Page with `after` until `next_after` is null.",
        refuses: ["limit_out_of_range", "unknown_network", "invalid_cursor"]
      })
    ),
    HttpApiEndpoint.post("derive", "/v1/deposit-addresses/derive", {
      headers: idempotencyHeaders,
      payload: DeriveIn,
      success: DerivedAddresses,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:write",
        idempotencyKey: true,
        built: true,
        summary: "Derive addresses",
        description: "Registers the next addresses of the network's live xpub under one reference; all or none.",
        refuses: [
          "product_not_enabled",
          "unknown_network",
          "no_live_xpub",
          "xpub_range_exhausted",
          "address_unavailable"
        ]
      })
    ),
    HttpApiEndpoint.post("issue", "/v1/deposit-addresses/issue", {
      headers: idempotencyHeaders,
      payload: IssueIn,
      success: IssuedAddresses,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:issue",
        idempotencyKey: true,
        built: true,
        summary: "Issue addresses",
        description:
          "Issues addresses whose keys the service holds, which makes it the custodian of what arrives. By agreement only.",
        refuses: ["unknown_network", "product_not_enabled", "xpub_range_exhausted", "address_unavailable"]
      })
    ),
    HttpApiEndpoint.post("retire", "/v1/deposit-addresses/:address_id/retire", {
      params,
      success: DepositAddress,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:write",
        built: true,
        summary: "Retire an address",
        description: "The address is no longer watched. Repeating changes nothing.",
        refuses: ["not_found"]
      })
    ),
    HttpApiEndpoint.post("sweepHold", "/v1/deposit-addresses/:address_id/sweep-hold", {
      params,
      payload: SweepHold,
      success: DepositAddress,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:write",
        built: true,
        summary: "Hold or release sweeping",
        description:
          "Sets the tenant's own hold, or releases a hold if `seen_through` covers the newest deposit on the address. Detection and crediting continue.",
        refuses: ["not_found", "sweep_hold_by_operator", "sweep_newer_arrival", "state_conflict"]
      })
    ),
    HttpApiEndpoint.post("watchNow", "/v1/deposit-addresses/:address_id/watch-now", {
      params,
      success: DepositAddress,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:write",
        built: true,
        summary: "Watch an address closely",
        description:
          "The address is read in the next pass and every minute for 60 minutes. A repeat restarts the window from now.",
        refuses: ["not_found"]
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Deposit addresses",
      description: "Addresses that the service watches for the tenant."
    })
  ) {}
