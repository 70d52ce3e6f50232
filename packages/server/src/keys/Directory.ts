import type { StorageError } from "@bursar/core/engine/StorageError"
import { Tenants } from "@bursar/core/port/Tenants"
import type { ApiKey } from "@bursar/core/access/ApiKey"
import { type KeyParts, parseKey } from "@bursar/core/access/KeyFormat"
import type { SigningKey } from "@bursar/core/signature/SigningKey"
import { type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import { importPublicKey } from "@bursar/api/signature/Ed25519"
import { isScope, type Scope } from "@bursar/api/scopes/Scopes"
import { ServerConfig } from "../config/ServerConfig.ts"
import { type AddressRanges, isWithin, parseRanges } from "../http/clientAddress.ts"
import { matchesHash } from "./hashKey.ts"
import { isSealOf } from "./keySeal.ts"
import { makeExpiring } from "./Expiring.ts"
import { makeSeldom } from "./seldom.ts"

/** A key in force, with its tenant and what is derived from them. */
export interface KnownKey {
  readonly key: ApiKey
  readonly tenant: Tenant
  readonly scopes: ReadonlySet<Scope>
  /** Whether the tenant may be called for from this address. */
  readonly admits: (address: string) => boolean
}

/** How many keys a process remembers. */
const keysMax = 10_000

/** How many signing keys a process remembers. */
const signingKeysMax = 10_000

/** How many addresses a process remembers the verdict of. */
const verdictsMax = 10_000

const admitting = (allowlist: ReadonlyArray<string> | null): ((address: string) => boolean) => {
  if (allowlist === null) return () => true
  const ranges: AddressRanges = parseRanges(allowlist)
  return (address) => isWithin(ranges, address)
}

/** Who may call, as this process last read it: at most `directoryTtl` ago. */
export class Directory extends Context.Service<
  Directory,
  {
    /** Whether any tenant lists this address. */
    readonly isListed: (address: string) => Effect.Effect<boolean, StorageError>
    /**
     * The key of this text; undefined where it is malformed, unknown, revoked, expired, of the other environment or not as it was
     * sealed, which look alike.
     */
    readonly authenticate: (key: string) => Effect.Effect<KnownKey | undefined, StorageError>
    /** The public key of this id with which the API key's requests may be signed; undefined where none is in force. */
    readonly signingKey: (
      tenantId: TenantId,
      apiKeyId: string,
      keyid: string
    ) => Effect.Effect<CryptoKey | undefined, StorageError>
  }
>()("@bursar/server/keys/Directory") {}

/** Why a key with the right secret opens nothing: what stands in storage is not what was granted. */
type Distrust = "unsealed" | "altered" | "environment"

const distrustOf = (pepper: Redacted.Redacted, { key, tenant }: KnownKey, parts: KeyParts): Distrust | undefined => {
  if (key.seal === null) return "unsealed"
  if (!isSealOf(pepper, { ...key, tenantId: tenant.id, kind: tenant.kind }, key.seal)) return "altered"
  return (parts.environment === "live") === (tenant.kind === "LIVE") ? undefined : "environment"
}

/** Says that a key is distrusted. */
const makeTeller = () => {
  const seldom = makeSeldom()
  return Effect.fnUntraced(function* ({ key, tenant }: KnownKey, reason: Distrust) {
    if (!seldom(`${key.id} ${reason}`, yield* Clock.currentTimeMillis)) return
    yield* Effect.annotateLogs(Effect.logError("api_key.distrusted"), { key: key.prefix, tenant: tenant.id, reason })
  })
}

/** The entry of a key, where its text is the key's, it is in force, and it stands in storage as it was granted. */
const known = Effect.fnUntraced(function* (
  { pepper, tell }: { readonly pepper: Redacted.Redacted; readonly tell: ReturnType<typeof makeTeller> },
  entry: KnownKey | undefined,
  text: string
) {
  // An unknown id costs the same comparison as a wrong secret.
  const matches = matchesHash(pepper, text, entry?.key.hash ?? "0".repeat(64))
  const parts = parseKey(text)
  if (!matches || entry === undefined || parts === undefined || entry.key.revokedAt !== null) return undefined
  const distrust = distrustOf(pepper, entry, parts)
  if (distrust !== undefined) {
    yield* tell(entry, distrust)
    return undefined
  }
  const { expiresAt } = entry.key
  return expiresAt !== null && expiresAt <= (yield* Clock.currentTimeMillis) ? undefined : entry
})

/** The directory over the tenants of the storage. */
export const layer = Layer.effect(
  Directory,
  Effect.gen(function* () {
    const tenants = yield* Tenants
    const { directoryTtl, keyPepper } = yield* ServerConfig
    const tell = makeTeller()

    const keys = makeExpiring<string, KnownKey | undefined, StorageError>({
      load: (id) =>
        Effect.map(
          tenants.key(id),
          (found) =>
            found && {
              key: found.key,
              tenant: found.tenant,
              scopes: new Set(found.key.scopes.filter(isScope)),
              admits: admitting(found.tenant.policy.ipAllowlist)
            }
        ),
      keep: (value) => value !== undefined,
      ttl: directoryTtl,
      capacity: keysMax
    })

    const lists = makeExpiring({
      load: (_all: "all") =>
        Effect.map(tenants.list, (all) => ({
          verdicts: new Map<string, boolean>(),
          lists: all.filter(({ status }) => status !== "CLOSED").map(({ policy }) => admitting(policy.ipAllowlist))
        })),
      keep: () => true,
      ttl: directoryTtl,
      capacity: 1
    })

    const isInForce =
      (apiKeyId: string, keyid: string) =>
      (key: SigningKey): boolean =>
        key.apiKeyId === apiKeyId && key.keyid === keyid && key.revokedAt === null

    const signingKeys = makeExpiring<string, CryptoKey | undefined, StorageError>({
      load: (name) => {
        const [tenantId = "", apiKeyId = "", ...rest] = name.split(" ")
        return Effect.flatMap(tenants.signingKeys(TenantId(tenantId)), (all) => {
          const found = all.find(isInForce(apiKeyId, rest.join(" ")))
          // it was imported once already, when it was registered
          return found === undefined ? Effect.succeed(undefined) : Effect.orDie(importPublicKey({ x: found.publicKey }))
        })
      },
      keep: (key) => key !== undefined,
      ttl: directoryTtl,
      capacity: signingKeysMax
    })

    return Directory.of({
      isListed: (address) =>
        Effect.map(lists.get("all"), (all) => {
          const earlier = all.verdicts.get(address)
          if (earlier !== undefined) return earlier
          const verdict = all.lists.some((admits) => admits(address))
          if (all.verdicts.size < verdictsMax) all.verdicts.set(address, verdict)
          return verdict
        }),
      authenticate: (text) => {
        const parts = parseKey(text)
        if (parts === undefined) return Effect.succeed(undefined)
        return Effect.flatMap(keys.get(parts.id), (entry) => known({ pepper: keyPepper, tell }, entry, text))
      },
      signingKey: (tenantId, apiKeyId, keyid) => signingKeys.get(`${tenantId} ${apiKeyId} ${keyid}`)
    })
  })
)
