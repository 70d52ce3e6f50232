import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequiredRole } from "./RequiredRole.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { created } from "../groups/shared.ts"
import { keyidLengthMax } from "../signature/SignatureProfile.ts"
import { text } from "../wire/Text.ts"
import { Uuid } from "../wire/Uuid.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { AddSigningKey, OperatorSigningKey, OperatorSigningKeyList, RevokeSigningKey } from "./OperatorSigningKey.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"

/** The public keys with which partners sign. */
export class SigningKeysGroup extends HttpApiGroup.make("signingKeys")
  .add(
    HttpApiEndpoint.post("add", "/tenants/:tenant_id/signing-keys", {
      params: { tenant_id: Uuid },
      payload: AddSigningKey,
      success: OperatorSigningKey.pipe(created),
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Register a signing key",
          "Binds an Ed25519 public key to one API key. Two of an API key may be active, for rotation; repeating changes nothing.",
          ["not_found", "state_conflict"]
        )
      )
      .annotate(RequiredRole, "admin"),
    HttpApiEndpoint.get("list", "/tenants/:tenant_id/signing-keys", {
      params: { tenant_id: Uuid },
      success: OperatorSigningKeyList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("List signing keys", "The tenant's signing keys, one entry per API key, revoked ones included.", [
        "not_found"
      ])
    ),
    HttpApiEndpoint.post("revoke", "/tenants/:tenant_id/signing-keys/:keyid/revoke", {
      params: { tenant_id: Uuid, keyid: text(keyidLengthMax) },
      payload: RevokeSigningKey,
      success: OperatorSigningKeyList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Revoke a signing key",
        "For good, for one API key or for all; in force everywhere within five seconds. Repeating changes nothing. Answers the entries that were meant.",
        ["not_found"]
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Signing keys", description: "Public keys with which partners sign." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
