import { OperatorApi } from "@bursar/api/OperatorApi"
import { apiError } from "@bursar/api/errors/ApiError"
import { sealApiKey } from "@bursar/core/access/tenantCommands"
import { Writer } from "@bursar/core/engine/Writer"
import { Tenants } from "@bursar/core/port/Tenants"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { sealOf } from "../../../keys/keySeal.ts"
import { orUnavailable, submit } from "../../../refusals.ts"
import { findTenant } from "../found.ts"
import { toWire } from "./toWire.ts"

/** POST /operator/v1/tenants/{tenant_id}/keys/{key_id}/seal: binds what a key of an earlier version may do. */
export const seal = Effect.gen(function* () {
  const tenants = yield* Tenants
  const writer = yield* Writer
  const { keyPepper: pepper } = yield* ServerConfig
  return HttpApiBuilder.handler(OperatorApi, "keys", "seal", ({ params }) =>
    Effect.gen(function* () {
      const { id, kind } = yield* findTenant(tenants, params.tenant_id)
      const key = (yield* orUnavailable(tenants.keys(id))).find((one) => one.id === params.key_id)
      if (key === undefined) return yield* apiError("not_found")
      return toWire(yield* submit(writer, id, sealApiKey(key.id, sealOf(pepper, { ...key, kind }))))
    })
  )
})
