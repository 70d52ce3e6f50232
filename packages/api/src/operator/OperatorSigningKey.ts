import { Schema } from "effect"
import { PublicJwk } from "../signature/Ed25519.ts"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"

/** A public key to let one API key's requests be signed with. */
export const AddSigningKey = Schema.Struct({
  api_key_id: text(64).annotate({ description: "The id of the API key: eight characters, which are part of the key." }),
  public_jwk: PublicJwk
}).annotate({
  identifier: "AddSigningKey",
  examples: [
    {
      api_key_id: "a1B2c3D4",
      public_jwk: { kty: "OKP", crv: "Ed25519", x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs" }
    }
  ]
})
/** A public key to let one API key's requests be signed with. */
export type AddSigningKey = typeof AddSigningKey.Type

/** Which of a signing key's bindings to revoke. */
export const RevokeSigningKey = Schema.Struct({
  api_key_id: Schema.optionalKey(text(64)).annotate({ description: "If omitted, the key is revoked for all API keys." })
}).annotate({ identifier: "RevokeSigningKey", examples: [{ api_key_id: "a1B2c3D4" }] })
/** Which of a signing key's bindings to revoke. */
export type RevokeSigningKey = typeof RevokeSigningKey.Type

/** A public key as it is bound to one API key. */
export const OperatorSigningKey = Schema.Struct({
  keyid: Schema.String.annotate({ description: "The RFC 7638 thumbprint, which signatures carry as `keyid`." }),
  api_key_id: Schema.String,
  public_jwk: PublicJwk,
  created_at: Timestamp,
  revoked_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "OperatorSigningKey" })
/** A public key as it is bound to one API key. */
export type OperatorSigningKey = typeof OperatorSigningKey.Type

/** The signing keys of a tenant. */
export const OperatorSigningKeyList = Schema.Struct({ signing_keys: Schema.Array(OperatorSigningKey) }).annotate({
  identifier: "OperatorSigningKeyList"
})
/** The signing keys of a tenant. */
export type OperatorSigningKeyList = typeof OperatorSigningKeyList.Type
