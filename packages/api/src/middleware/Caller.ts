import { Context } from "effect"
import type { Scope } from "../scopes/Scopes.ts"
import type { TenantKind } from "../wire/Tenant.ts"

/** Who makes the request: the tenant and the key, as {@link Authenticated} established them. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly tenantId: string
    readonly tenantSlug: string
    readonly tenantKind: TenantKind
    readonly keyId: string
    /** The part of the key that may be shown. */
    readonly keyPrefix: string
    readonly keyLabel: string
    readonly scopes: ReadonlySet<Scope>
  }
>()("@bursar/api/Caller") {}
