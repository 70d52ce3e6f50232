import { Schema } from "effect"

/** Whether a tenant moves real value. */
export const TenantKind = Schema.Literals(["LIVE", "SANDBOX"]).annotate({ identifier: "TenantKind" })
/** Whether a tenant moves real value. */
export type TenantKind = typeof TenantKind.Type

/** Where a tenant stands. */
export const TenantStatus = Schema.Literals(["ONBOARDING", "ACTIVE", "SUSPENDED", "CLOSED"]).annotate({
  identifier: "TenantStatus"
})
/** Where a tenant stands. */
export type TenantStatus = typeof TenantStatus.Type
