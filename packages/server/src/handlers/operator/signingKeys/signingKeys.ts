import { OperatorApi } from "@bursar/api/OperatorApi"
import { importPublicKey, thumbprint } from "@bursar/api/signature/Ed25519"
import { Writer } from "@bursar/core/engine/Writer"
import { Tenants } from "@bursar/core/port/Tenants"
import { addSigningKey, revokeSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable, submit } from "../../../refusals.ts"
import { findTenant, invalidField } from "../found.ts"
import { aloneHere } from "../grants/alone.ts"
import { toWire } from "./toWire.ts"

const options = { uninterruptible: true }

/** The public keys with which partners sign: register, list, revoke. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "signingKeys",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* Tenants
    const writer = yield* Writer
    const alone = yield* aloneHere
    return handlers.handleAll({
      add: {
        handler: ({ params, payload }) =>
          Effect.gen(function* () {
            const { api_key_id: apiKeyId, public_jwk: jwk } = payload
            yield* Effect.mapError(importPublicKey(jwk), ({ message }) => invalidField("public_jwk.x", message))
            const keyid = yield* thumbprint(jwk)
            const values = { api_key_id: apiKeyId, keyid, public_key: jwk.x, state: "ACTIVE" } as const
            yield* alone.refuse({ kind: "signing_key", values }, TenantId(params.tenant_id))
            const command = addSigningKey({ apiKeyId, keyid, publicKey: jwk.x })
            return toWire(yield* submit(writer, TenantId(params.tenant_id), command))
          }),
        options
      },
      list: ({ params }) =>
        Effect.gen(function* () {
          const { id } = yield* findTenant(tenants, params.tenant_id)
          return { signing_keys: (yield* orUnavailable(tenants.signingKeys(id))).map(toWire) }
        }),
      revoke: {
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const tenantId = TenantId(params.tenant_id)
          const keys = yield* submit(writer, tenantId, revokeSigningKey(params.keyid, payload.api_key_id ?? null))
          yield* alone.lowered(tenantId, { _tag: "KeysRevoked", keys })
          return { signing_keys: keys.map(toWire) }
        }),
        options
      }
    })
  })
)
