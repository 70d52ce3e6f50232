import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"

const codeOf = ({ body, status }: Answer) => [status, body.error?.code]

layer(Operator.layer, { excludeTestServices: true })("signing keys", (it) => {
  let tenants = 0
  const setUp = Effect.gen(function* () {
    tenants += 1
    const { operate } = yield* Operator
    const { body: tenant } = yield* operate("POST", "/operator/v1/tenants", {
      body: { slug: `signer-${tenants}`, name: "Signer", kind: "SANDBOX" }
    })
    const path = `/operator/v1/tenants/${tenant.id}`
    const grant = Effect.map(
      operate("POST", `${path}/keys`, { body: { label: "payouts", bundle: "chain_payouts" } }),
      ({ body }): string => body.id
    )
    const add = (apiKeyId: string, jwk: unknown) =>
      operate("POST", `${path}/signing-keys`, { body: { api_key_id: apiKeyId, public_jwk: jwk } })
    const list = Effect.map(operate("GET", `${path}/signing-keys`), ({ body }) => body.signing_keys)
    const revoke = (keyid: string, body: object = {}) =>
      operate("POST", `${path}/signing-keys/${keyid}/revoke`, { body })
    return { operate, path, add, grant, list, revoke }
  })

  it.effect("are registered for an API key, listed, and revoked for one API key or for all", () =>
    Effect.gen(function* () {
      const { add, grant, list, revoke } = yield* setUp
      const [one, other] = [yield* grant, yield* grant]
      const { keyid, publicJwk } = yield* generateSigningKey
      const added = yield* add(one, {
        ...publicJwk,
        kid: "mine",
        use: "sig",
        alg: "EdDSA",
        key_ops: ["verify"],
        ext: true
      })
      assert.strictEqual(added.status, 201)
      assert.deepStrictEqual(added.body, {
        keyid,
        api_key_id: one,
        public_jwk: publicJwk,
        created_at: added.body.created_at,
        revoked_at: null
      })
      assert.deepStrictEqual((yield* add(one, publicJwk)).body, added.body)
      assert.strictEqual((yield* add(other, publicJwk)).status, 201)
      assert.strictEqual((yield* list).length, 2)
      const { body } = yield* revoke(keyid, { api_key_id: one })
      assert.deepStrictEqual(
        body.signing_keys.map((key: Answer["body"]) => [key.api_key_id, key.revoked_at !== null]),
        [[one, true]]
      )
      assert.strictEqual((yield* revoke(keyid)).body.signing_keys.length, 2)
      assert.isTrue((yield* list).every((key: Answer["body"]) => key.revoked_at !== null))
    })
  )

  it.effect("are two at most for an API key, and a revoked one does not come back", () =>
    Effect.gen(function* () {
      const { add, grant, revoke } = yield* setUp
      const key = yield* grant
      const [one, two, three] = [yield* generateSigningKey, yield* generateSigningKey, yield* generateSigningKey]
      assert.strictEqual((yield* add(key, one.publicJwk)).status, 201)
      assert.strictEqual((yield* add(key, two.publicJwk)).status, 201)
      assert.deepStrictEqual(codeOf(yield* add(key, three.publicJwk)), [409, "state_conflict"])
      yield* revoke(one.keyid)
      assert.strictEqual((yield* add(key, three.publicJwk)).status, 201)
      assert.deepStrictEqual(codeOf(yield* add(key, one.publicJwk)), [409, "state_conflict"])
    })
  )

  it.effect("are Ed25519 public keys, and never private ones", () =>
    Effect.gen(function* () {
      const { add, grant, list } = yield* setUp
      const key = yield* grant
      const { privateJwk, publicJwk } = yield* generateSigningKey
      assert.deepStrictEqual(codeOf(yield* add(key, privateJwk)), [422, "unknown_field"])
      for (const jwk of [
        null,
        "text",
        {},
        { ...publicJwk, crv: "X25519" },
        { ...publicJwk, kty: "EC" },
        { ...publicJwk, x: publicJwk.x.slice(1) },
        // two spare bits that are not zero
        { ...publicJwk, x: `${"A".repeat(42)}B` }
      ]) {
        assert.deepStrictEqual(codeOf(yield* add(key, jwk)), [422, "invalid_request"], JSON.stringify(jwk))
      }
      assert.deepStrictEqual(yield* list, [])
    })
  )

  it.effect("belong to a tenant and an API key that exist", () =>
    Effect.gen(function* () {
      const { add, grant, operate, path, revoke } = yield* setUp
      const otherPartner = yield* setUp
      const { keyid, publicJwk } = yield* generateSigningKey
      assert.deepStrictEqual(codeOf(yield* add("nothing0", publicJwk)), [404, "not_found"])
      assert.deepStrictEqual(codeOf(yield* otherPartner.add(yield* grant, publicJwk)), [404, "not_found"])
      assert.deepStrictEqual(codeOf(yield* revoke(keyid)), [404, "not_found"])
      const nobody = path.replace(/[^/]+$/u, "019845e1-682f-7b02-a706-3b2422d13aec")
      assert.deepStrictEqual(codeOf(yield* operate("GET", `${nobody}/signing-keys`)), [404, "not_found"])
      const body = { api_key_id: "nothing0", public_jwk: publicJwk }
      assert.deepStrictEqual(codeOf(yield* operate("POST", `${nobody}/signing-keys`, { body })), [404, "not_found"])
    })
  )
})
