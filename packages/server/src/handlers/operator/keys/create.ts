import { OperatorApi } from "@bursar/api/OperatorApi"
import type { ApiError } from "@bursar/api/errors/ApiError"
import type { CreateKey } from "@bursar/api/operator/OperatorKey"
import { bundles, expandScope, isBundle } from "@bursar/api/scopes/Scopes"
import { Writer } from "@bursar/core/engine/Writer"
import { Tenants } from "@bursar/core/port/Tenants"
import { addApiKey } from "@bursar/core/access/tenantCommands"
import { apiKeyValues } from "@bursar/core/grant/keysByGrants"
import { Effect, Redacted, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { makeKey } from "../../../keys/makeKey.ts"
import { noteAction } from "../../../middleware/actionNotes.ts"
import { submit } from "../../../refusals.ts"
import { findTenant, invalidField } from "../found.ts"
import { aloneHere } from "../grants/alone.ts"
import { toWire } from "./toWire.ts"

const grantsOf = ({ bundle, scopes = [] }: CreateKey): Result.Result<ReadonlyArray<string>, ApiError> => {
  if (bundle !== undefined && !isBundle(bundle)) {
    return Result.fail(invalidField("bundle", `Expected one of ${Object.keys(bundles).join(", ")}.`))
  }
  const unknown = scopes.findIndex((scope) => expandScope(scope).length === 0)
  if (unknown >= 0) return Result.fail(invalidField(`scopes.${unknown}`, "This names no scope."))
  const granted = [...(bundle === undefined ? [] : bundles[bundle]), ...scopes]
  if (granted.length === 0)
    return Result.fail(invalidField("scopes", "Name a bundle or scopes: this key could do nothing."))
  return Result.succeed(granted)
}

/**
 * POST /operator/v1/tenants/{tenant_id}/keys: a new key, shown in this answer and never again. Where the service goes by grants nothing but its
 * grant is proposed, which has the keyed hash of what is shown: the key opens nothing before people have approved it.
 */
export const create = Effect.gen(function* () {
  const tenants = yield* Tenants
  const writer = yield* Writer
  const { keyPepper: pepper, keyPrefix: prefix } = yield* ServerConfig
  const alone = yield* aloneHere
  return HttpApiBuilder.handler(OperatorApi, "keys", "create", ({ params, payload }) =>
    Effect.gen(function* () {
      const scopes = yield* Effect.fromResult(grantsOf(payload))
      const tenant = yield* findTenant(tenants, params.tenant_id)
      const expiresAt = payload.expires_at === undefined ? null : Date.parse(payload.expires_at)
      const { record, secret } = yield* makeKey({ prefix, tenant, label: payload.label, scopes, expiresAt, pepper })
      const shown = Redacted.value(secret)
      const values = apiKeyValues({ key: record, tenant })
      const proposal = yield* alone.propose({ kind: "api_key", values }, tenant.id)
      if (proposal === undefined) {
        const key = yield* submit(writer, tenant.id, addApiKey(record))
        return { ...toWire(key), key: shown, proposal_id: null }
      }
      yield* noteAction({ proposal_id: proposal.id, grant_kind: "api_key", grant_hash: proposal.hash })
      const asked = { ...record, tenantId: tenant.id, createdAt: proposal.proposedAt, revokedAt: null }
      return { ...toWire(asked), key: shown, proposal_id: proposal.id }
    })
  )
})
