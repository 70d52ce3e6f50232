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
import { findTenant } from "../found.ts"
import { aloneHere } from "../grants/alone.ts"
import { changeSettings } from "./changeSettings.ts"
import { create } from "./create.ts"
import { limitsOf } from "./limits.ts"
import { shownPolicy, toWire } from "./toWire.ts"

const options = { uninterruptible: true }

/** A reason that a grant can say, too; undefined where it cannot. */
const sayable = (reason: string | undefined): string | undefined =>
  reason !== undefined && Result.isSuccess(readValues({ kind: "suspension", values: { suspended: true, reason } }))
    ? reason
    : undefined

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
          const command = alone.byGrants ? activateNewTenant(payload?.reason ?? "") : setTenantStatus("ACTIVE")
          return toWire(yield* submit(writer, TenantId(params.tenant_id), command), serviceName)
        }),
        options
      },
      suspend: {
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const { name } = yield* Operator
          const reason = sayable(payload?.reason) ?? `Suspended by ${name}.`
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
