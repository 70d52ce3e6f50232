import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { signatureBase } from "@bursar/api/signature/signatureBase"
import { contentDigestOf } from "@bursar/api/signature/contentDigest"
import { importPrivateKey, signEd25519 } from "@bursar/api/signature/Ed25519"
import { SignedRegistrations } from "@bursar/core/port/SignedRegistrations"
import type { SigningKey } from "@bursar/core/signature/SigningKey"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { layer } from "@bursar/vault/SignedRegistrations"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Base64 from "effect/encoding/Base64"

const xpubBody = { network: "ethereum", xpub: "xpub6D", index_from: 0, index_to: 9 }
const addressBody = { addresses: [{ network: "ethereum", address: "0x17", reference: "r" }] }
const created = 1_790_000_000

/** A request of a moment that a key has signed, and that key. */
const signed = Effect.fnUntraced(function* (
  body: unknown,
  { authority = "api.example.test", method = "POST", path = "/v1/deposit-xpubs" } = {}
) {
  const { keyid, privateJwk, publicJwk } = yield* generateSigningKey
  const bytes = body instanceof Uint8Array ? new Uint8Array(body) : new TextEncoder().encode(JSON.stringify(body))
  const values = [
    ["@method", method],
    ["@authority", authority],
    ["@path", path],
    ["idempotency-key", "k"],
    ["content-type", "application/json"],
    ["content-digest", yield* contentDigestOf(bytes)]
  ] as const
  const names = values.map(([name]) => `"${name}"`).join(" ")
  const params = `(${names});created=${created};expires=${created + 60};keyid="${keyid}";nonce="n0n0n0n0n0n0n0n0n0n0n0";tag="bursar-v1"`
  const base = signatureBase(values, params)
  const signature = yield* signEd25519(yield* importPrivateKey(privateJwk), new TextEncoder().encode(base))
  const key: SigningKey = {
    tenantId: TenantId("019845e1-682f-7b02-a706-000000000001"),
    apiKeyId: "AAAAAAAA",
    keyid,
    publicKey: publicJwk.x,
    createdAt: (created + 86_400) * 1_000,
    revokedAt: null
  }
  const evidence = {
    keyid,
    signatureBase: base,
    signature: Base64.encode(signature),
    body: Base64.encode(bytes)
  }
  return { evidence, key }
})

const read = Effect.fnUntraced(function* (
  { evidence, key }: Effect.Success<ReturnType<typeof signed>>,
  change: Partial<SigningKey> = {}
) {
  const { read: readOne } = yield* SignedRegistrations
  return yield* readOne({ evidence, signingKeys: [{ ...key, ...change }] })
})

const test = <A, E>(name: string, effect: Effect.Effect<A, E, SignedRegistrations>) =>
  it.effect(name, () => Effect.provide(effect, layer({ publicAuthorities: ["api.example.test"] })))

describe("a kept registration", () => {
  test(
    "says what was registered, also when its key was granted later or revoked since",
    Effect.gen(function* () {
      const xpub = yield* signed(xpubBody)
      const expected = Result.succeed({ _tag: "Xpub" as const, network: "ethereum", xpub: "xpub6D" })
      assert.deepStrictEqual(yield* read(xpub), expected)
      assert.deepStrictEqual(yield* read(xpub, { revokedAt: created * 1_000 }), expected)
      const addresses = yield* read(yield* signed(addressBody, { path: "/v1/deposit-addresses" }))
      assert.deepStrictEqual(
        addresses,
        Result.succeed({ _tag: "Addresses" as const, addresses: [{ network: "ethereum", address: "0x17" }] })
      )
    })
  )

  test(
    "says nothing of what was in its batch and of no length that is registered",
    Effect.gen(function* () {
      const [good] = addressBody.addresses
      const none = [
        { ...good, address: "1".repeat(129) },
        { ...good, network: "n".repeat(21) }
      ]
      const body = { addresses: [...none, ...addressBody.addresses] }
      assert.deepStrictEqual(
        yield* read(yield* signed(body, { path: "/v1/deposit-addresses" })),
        Result.succeed({ _tag: "Addresses" as const, addresses: [{ network: "ethereum", address: "0x17" }] })
      )
    })
  )

  test(
    "goes on to count though a reference in it is no UTF-8, as was taken before",
    Effect.gen(function* () {
      const text = JSON.stringify({ addresses: [{ ...addressBody.addresses[0], reference: "Jos\u00e9" }] })
      const latin1 = yield* signed(Buffer.from(text, "latin1"), { path: "/v1/deposit-addresses" })
      assert.deepStrictEqual(
        yield* read(latin1),
        Result.succeed({ _tag: "Addresses" as const, addresses: [{ network: "ethereum", address: "0x17" }] })
      )
    })
  )

  test(
    "counts for nothing when it was signed after the revocation, for another service or path, by another key, or reads as none",
    Effect.gen(function* () {
      const honest = yield* signed(xpubBody)
      const other = yield* signed(xpubBody)
      const refused = [
        yield* read(honest, { revokedAt: created * 1_000 - 1 }),
        yield* read({ ...honest, key: other.key }),
        yield* read({
          ...honest,
          evidence: { ...honest.evidence, body: Base64.encode(`${JSON.stringify(xpubBody)} `) }
        }),
        yield* read({ ...honest, evidence: { ...honest.evidence, signatureBase: "" } }),
        yield* read(yield* signed(xpubBody, { authority: "sandbox.example.test" })),
        yield* read(yield* signed(xpubBody, { path: "/v1/chain-payouts" })),
        yield* read(yield* signed(xpubBody, { path: "/v1/deposit-addresses" })),
        yield* read(yield* signed(addressBody))
      ]
      assert.deepStrictEqual(
        refused.map((one) => Result.isFailure(one)),
        refused.map(() => true)
      )
    })
  )
})
