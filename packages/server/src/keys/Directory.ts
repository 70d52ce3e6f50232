import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { Tenants } from "@bursar/core/port/Tenants"
import type { ApiKey } from "@bursar/core/access/ApiKey"
import { type KeyParts, parseKey } from "@bursar/core/access/KeyFormat"
import { type KeyObjection, keyObjection, maySign } from "@bursar/core/grant/keysByGrants"
import { type Ruling, rulingOf } from "@bursar/core/grant/Ruling"
import { tenantByGrants } from "@bursar/core/grant/tenantByGrants"
import type { SigningKey } from "@bursar/core/signature/SigningKey"
import { type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { importPublicKey } from "@bursar/api/signature/Ed25519"
import { isScope, type Scope } from "@bursar/api/scopes/Scopes"
import { KeyObject } from "node:crypto"
import { ServerConfig } from "../config/ServerConfig.ts"
import { type AddressRanges, isWithin, parseRanges } from "../http/clientAddress.ts"
import { makeMatcher } from "./hashKey.ts"
import { type BrokenSeal, brokenSeal, type Distrust, distrustOf, makeTeller, type Teller } from "./distrust.ts"
import { makeExpiring } from "./Expiring.ts"

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

/** Whether an allowlist is one: the row that it stands in may hold anything by now. */
const isAllowlist = (allowlist: unknown): boolean =>
  allowlist === null || (Array.isArray(allowlist) && allowlist.every((one) => typeof one === "string"))

/** What is no allowlist admits nobody. */
const admitting = (allowlist: ReadonlyArray<string> | null): ((address: string) => boolean) => {
  if (allowlist === null) return () => true
  const ranges: AddressRanges = isAllowlist(allowlist) ? parseRanges(allowlist) : []
  return (address) => isWithin(ranges, address)
}

const allowlistUnreadable = "its allowlist cannot be read"

/** A key cannot be verified now: the grants of its tenant do not hold, or have to be confirmed. It may be right. */
export class KeyUnverified extends Schema.TaggedError<KeyUnverified>()("KeyUnverified", {}) {}

/** Who may call, as this process last read it: at most `directoryTtl` ago. */
export class Directory extends Context.Service<
  Directory,
  {
    /** Whether any tenant lists this address. */
    readonly isListed: (address: string, now: Timestamp) => Effect.Effect<boolean, StorageError>
    /**
     * The key of this text; undefined where it is malformed, unknown, revoked, expired, of the other environment, not as it was
     * sealed or not as it was granted, which look alike. Fails where what was granted cannot be verified at the moment.
     */
    readonly authenticate: (
      key: string,
      now: Timestamp
    ) => Effect.Effect<KnownKey | undefined, KeyUnverified | StorageError>
    /** The public key of this id with which the API key's requests may be signed; undefined where none is in force. */
    readonly signingKey: (
      tenantId: TenantId,
      apiKeyId: string,
      keyid: string,
      now: Timestamp
    ) => Effect.Effect<KeyObject | undefined, StorageError>
  }
>()("@bursar/server/keys/Directory") {}

/** What the directory remembers of a key. */
interface Entry extends KnownKey {
  /** Whether a text is the key. */
  readonly matches: (text: string) => boolean
  /** What the seal of its row says against the key. */
  readonly broken: BrokenSeal | undefined
  /** What grants say against the key. */
  readonly objection: KeyObjection | undefined
  /** How the tenant's row says more than was granted. */
  readonly raised: string | undefined
}

/** A key as the rows and the grants say it now. */
const entryOf = (
  pepper: Redacted.Redacted,
  ruling: Ruling,
  { key, tenant: row }: { readonly key: ApiKey; readonly tenant: Tenant }
): Entry => {
  const { objection: raised, tenant } = tenantByGrants(ruling, row)
  return {
    key,
    tenant,
    scopes: new Set(key.scopes.filter(isScope)),
    admits: admitting(tenant.policy.ipAllowlist),
    matches: makeMatcher(pepper, key.hash),
    broken: brokenSeal(pepper, { key, tenant }),
    objection: keyObjection(ruling, { key, tenant: row }),
    raised
  }
}

/** What keys are judged by: what no text matches, and what tells of those that are not trusted. */
interface Judging {
  readonly nothing: (text: string) => boolean
  readonly tell: Teller
}

const nobody: Effect.Effect<undefined> = Effect.succeed(undefined)

/** A key is not as it was granted: it opens nothing, or cannot be verified now. */
const distrusted = (tell: Teller, { key, objection, tenant }: Entry, reason: Distrust) => {
  const { reason: detail } = objection ?? {}
  const about = { key: key.prefix, tenant: tenant.id, reason, ...(detail !== undefined && { detail }) }
  return Effect.andThen(
    tell(Effect.logError("api_key.distrusted"), about),
    reason === "unverified" ? Effect.fail(new KeyUnverified()) : nobody
  )
}

/** The entry of a key, where its text is the key's, it is in force, and it stands in storage as it was granted. */
const known = (
  { nothing, tell }: Judging,
  entry: Entry | undefined,
  { now, parts, text }: { readonly text: string; readonly parts: KeyParts; readonly now: Timestamp }
): Effect.Effect<Entry | undefined, KeyUnverified> => {
  // An unknown id costs the same comparison as a wrong secret.
  const matches = (entry?.matches ?? nothing)(text)
  if (!matches || entry === undefined || entry.key.revokedAt !== null) return nobody
  const distrust = distrustOf(entry, parts)
  if (distrust !== undefined) return distrusted(tell, entry, distrust)
  const { expiresAt } = entry.key
  const found = Effect.succeed(expiresAt !== null && expiresAt <= now ? undefined : entry)
  if (entry.raised === undefined) return found
  const about = { tenant: entry.tenant.id, reason: entry.raised }
  return Effect.andThen(tell(Effect.logError("tenant.distrusted"), about), found)
}

/** The directory over the tenants of the storage. */
export const layer = Layer.effect(
  Directory,
  Effect.gen(function* () {
    const tenants = yield* Tenants
    const { directoryTtl, keyPepper } = yield* ServerConfig
    const tell = makeTeller()
    const judging: Judging = { nothing: makeMatcher(keyPepper, "0".repeat(64)), tell }
    const context = yield* Effect.context<never>()
    const ruling = (tenantId: TenantId) => Effect.provideContext(rulingOf(tenantId), context)

    const keys = makeExpiring<string, Entry | undefined, StorageError>({
      load: Effect.fnUntraced(function* (id) {
        const found = yield* tenants.key(id)
        return found && entryOf(keyPepper, yield* ruling(found.tenant.id), found)
      }),
      keep: (value) => value !== undefined,
      ttl: directoryTtl,
      capacity: keysMax
    })

    /** A tenant as it may be gone by; one whose row has no allowlist goes by what was granted, or admits nobody. */
    const listed = Effect.fnUntraced(function* (row: Tenant) {
      if (isAllowlist(row.policy.ipAllowlist)) return row
      yield* tell(Effect.logError("tenant.distrusted"), { tenant: row.id, reason: allowlistUnreadable })
      return tenantByGrants(yield* ruling(row.id), row).tenant
    })

    /** A tenant whose row cannot be read admits nobody. */
    const lists = makeExpiring({
      load: Effect.fnUntraced(function* (_all: "all") {
        const { tenants: readable } = yield* tenants.list
        const all = yield* Effect.forEach(readable, listed)
        return {
          verdicts: new Map<string, boolean>(),
          lists: all.filter(({ status }) => status !== "CLOSED").map(({ policy }) => admitting(policy.ipAllowlist))
        }
      }),
      keep: () => true,
      ttl: directoryTtl,
      capacity: 1
    })

    const isInForce =
      (apiKeyId: string, keyid: string) =>
      (key: SigningKey): boolean =>
        key.apiKeyId === apiKeyId && key.keyid === keyid && key.revokedAt === null

    const signingKeys = makeExpiring<string, KeyObject | undefined, StorageError>({
      load: Effect.fnUntraced(function* (name) {
        const [tenant = "", apiKeyId = "", ...rest] = name.split(" ")
        const tenantId = TenantId(tenant)
        const found = (yield* tenants.signingKeys(tenantId)).find(isInForce(apiKeyId, rest.join(" ")))
        if (found === undefined) return undefined
        if (!maySign(yield* ruling(tenantId), found)) {
          const about = { key: found.keyid, tenant, reason: "ungranted" }
          yield* tell(Effect.logError("signing_key.distrusted"), about)
          return undefined
        }
        // it was imported once already, when it was registered: a row that it cannot be read from was changed since
        const imported = yield* Effect.option(importPublicKey({ x: found.publicKey }))
        if (Option.isNone(imported)) {
          const about = { key: found.keyid, tenant, reason: "unreadable" }
          yield* tell(Effect.logError("signing_key.distrusted"), about)
        }
        return Option.getOrUndefined(Option.map(imported, KeyObject.from))
      }),
      keep: (key) => key !== undefined,
      ttl: directoryTtl,
      capacity: signingKeysMax
    })

    return Directory.of({
      isListed: (address, now) =>
        Effect.mapEager(lists.get("all", now), (all) => {
          const earlier = all.verdicts.get(address)
          if (earlier !== undefined) return earlier
          const verdict = all.lists.some((admits) => admits(address))
          if (all.verdicts.size < verdictsMax) all.verdicts.set(address, verdict)
          return verdict
        }),
      authenticate: (text, now) => {
        const parts = parseKey(text)
        if (parts === undefined) return nobody
        return Effect.flatMapEager(keys.get(parts.id, now), (entry) => known(judging, entry, { text, parts, now }))
      },
      signingKey: (tenantId, apiKeyId, keyid, now) => signingKeys.get(`${tenantId} ${apiKeyId} ${keyid}`, now)
    })
  })
)
