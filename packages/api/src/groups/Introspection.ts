import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { Currencies } from "../wire/Currencies.ts"
import { Fees } from "../wire/Fees.ts"
import { KeyLimits } from "../wire/KeyLimits.ts"
import { OperationByKey } from "../wire/OperationByKey.ts"
import { WhoAmI } from "../wire/WhoAmI.ts"

/** What a key is, what it may do, and what its idempotency keys produced. */
export class IntrospectionGroup extends HttpApiGroup.make("introspection")
  .add(
    HttpApiEndpoint.get("whoami", "/v1/whoami", { success: WhoAmI, error: wireErrors }).annotateMerge(
      route({
        scope: null,
        built: true,
        summary: "Whose key is this",
        description:
          "The tenant and the key that make this request. With keys of several tenants, check each here first."
      })
    ),
    HttpApiEndpoint.get("limits", "/v1/limits", { success: KeyLimits, error: wireErrors }).annotateMerge(
      route({
        scope: "quotes:read",
        built: true,
        summary: "Limits applied to the key",
        description: "Request rates, the quote lifetime and the rolling withdrawal limit."
      })
    ),
    HttpApiEndpoint.get("fees", "/v1/fees", { success: Fees, error: wireErrors }).annotateMerge(
      route({
        scope: "quotes:read",
        built: true,
        summary: "Fee rules",
        description: "The fee rules in the order applied. Indicative only: a quote is the price charged."
      })
    ),
    HttpApiEndpoint.get("currencies", "/v1/currencies", { success: Currencies, error: wireErrors }).annotateMerge(
      route({
        scope: "quotes:read",
        built: true,
        summary: "Currencies",
        description: "Every currency, and what can be done with it now."
      })
    ),
    HttpApiEndpoint.get("operationByKey", "/v1/operations/by-key/:key", {
      // clients take `.` and `..` out of a path, and would ask for something else
      params: { key: Schema.String.check(Schema.isPattern(/[^.]|\.{3}/u, { expected: "neither . nor .." })) },
      success: OperationByKey,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: null,
        built: true,
        summary: "What an idempotency key produced",
        description:
          "The committed record under an idempotency key. A request still in flight reads as if there were none.",
        refuses: ["no_operation_for_key"]
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Your key", description: "Introspection of the key in use." })) {}
