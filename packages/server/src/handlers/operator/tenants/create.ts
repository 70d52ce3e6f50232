import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { RandomBytes, uuidV7 } from "@bursar/core/engine/Ids"
import { Tenants } from "@bursar/core/port/Tenants"
import { policyOfNew, type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { writing } from "../../../refusals.ts"
import { toWire } from "./toWire.ts"

/** POST /operator/v1/tenants: a tenant that nobody may call for yet. */
export const create = Effect.gen(function* () {
  const tenants = yield* Tenants
  const { serviceName } = yield* ServerConfig
  return HttpApiBuilder.handler(OperatorApi, "tenants", "create", ({ payload: { kind, name, slug } }) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const randomBytes = yield* RandomBytes
      const id = TenantId(uuidV7(now, randomBytes(10)))
      const tenant: Tenant = { id, slug, name, kind, status: "ONBOARDING", policy: policyOfNew(kind), createdAt: now }
      const made = yield* writing(tenants.create(tenant))
      if (!made) return yield* apiError("state_conflict", { message: `The slug ${slug} is taken.` })
      return toWire(tenant, serviceName)
    })
  )
})
