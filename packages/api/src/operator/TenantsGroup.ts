import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequiredRole } from "./RequiredRole.ts"
import { optionalBody, orNone } from "../annotations/optionalBody.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { created } from "../groups/shared.ts"
import { Uuid } from "../wire/Uuid.ts"
import {
  ChangeTenantSettings,
  CreateTenant,
  OperatorTenant,
  OperatorTenantList,
  SwitchTenant
} from "./OperatorTenant.ts"
import { TenantLimits } from "./TenantLimits.ts"
import { operatorPrefix, operatorRoute } from "./operatorRoute.ts"
import { SchemaRefusals } from "../middleware/SchemaRefusals.ts"
import { OperatorAudited } from "./OperatorAudited.ts"
import { OperatorAuthenticated } from "./OperatorAuthenticated.ts"
import { OperatorPermitted } from "./OperatorPermitted.ts"
import { ConsentNeeded, byGrant } from "./Consent.ts"

const params = { tenant_id: Uuid }

/** Tenants: create, list, read, settings, activate, suspend. */
export class TenantsGroup extends HttpApiGroup.make("tenants")
  .add(
    HttpApiEndpoint.post("create", "/tenants", {
      payload: CreateTenant,
      success: OperatorTenant.pipe(created),
      error: wireErrors
    })
      .annotateMerge(operatorRoute("Create a tenant", "The new tenant has the status ONBOARDING.", ["state_conflict"]))
      .annotate(RequiredRole, "admin"),
    HttpApiEndpoint.get("list", "/tenants", { success: OperatorTenantList, error: wireErrors }).annotateMerge(
      operatorRoute("List tenants", "Every tenant.")
    ),
    HttpApiEndpoint.get("get", "/tenants/:tenant_id", {
      params,
      success: OperatorTenant,
      error: wireErrors
    }).annotateMerge(operatorRoute("Read a tenant", "One tenant with its settings.", ["not_found"])),
    HttpApiEndpoint.get("limits", "/tenants/:tenant_id/limits", {
      params,
      success: TenantLimits,
      error: wireErrors
    }).annotateMerge(
      operatorRoute("Read limits", "What the tenant may pay out and withdraw, and how much of that it has used.", [
        "not_found"
      ])
    ),
    HttpApiEndpoint.post("changeSettings", "/tenants/:tenant_id/settings", {
      params,
      payload: ChangeTenantSettings,
      success: OperatorTenant,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute("Change settings", "Fields that you omit stay as they are.", [
          "not_found",
          "state_conflict",
          "grant_required"
        ])
      )
      .annotate(RequiredRole, "admin")
      .annotate(ConsentNeeded, byGrant("policy")),
    HttpApiEndpoint.post("activate", "/tenants/:tenant_id/activate", {
      params,
      payload: orNone(SwitchTenant),
      success: OperatorTenant,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Activate a tenant",
          "Its API keys work from now on. The reason is kept in the audit log, and is that of the grant where it takes one.",
          ["not_found", "state_conflict", "grant_required"]
        )
      )
      .annotateMerge(optionalBody)
      .annotate(RequiredRole, "admin")
      .annotate(ConsentNeeded, byGrant("suspension")),
    HttpApiEndpoint.post("suspend", "/tenants/:tenant_id/suspend", {
      params,
      payload: orNone(SwitchTenant),
      success: OperatorTenant,
      error: wireErrors
    })
      .annotateMerge(
        operatorRoute(
          "Suspend a tenant",
          "Requests with its API keys are refused with `tenant_suspended`. The reason is kept in the audit log.",
          ["not_found", "state_conflict"]
        )
      )
      .annotateMerge(optionalBody)
  )
  .annotateMerge(OpenApi.annotations({ title: "Tenants", description: "Partner organisations." }))
  .prefix(operatorPrefix)
  .middleware(SchemaRefusals)
  .middleware(OperatorPermitted)
  .middleware(OperatorAudited)
  .middleware(OperatorAuthenticated) {}
