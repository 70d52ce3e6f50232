import { Schema } from "effect"
import { TenantKind, TenantStatus } from "./Tenant.ts"
import { Uuid } from "./Uuid.ts"

/** Whose key this is, what it may do, and which wallets pay for the tenant, by network. */
export const WhoAmI = Schema.Struct({
  tenant: Schema.Struct({
    id: Uuid,
    slug: Schema.String,
    kind: TenantKind,
    status: TenantStatus
  }).annotate({ identifier: "WhoAmITenant" }),
  key: Schema.Struct({
    prefix: Schema.String,
    label: Schema.String,
    scopes: Schema.Array(Schema.String)
  }).annotate({ identifier: "WhoAmIKey" }),
  payout_wallets: Schema.Record(Schema.String, Schema.String)
}).annotate({ identifier: "WhoAmI" })
/** Whose key this is. */
export type WhoAmI = typeof WhoAmI.Type
