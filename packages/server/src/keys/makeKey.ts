import { type Scope, expandScopes } from "@bursar/api/scopes/Scopes"
import { RandomBytes } from "@bursar/core/engine/Ids"
import type { ApiKey } from "@bursar/core/access/ApiKey"
import { base62, formatKey, parseKey, randomCharacters, shownPrefix } from "@bursar/core/access/KeyFormat"
import type { TenantKind } from "@bursar/core/tenant/Tenant"
import { Effect, Redacted } from "effect"
import { hashKey } from "./hashKey.ts"

/** A key that was just made: what is stored of it, and the secret, which is shown once. */
export interface MadeKey {
  /** For `addApiKey`. */
  readonly record: Omit<ApiKey, "tenantId" | "createdAt" | "revokedAt">
  readonly secret: Redacted.Redacted
}

/** What a key is made with. */
export interface MakeKey {
  readonly prefix: string
  /** A live tenant's keys say `live`, a sandbox tenant's `test`. */
  readonly kind: TenantKind
  readonly label: string
  /** Scopes by name; wildcards are expanded. */
  readonly scopes: ReadonlyArray<string>
  readonly pepper: Redacted.Redacted
}

/** Makes a new API key. Nothing is stored: submit `addApiKey(record)` for the tenant. */
export const makeKey = Effect.fn("keys.makeKey")(function* ({ kind, label, pepper, prefix, scopes }: MakeKey) {
  const randomBytes = yield* RandomBytes
  const key = formatKey(
    prefix,
    kind === "LIVE" ? "live" : "test",
    base62(randomBytes(randomCharacters * 2), randomCharacters)
  )
  const parts = parseKey(key)
  if (parts === undefined)
    return yield* Effect.die(new Error(`the key prefix ${prefix} does not make keys that can be read`))
  const granted: ReadonlyArray<Scope> = expandScopes(scopes)
  const made: MadeKey = {
    record: { id: parts.id, label, prefix: shownPrefix(parts), hash: hashKey(pepper, key), scopes: granted },
    secret: Redacted.make(key)
  }
  return made
})
