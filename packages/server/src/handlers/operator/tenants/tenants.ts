import type { ApiError } from "@bursar/api/errors/ApiError"
import { Operator } from "@bursar/api/operator/Operator"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Writer } from "@bursar/core/engine/Writer"
import { Tenants } from "@bursar/core/port/Tenants"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { setTenantStatus } from "@bursar/core/access/tenantCommands"
import { readValues } from "@bursar/core/grant/GrantDocument"
import { suspendByOperator } from "@bursar/core/granting/byOperator"
import { activateNewTenant } from "@bursar/core/granting/grantRequired"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, submit } from "../../../refusals.ts"
import { findTenant, invalidField } from "../found.ts"
import { aloneHere } from "../grants/alone.ts"
import { checkReadable } from "../grants/checkValues.ts"
import { changeSettings } from "./changeSettings.ts"
import { create } from "./create.ts"
import { limitsOf } from "./limits.ts"
import { shownPolicy, toWire } from "./toWire.ts"

const options = { uninterruptible: true }

/** Refuses a reason that no grant can say. */
const checkSayable = (reason: string): Effect.Effect<void, ApiError> =>
  Result.isFailure(readValues({ kind: "suspension", values: { suspended: true, reason } }))
    ? Effect.fail(invalidField("reason", "A grant can say nothing invisible, such as a line break."))
    : checkReadable("reason", reason)

/** Tenants: create, list, read, settings, activate, suspend. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "tenants",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* Tenants
    const queries = yield* Queries
    const writer = yield* Writer
    const { serviceName } = yield* ServerConfig
    const alone = yield* aloneHere
    return handlers.handleAll({
      create: { handler: yield* create, options },
      list: () =>
        Effect.map(orUnavailable(tenants.list), ({ tenants: all, unreadable }) => {
          const shown = all.map((tenant) => toWire(tenant, serviceName))
          const strange = shown.flatMap(({ id, problem }) => (problem === undefined ? [] : [{ id, problem }]))
          return { tenants: shown, unreadable: [...unreadable, ...strange] }
        }),
      get: ({ params }) => Effect.map(findTenant(tenants, params.tenant_id), (tenant) => toWire(tenant, serviceName)),
      limits: ({ params }) =>
        Effect.flatMap(findTenant(tenants, params.tenant_id), (tenant) =>
          limitsOf(queries, { ...tenant, policy: shownPolicy(tenant.policy, serviceName).shown })
        ),
      changeSettings: { handler: yield* changeSettings, options },
      activate: {
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const reason = payload?.reason ?? ""
          // what asks for a grant gives the values to propose: they must be such that can be
          if (alone.byGrants) yield* checkSayable(reason)
          const command = alone.byGrants ? activateNewTenant(reason) : setTenantStatus("ACTIVE")
          return toWire(yield* submit(writer, TenantId(params.tenant_id), command), serviceName)
        }),
        options
      },
      suspend: {
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const { name } = yield* Operator
          const given = payload?.reason ?? ""
          // nothing keeps anybody from suspending: the audit log has the reason as it was given
          const isSaid = given !== "" && (yield* Effect.isSuccess(checkSayable(given)))
          const reason = isSaid ? given : `Suspended by ${name}.`
          const tenantId = TenantId(params.tenant_id)
          const tenant = yield* submit(writer, tenantId, suspendByOperator)
          yield* alone.lowered(tenantId, { _tag: "Suspended", reason })
          return toWire(tenant, serviceName)
        }),
        options
      }
    })
  })
)
