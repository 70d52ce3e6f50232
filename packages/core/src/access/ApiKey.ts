import type { Timestamp } from "../base/Timestamp.ts"
import type { TenantId } from "../tenant/Tenant.ts"
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
  readonly createdAt: Timestamp
  readonly revokedAt: Timestamp | null
}

/** API keys by their ids, which are unique among all tenants. */
export const ApiKey = defineRecord<ApiKey>({ name: "ApiKey", key: ({ id }) => id, traits: { unique: true } })
