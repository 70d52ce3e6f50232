import { stored } from "./support/stored.ts"
import { SignatureNonce } from "@bursar/core/signature/SignatureNonce"
import type { SignatureHeaders } from "@bursar/api/signature/signatureHeaders"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Partner } from "./support/Partner.ts"
import { authority, registerPair, requestOf } from "./support/signing.ts"
import { written } from "./support/written.ts"

const path = "/v1/signature/verify"

const probe = JSON.stringify({ hello: "world" })

layer(Partner.layer({ publicAuthorities: ["other.example.test", "API.example.test:443"] }), {
  excludeTestServices: true
})("POST /v1/signature/verify", (it) => {
  const setUp = Effect.gen(function* () {
    const { seeder, send, state } = yield* Partner
    const tenant = yield* seeder.tenant()
    const key = yield* seeder.key(tenant, [])
    const pair = yield* registerPair(seeder, tenant, key)
    const request = requestOf(probe, "k", { path })
    const post = (headers: Partial<SignatureHeaders>, raw = probe, host = authority) =>
      send("POST", path, { key, raw, headers: { host, "idempotency-key": "k", ...headers } })
    return { seeder, state, tenant, send, request, post, ...pair }
  })

  it.effect("says of a good signature that it is one, as often as it is asked, and writes nothing", () =>
    Effect.gen(function* () {
      const { keyid, post, request, signer, state, tenant } = yield* setUp
      const headers = yield* signer.sign(request)
      const before = written(state, tenant)
      const answers = [yield* post(headers), yield* post(headers)]
      for (const { body, status } of answers) {
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(
          { ...body, signature_base: null },
          {
            verified: true,
            keyid,
            code: null,
            message: null,
            signature_base: null,
            content_digest: headers["content-digest"]
          }
        )
        const params = headers["signature-input"].replace("sig1=", "")
        assert.strictEqual(
          body.signature_base,
          [
            `"@method": POST`,
            `"@authority": ${authority}`,
            `"@path": ${path}`,
            `"idempotency-key": k`,
            `"content-type": application/json`,
            `"content-digest": ${headers["content-digest"]}`,
            `"@signature-params": ${params}`
          ].join("\n")
        )
      }
      assert.deepStrictEqual(written(state, tenant), before)
      assert.strictEqual(stored(state, tenant, SignatureNonce).size, 0)
    })
  )

  it.effect("says what is wrong with any other, in the code that a signed operation would answer", () =>
    Effect.gen(function* () {
      const { keyid, post, request, signer } = yield* setUp
      const good = yield* signer.sign(request)
      const elsewhere = yield* signer.sign({ ...request, path: "/v1/chain-payouts" })
      const expected = [
        ["signature_missing", null, yield* post({})],
        ["signature_malformed", null, yield* post({ ...good, signature: "x" })],
        ["digest_mismatch", keyid, yield* post(good, `${probe} `)],
        ["signature_invalid", keyid, yield* post(elsewhere)],
        ["signature_invalid", keyid, yield* post(good, probe, "other.example.test")]
      ] as const
      for (const [code, named, { body, status }] of expected) {
        assert.deepStrictEqual([status, body.verified, body.code, body.keyid], [200, false, code, named])
        assert.isAbove(body.message.length, 0)
        assert.match(body.content_digest, /^sha-256=:.{44}:$/u)
        assert.strictEqual(body.signature_base !== null, named !== null)
      }
    })
  )

  it.effect("is answered under each authority of the service", () =>
    Effect.gen(function* () {
      const { post, request, signer } = yield* setUp
      for (const host of ["other.example.test", "api.example.test"]) {
        const { body } = yield* post(yield* signer.sign({ ...request, authority: host }), probe, host)
        assert.isTrue(body.verified, host)
      }
    })
  )

  it.effect("needs an API key and a JSON object", () =>
    Effect.gen(function* () {
      const { post, request, send, signer } = yield* setUp
      assert.strictEqual((yield* send("POST", path, { raw: probe })).status, 401)
      const headers = yield* signer.sign(request)
      assert.strictEqual((yield* post(headers, "[]")).body.error.code, "invalid_request")
      assert.strictEqual((yield* post(headers, "{")).body.error.code, "malformed_request")
    })
  )
})
