import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { Signed } from "../middleware/Signed.ts"
import { DepositKey, DepositKeyIn } from "../wire/DepositKey.ts"
import { QueryFlag } from "../wire/QueryParameters.ts"
import { NetworkText } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import { WrappingKey } from "../wire/WrappingKey.ts"
import { Xpub, XpubIn, XpubList } from "../wire/Xpub.ts"
import { idempotencyHeaders } from "./shared.ts"

/** The keys behind deposit addresses: imported private keys and extended public keys. */
export class DepositKeysGroup extends HttpApiGroup.make("depositKeys")
  .add(
    HttpApiEndpoint.post("importKey", "/v1/deposit-keys", {
      headers: idempotencyHeaders,
      payload: DepositKeyIn,
      success: DepositKey,
      error: wireErrors
    })
      .middleware(Signed)
      .annotateMerge(
        route({
          scope: "deposits:write",
          idempotencyKey: true,
          signed: true,
          built: true,
          summary: "Import a wrapped key",
          description: "Hands over the wrapped private key of an address, which makes the service its custodian.",
          refuses: [
            "product_not_enabled",
            "unknown_network",
            "address_invalid",
            "address_unavailable",
            "wrapped_key_unreadable",
            "state_conflict"
          ]
        })
      ),
    HttpApiEndpoint.get("wrappingKey", "/v1/deposit-keys/wrapping-key", {
      success: WrappingKey,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:read",
        built: true,
        summary: "Get the wrapping key",
        description:
          "The public key for which private keys are wrapped before they are imported. It is the tenant's own."
      })
    ),
    HttpApiEndpoint.post("registerXpub", "/v1/deposit-xpubs", {
      headers: idempotencyHeaders,
      payload: XpubIn,
      success: Xpub,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:write",
        idempotencyKey: true,
        built: true,
        signedByPolicy: "xpubs",
        summary: "Register an xpub",
        description: "Registers an account-level (depth 3) extended public key. One live key per network.",
        refuses: [
          "product_not_enabled",
          "unknown_network",
          "xpub_already_live",
          "xpub_invalid",
          "xpub_not_depth_3",
          "xpub_range_exhausted",
          "address_unavailable"
        ]
      })
    ),
    HttpApiEndpoint.get("listXpubs", "/v1/deposit-xpubs", {
      query: {
        network: Schema.optionalKey(NetworkText),
        include_retired: Schema.optionalKey(QueryFlag)
      },
      success: XpubList,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:read",
        built: true,
        summary: "List xpubs",
        description: "The registered extended public keys; retired ones on request.",
        refuses: ["unknown_network"]
      })
    ),
    HttpApiEndpoint.post("retireXpub", "/v1/deposit-xpubs/:xpub_id/retire", {
      params: { xpub_id: Uuid },
      success: Xpub,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:write",
        built: true,
        signedByPolicy: "xpubs",
        summary: "Retire an xpub",
        description: "No more addresses are derived from it; those already derived stay watched.",
        refuses: ["not_found"]
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Deposit keys",
      description: "Imported private keys and extended public keys behind deposit addresses."
    })
  ) {}
