import { type Scope, expandScopes } from "@bursar/api/scopes/Scopes"
import { RandomBytes } from "@bursar/core/engine/Ids"
import type { ApiKey } from "@bursar/core/access/ApiKey"
import { base62, formatKey, parseKey, randomCharacters, shownPrefix } from "@bursar/core/access/KeyFormat"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Effect, Redacted } from "effect"
import { hashKey } from "./hashKey.ts"
import { sealOf } from "./keySeal.ts"

/** A key that was just made: what is stored of it, and the secret, which is shown once. */
export interface MadeKey {
  /** For `addApiKey`. */
  readonly record: Omit<ApiKey, "tenantId" | "createdAt" | "revokedAt">
  readonly secret: Redacted.Redacted
}

/** What a key is made with. */
export interface MakeKey {
  readonly prefix: string
  /** Whose key it is. A live tenant's keys say `live`, a sandbox tenant's `test`. */
  readonly tenant: Pick<Tenant, "id" | "kind">
  readonly label: string
  /** Scopes by name; wildcards are expanded. */
  readonly scopes: ReadonlyArray<string>
  /** When it expires; it does not where this is absent. */
  readonly expiresAt?: Timestamp | null
  readonly pepper: Redacted.Redacted
}

/** Makes a new API key. Nothing is stored: submit `addApiKey(record)` for the tenant. */
export const makeKey = Effect.fn("keys.makeKey")(function* ({
  expiresAt = null,
  label,
  pepper,
  prefix,
  scopes,
  tenant
}: MakeKey) {
  const randomBytes = yield* RandomBytes
  const key = formatKey(
    prefix,
    tenant.kind === "LIVE" ? "live" : "test",
    base62(randomBytes(randomCharacters * 2), randomCharacters)
  )
  const parts = parseKey(key)
  if (parts === undefined)
    return yield* Effect.die(new Error(`the key prefix ${prefix} does not make keys that can be read`))
  const granted: ReadonlyArray<Scope> = expandScopes(scopes)
  const bound = { id: parts.id, hash: hashKey(pepper, key), scopes: granted, expiresAt }
  const made: MadeKey = {
    record: {
      ...bound,
      label,
      prefix: shownPrefix(parts),
      seal: sealOf(pepper, { ...bound, tenantId: tenant.id, kind: tenant.kind })
    },
    secret: Redacted.make(key)
  }
  return made
})
