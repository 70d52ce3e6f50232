import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import type { Queries } from "@bursar/core/store/Queries"
import type { Tenants } from "@bursar/core/port/Tenants"
import { type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { orUnavailable } from "../../refusals.ts"

/** The tenant of an id, or `not_found`. */
export const findTenant = (tenants: Tenants["Service"], id: string): Effect.Effect<Tenant, ApiError> =>
  Effect.flatMap(orUnavailable(tenants.byId(TenantId(id))), (tenant) =>
    tenant === undefined ? Effect.fail(apiError("not_found")) : Effect.succeed(tenant)
  )

/** The webhook endpoint of a tenant, or `not_found`. */
export const findEndpoint = (
  queries: Queries["Service"],
  { tenant_id, webhook_id }: { readonly tenant_id: string; readonly webhook_id: string }
): Effect.Effect<WebhookEndpoint, ApiError> =>
  Effect.flatMap(orUnavailable(queries.endpoints(TenantId(tenant_id))), (endpoints) => {
    const found = endpoints.find(({ id }) => id === webhook_id)
    return found === undefined ? Effect.fail(apiError("not_found")) : Effect.succeed(found)
  })

/** The refusal of one field of a body. */
export const invalidField = (path: string, message: string): ApiError =>
  apiError("invalid_request", { fields: [{ path: `body.${path}`, code: "invalid_request", message }] })
