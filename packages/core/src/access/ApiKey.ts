import type { Timestamp } from "../base/Timestamp.ts"
import type { TenantId, TenantKind } from "../tenant/Tenant.ts"
import { defineRecord } from "../engine/Records.ts"

/** An API key as it is stored: the secret itself is never kept, only its keyed hash. */
export interface ApiKey {
  /** The eight characters that stand in the key itself. */
  readonly id: string
  readonly tenantId: TenantId
  readonly label: string
  /** The part of the key that may be shown: everything before the secret. */
  readonly prefix: string
  /** HMAC-SHA-256 of the whole key under the service's pepper, lower-case hex. */
  readonly hash: string
  /** Expanded scopes, no wildcards. */
  readonly scopes: ReadonlyArray<string>
  /** The moment from which it opens nothing any more; null where it does not expire. */
  readonly expiresAt: Timestamp | null
  /**
   * The service's keyed hash over what the key may do (tenant, id, environment, scopes, expiry and hash), so that whoever writes to
   * the storage cannot change any of it. Null where none was made yet, or the key is revoked: such a key opens nothing.
   */
  readonly seal: string | null
  readonly createdAt: Timestamp
  readonly revokedAt: Timestamp | null
}

/** What a key may do, by whose word: what its seal binds. */
export interface KeyFacts extends Pick<ApiKey, "expiresAt" | "hash" | "id" | "scopes" | "tenantId"> {
  /** The environment of the tenant: a sandbox tenant's key is none of a live one. */
  readonly kind: TenantKind
}

/** API keys by their ids, which are unique among all tenants. */
export const ApiKey = defineRecord<ApiKey>({ name: "ApiKey", key: ({ id }) => id, traits: { unique: true } })
