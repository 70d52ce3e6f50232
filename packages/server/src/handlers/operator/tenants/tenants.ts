import { OperatorApi } from "@bursar/api/OperatorApi"
import { Writer } from "@bursar/core/engine/Writer"
import { Tenants } from "@bursar/core/port/Tenants"
import { TenantId, type TenantStatus } from "@bursar/core/tenant/Tenant"
import { setTenantStatus } from "@bursar/core/access/tenantCommands"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, submit } from "../../../refusals.ts"
import { findTenant } from "../found.ts"
import { changeSettings } from "./changeSettings.ts"
import { create } from "./create.ts"
import { toWire } from "./toWire.ts"

const options = { uninterruptible: true }

/** Tenants: create, list, read, settings, activate, suspend. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "tenants",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* Tenants
    const writer = yield* Writer
    const { serviceName } = yield* ServerConfig
    const become =
      (status: TenantStatus) =>
      ({ params }: { readonly params: { readonly tenant_id: string } }) =>
        Effect.map(submit(writer, TenantId(params.tenant_id), setTenantStatus(status)), (tenant) =>
          toWire(tenant, serviceName)
        )
    return handlers.handleAll({
      create: { handler: yield* create, options },
      list: () =>
        Effect.map(orUnavailable(tenants.list), (all) => ({
          tenants: all.map((tenant) => toWire(tenant, serviceName))
        })),
      get: ({ params }) => Effect.map(findTenant(tenants, params.tenant_id), (tenant) => toWire(tenant, serviceName)),
      changeSettings: { handler: yield* changeSettings, options },
      activate: { handler: become("ACTIVE"), options },
      suspend: { handler: become("SUSPENDED"), options }
    })
  })
)
