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
import { ConsentNeeded, byGrant } from "./Consent.ts"

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
          "Binds an Ed25519 public key to one API key. Two can be active for an API key, for rotation. Repeating changes nothing.",
          ["not_found", "state_conflict", "grant_required"]
        )
      )
      .annotate(RequiredRole, "admin")
      .annotate(ConsentNeeded, byGrant("signing_key")),
    HttpApiEndpoint.get("list", "/tenants/:tenant_id/signing-keys", {
      params: { tenant_id: Uuid },
      success: OperatorSigningKeyList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "List signing keys",
        "All signing keys of the tenant, one entry per API key, including revoked ones.",
        ["not_found"]
      )
    ),
    HttpApiEndpoint.post("revoke", "/tenants/:tenant_id/signing-keys/:keyid/revoke", {
      params: { tenant_id: Uuid, keyid: text(keyidLengthMax) },
      payload: RevokeSigningKey,
      success: OperatorSigningKeyList,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Revoke a signing key",
        "Revokes it for good, for one API key or for all. Takes effect everywhere within five seconds. Repeating changes nothing. The answer contains the affected entries.",
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
