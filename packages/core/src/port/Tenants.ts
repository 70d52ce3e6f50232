import { Context, type Effect } from "effect"
import type { SigningKey } from "../signature/SigningKey.ts"
import type { ApiKey } from "../access/ApiKey.ts"
import type { Tenant, TenantId } from "../tenant/Tenant.ts"
import type { TenantList } from "./TenantList.ts"
import type { StorageError } from "../engine/StorageError.ts"

/** The directory of tenants and keys: what is looked up before a tenant is known. Changes go through commands. */
export class Tenants extends Context.Service<
  Tenants,
  {
    /** Makes a tenant with its head; false where its slug is taken, and then nothing is written. */
    readonly create: (tenant: Tenant) => Effect.Effect<boolean, StorageError>
    readonly byId: (id: TenantId) => Effect.Effect<Tenant | undefined, StorageError>
    readonly bySlug: (slug: string) => Effect.Effect<Tenant | undefined, StorageError>
    /** All tenants, oldest first. Those whose rows cannot be read are logged (`tenant.unreadable`) and named apart. */
    readonly list: Effect.Effect<TenantList, StorageError>
    /** A key by the id that stands in it, revoked or not, with its tenant. */
    readonly key: (
      id: string
    ) => Effect.Effect<{ readonly key: ApiKey; readonly tenant: Tenant } | undefined, StorageError>
    /** The keys of a tenant, oldest first. */
    readonly keys: (tenantId: TenantId) => Effect.Effect<ReadonlyArray<ApiKey>, StorageError>
    /** The signing keys of a tenant, revoked or not, oldest first. */
    readonly signingKeys: (tenantId: TenantId) => Effect.Effect<ReadonlyArray<SigningKey>, StorageError>
  }
>()("@bursar/core/port/Tenants") {}
