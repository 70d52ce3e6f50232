import { Schema } from "effect"
import { Uuid } from "../wire/Uuid.ts"

/** How far each of a tenant's counts goes. */
export const waitingMax = 1_000

/** What of a tenant waits for an operator. */
export const TenantWaiting = Schema.Struct({
  tenant_id: Uuid,
  slug: Schema.String,
  grants: Schema.Int.annotate({ description: "Grants of its chain that can be approved now." }),
  adjustments: Schema.Int.annotate({ description: "Adjustments of its float that another operator is to decide." }),
  resolutions: Schema.Int.annotate({
    description: "Resolutions of its operations that another operator is to decide."
  }),
  endpoints_off: Schema.Int.annotate({
    description: "Webhook endpoints that are switched off, by an operator or because they failed for too long."
  }),
  endpoints_failing: Schema.Int.annotate({
    description: "Webhook endpoints that are on, and of which something that failed waits to be tried again."
  }),
  suspense: Schema.Int.annotate({ description: "Balances in suspense, by place and currency, that are not zero." })
}).annotate({ identifier: "TenantWaiting" })
/** What of a tenant waits for an operator. */
export type TenantWaiting = typeof TenantWaiting.Type

/** What waits for an operator and stands in no list of all tenants. */
export const OperatorWaiting = Schema.Struct({
  fleet_grants: Schema.Int.annotate({ description: "Grants of the service itself that can be approved now." }),
  tenants: Schema.Array(TenantWaiting).annotate({
    description: `The tenants of which something waits, by their slugs. No count goes further than ${waitingMax}.`
  })
}).annotate({ identifier: "OperatorWaiting" })
/** What waits for an operator and stands in no list of all tenants. */
export type OperatorWaiting = typeof OperatorWaiting.Type
