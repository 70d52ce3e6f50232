import { Option } from "effect"
import type { Tenant } from "../tenant/Tenant.ts"
import { directionOf, saferPolicy } from "./direction.ts"
import { granted, isSuspended } from "./GrantState.ts"
import type { Ruling } from "./Ruling.ts"
import { policyOf, readPolicyValues, sayableValues } from "./PolicyValues.ts"

/** A tenant as it may be gone by. */
export interface TenantByGrants {
  /** What its row says, and in the place of all that is riskier there what was granted. */
  readonly tenant: Tenant
  /** How its row is riskier; undefined where it is not. */
  readonly objection: string | undefined
}

/**
 * A tenant by its row and its grants. What is safer than the grants is an operator's to say. Where rows decide, and where nothing was granted or
 * the chains do not hold, it is as its row says: then nothing leaves.
 */
export const tenantByGrants = (ruling: Ruling, tenant: Tenant): TenantByGrants => {
  const agreed = ruling === undefined || "_tag" in ruling ? undefined : granted(ruling.tenant, "policy", "policy")
  if (ruling === undefined || "_tag" in ruling || agreed === undefined) return { tenant, objection: undefined }
  const stored = Option.getOrUndefined(readPolicyValues(tenant))
  const policy = policyOf(saferPolicy(agreed.values, stored ?? sayableValues(tenant, agreed.values)))
  const ended = tenant.status === "ACTIVE" && isSuspended(ruling.tenant)
  const raised = stored !== undefined && directionOf("policy", agreed.values, stored) === "raises"
  const risky = raised ? "its settings allow more than was granted" : undefined
  const strange = stored === undefined ? "its settings say what no grant can say" : undefined
  return {
    tenant: { ...tenant, policy, status: ended ? "SUSPENDED" : tenant.status },
    objection: ended ? "it is suspended by a grant" : (strange ?? risky)
  }
}
