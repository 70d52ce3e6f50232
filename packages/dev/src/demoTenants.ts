import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { bundles, scopes } from "@bursar/api/scopes/Scopes"
import { RandomBytes, uuidV7 } from "@bursar/core/engine/Ids"
import { Writer } from "@bursar/core/engine/Writer"
import { addSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { Tenants } from "@bursar/core/port/Tenants"
import { addApiKey, sealApiKey } from "@bursar/core/access/tenantCommands"
import { parseKey } from "@bursar/core/access/KeyFormat"
import { defaultPolicy, type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { ServerConfig } from "@bursar/server/config/ServerConfig"
import { sealOf } from "@bursar/server/keys/keySeal"
import { makeKey } from "@bursar/server/keys/makeKey"
import { Clock, Effect, Redacted } from "effect"
import type { HandshakeTenant } from "@bursar/cli/config/Handshake"

/** The addresses of this machine: a demo tenant is called from nowhere else. */
const local = ["127.0.0.0/8", "::1/128"]

/** A key for each bundle, and one that holds every scope. */
const grants: Readonly<Record<string, ReadonlyArray<string>>> = { ...bundles, all: scopes }

/**
 * Makes a demo tenant with a key per bundle. A tenant whose keys were lost with a killed first start stays as it is, and
 * gets new ones.
 */
export const makeDemoTenant = Effect.fn("dev.makeDemoTenant")(function* (slug: string, name: string) {
  const tenants = yield* Tenants
  const writer = yield* Writer
  const { keyPepper, keyPrefix } = yield* ServerConfig
  const now = yield* Clock.currentTimeMillis
  const randomBytes = yield* RandomBytes
  const made: Tenant = {
    id: TenantId(uuidV7(now, randomBytes(10))),
    slug,
    name,
    kind: "SANDBOX",
    status: "ACTIVE",
    policy: { ...defaultPolicy, ipAllowlist: local },
    createdAt: now
  }
  yield* tenants.create(made)
  const tenant = (yield* tenants.bySlug(slug)) ?? made
  const { id } = tenant
  const keys: Record<string, string> = {}
  for (const [label, granted] of Object.entries(grants)) {
    const key = yield* makeKey({
      prefix: keyPrefix,
      tenant,
      label: `demo ${label}`,
      scopes: granted,
      pepper: keyPepper
    })
    yield* writer.submit(id, addApiKey(key.record))
    keys[label] = Redacted.value(key.secret)
  }
  const { keyid, privateJwk } = yield* generateSigningKey
  return { id, slug, keys, signing: { keyid, private_jwk: { ...privateJwk } } } satisfies HandshakeTenant
})

/** The demo keys whose requests may be signed: those that open a signed operation. */
const signedKeys = ["chain_payouts", "deposits", "all"]

/** Seals the keys of a demo tenant that an earlier version made: its own file says that they are its keys. What was revoked stays so. */
export const sealKeys = Effect.fn("dev.sealKeys")(function* ({ id, keys }: HandshakeTenant) {
  const { keyPepper } = yield* ServerConfig
  const writer = yield* Writer
  const tenants = yield* Tenants
  const tenant = yield* tenants.byId(TenantId(id))
  const own = new Set(Object.values(keys).map((text) => parseKey(text)?.id))
  const unsealed = (yield* tenants.keys(TenantId(id))).filter((key) => own.has(key.id) && key.seal === null)
  for (const key of unsealed) {
    if (tenant === undefined || key.revokedAt !== null) continue
    const seal = sealOf(keyPepper, { ...key, kind: tenant.kind })
    yield* writer.submit(tenant.id, sealApiKey(key.id, seal))
  }
})

/** Lets a demo tenant's pair sign for its keys. What was revoked since stays so. */
export const registerSigningKeys = Effect.fn("dev.registerSigningKeys")(function* ({
  id,
  keys,
  signing
}: HandshakeTenant) {
  const writer = yield* Writer
  const publicKey = String(signing.private_jwk["x"])
  for (const label of signedKeys) {
    const apiKeyId = parseKey(keys[label] ?? "")?.id ?? ""
    const command = addSigningKey({ apiKeyId, keyid: signing.keyid, publicKey })
    yield* Effect.catchTag(writer.submit(TenantId(id), command), "Refusal", ({ message }) =>
      Effect.annotateLogs(Effect.logWarning("demo.key_not_signed"), { key: label, detail: message })
    )
  }
})
