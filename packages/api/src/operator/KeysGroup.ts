import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequiredRole } from "./RequiredRole.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { created } from "../groups/shared.ts"
import { text } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import { CreateKey, OperatorKey, OperatorKeyCreated, OperatorKeyList, sealQuery } from "./OperatorKey.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { ConsentNeeded, byGrant } from "./Consent.ts"

/** The API keys of tenants. */
export class KeysGroup extends HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.post("create", "/tenants/:tenant_id/keys", {
      params: { tenant_id: Uuid },
      payload: CreateKey,
      success: OperatorKeyCreated.pipe(created),
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Grant a key",
          "Name a bundle, scopes, or both. `deposits:issue` must be named. `key` is shown once. A key with `expires_at` opens nothing from then on. Where the service goes by grants, this only proposes the grant of the key (`proposal_id`): it opens nothing before people have approved that.",
          ["not_found", "invalid_request", "state_conflict"]
        )
      )
      .annotate(RequiredRole, "admin")
      .annotate(ConsentNeeded, byGrant("api_key")),
    HttpApiEndpoint.get("list", "/tenants/:tenant_id/keys", {
      params: { tenant_id: Uuid },
      success: OperatorKeyList,
      error: wireErrors
    }).annotateMerge(operatorRoute("List keys", "All keys of the tenant, including revoked ones.", ["not_found"])),
    HttpApiEndpoint.post("seal", "/tenants/:tenant_id/keys/:key_id/seal", {
      params: { tenant_id: Uuid, key_id: text(64) },
      query: sealQuery,
      success: OperatorKey,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Seal a key of an earlier version",
          "Binds tenant, scopes, expiry and environment of the key as they stand, so that it opens what it says again. Check them first: from then on a change of them in the database makes the key useless. Repeating changes nothing; a key that was changed after it was sealed is refused.",
          ["not_found", "state_conflict"]
        )
      )
      .annotate(RequiredRole, "admin"),
    HttpApiEndpoint.post("revoke", "/tenants/:tenant_id/keys/:key_id/revoke", {
      params: { tenant_id: Uuid, key_id: text(64) },
      success: OperatorKey,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Revoke a key", "Takes effect everywhere within five seconds. Repeating changes nothing.", [
        "not_found"
      ])
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Keys", description: "API keys of tenants." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
