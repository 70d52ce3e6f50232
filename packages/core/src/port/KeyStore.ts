import { Context, type Effect } from "effect"
import type { SealedKey } from "./SealedKey.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { StorageError } from "../engine/StorageError.ts"

/** Where a page of sealed keys begins: after this one. */
export interface KeyPosition {
  readonly tenantId: TenantId
  readonly id: string
}

/**
 * Where the vault keeps what it has sealed. A tenant has one seed and one wrapping key; the keys that it imports are stored by
 * the command that imports them.
 */
export class KeyStore extends Context.Service<
  KeyStore,
  {
    /** Stores a tenant's seed or wrapping key unless it has one, and gives the one that it then has. */
    readonly putFirst: (key: SealedKey) => Effect.Effect<SealedKey, StorageError>
    /** A tenant's seed or wrapping key. */
    readonly first: (
      tenantId: TenantId,
      kind: "SEED" | "WRAPPING"
    ) => Effect.Effect<SealedKey | undefined, StorageError>
    readonly byId: (tenantId: TenantId, id: string) => Effect.Effect<SealedKey | undefined, StorageError>
    /** The sealed keys of all tenants, by tenant and id. */
    readonly page: (
      after: KeyPosition | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<SealedKey>, StorageError>
    /** Puts another sealing of the same secret in place of `key.sealed`; false where that is no longer what is stored. */
    readonly reseal: (key: SealedKey, sealed: string) => Effect.Effect<boolean, StorageError>
  }
>()("@bursar/core/port/KeyStore") {}
