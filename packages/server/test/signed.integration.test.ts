import { stored } from "./support/stored.ts"
import { Operation } from "@bursar/core/operation/Operation"
import { SignatureNonce } from "@bursar/core/signature/SignatureNonce"
import type { SignatureHeaders } from "@bursar/api/signature/signatureHeaders"
import type { RequestToSign } from "@bursar/api/signature/signRequest"
import { verifyEvidence } from "@bursar/api/signature/verifyEvidence"
import { evidenceOf } from "@bursar/core/signature/SignatureEvidence"
import { addSigningKey, revokeSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type ClientRequest, request as nodeRequest } from "node:http"
import type { Answer } from "./support/Partner.ts"
import { SignedService } from "./support/SignedService.ts"
import { authority, idOfKey, registerPair, requestOf, signWithNonce, withClockOff } from "./support/signing.ts"
import { written } from "./support/written.ts"

const codeOf = ({ body, status }: Answer) => [status, body.error?.code]

const nonce = "AAECAwQFBgcICQoLDA0ODw"

const booking = JSON.stringify({ units: "7" })

layer(SignedService.layer(), { excludeTestServices: true })("a signed operation", (it) => {
  const setUp = Effect.gen(function* () {
    const { seeder, send, state, url } = yield* SignedService
    const tenant = yield* seeder.tenant()
    const key = yield* seeder.key(tenant)
    const pair = yield* registerPair(seeder, tenant, key)
    /** Sends a request with these signature headers; `changes` are made after it was signed. */
    const post = (
      request: RequestToSign,
      signature: Partial<SignatureHeaders>,
      changes: {
        readonly path?: string
        readonly raw?: string
        readonly key?: string
        headers?: Record<string, string>
      } = {}
    ) =>
      send(request.method, changes.path ?? request.path, {
        key: changes.key ?? key,
        raw: changes.raw ?? new TextDecoder().decode(request.body),
        headers: {
          host: request.authority,
          "content-type": request.contentType,
          "idempotency-key": request.idempotencyKey,
          ...signature,
          ...changes.headers
        }
      })
    return { seeder, send, state, tenant, url, key, post, ...pair }
  })

  it.effect("is carried out, and keeps the evidence of who asked for it", () =>
    Effect.gen(function* () {
      const { keyid, post, publicJwk, signer, state, tenant } = yield* setUp
      const request = requestOf(booking, "k")
      const { body, status } = yield* post(request, yield* signer.sign(request))
      assert.deepStrictEqual([status, body.units], [201, "7"])
      const operation = stored(state, tenant, Operation).get(body.id)
      const evidence = operation === undefined ? undefined : evidenceOf(operation)
      if (evidence === undefined) return assert.fail("no evidence is kept")
      assert.strictEqual(evidence.keyid, keyid)
      const proven = yield* verifyEvidence(evidence, publicJwk)
      assert.strictEqual(new TextDecoder().decode(proven?.body), booking)
      assert.strictEqual(proven?.components["@path"], "/v1/bookings")
      return undefined
    })
  )

  it.effect("is verified over a body of any size, however it is sent", () =>
    Effect.gen(function* () {
      const { key, send, signer } = yield* setUp
      for (const [index, chunked] of [false, true].entries()) {
        const raw = booking + " ".repeat(200_000)
        const request = requestOf(raw, `k-${index}`)
        const headers = { host: authority, "idempotency-key": `k-${index}`, ...(yield* signer.sign(request)) }
        assert.strictEqual((yield* send("POST", "/v1/bookings", { key, raw, chunked, headers })).status, 201)
      }
    })
  )

  it.effect("is carried out while others send what they have announced so slowly that it never comes", () =>
    Effect.gen(function* () {
      const { key, post, signer, url } = yield* setUp
      const slow = Effect.callback<ClientRequest>((resume) => {
        const headers = {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "content-length": 100_000
        }
        const request = nodeRequest(`${url}/v1/bookings`, { method: "POST", agent: false, headers })
        request.on("error", () => {})
        request.write("{", () => resume(Effect.succeed(request)))
      })
      const begun = Effect.acquireRelease(slow, (request) => Effect.sync(() => request.destroy()))
      yield* Effect.all(Array.from({ length: 40 }, () => begun))
      for (const n of [1, 2, 3]) {
        const request = requestOf(booking, `quick-${n}`)
        assert.strictEqual((yield* post(request, yield* signer.sign(request))).status, 201)
      }
    })
  )

  it.effect("is refused with 401, Accept-Signature and nothing written, whatever is wrong with the signature", () =>
    Effect.gen(function* () {
      const { seeder, key, post, send, signer, state, tenant } = yield* setUp
      const request = requestOf(booking, "k")
      const good = yield* signer.sign(request)
      const elsewhere = yield* seeder.tenant()
      const otherPartner = yield* registerPair(seeder, elsewhere, yield* seeder.key(elsewhere))
      const signed = (more: Partial<RequestToSign>) => signer.sign({ ...request, ...more })
      const before = written(state, tenant)
      const tries: ReadonlyArray<readonly [string, Effect.Effect<Answer>]> = [
        ["signature_missing", post(request, {})],
        ["signature_missing", post(request, { ...good, "content-digest": "" })],
        ["signature_malformed", post(request, { ...good, "signature-input": "sig1=()" })],
        ["signature_malformed", post(request, { ...good, signature: "sig1=:AAAA:" })],
        [
          "signature_malformed",
          post(request, { ...good, "signature-input": good["signature-input"].replace("bursar-v1", "bursar-v2") })
        ],
        [
          "signature_key_unknown",
          Effect.flatMap(otherPartner.signer.sign(request), (headers) => post(request, headers))
        ],
        [
          "signature_coverage_insufficient",
          post(request, { ...good, "signature-input": good["signature-input"].replace(' "content-digest"', "") })
        ],
        ["signature_coverage_insufficient", post(request, good, { path: "/v1/bookings?a=1" })],
        [
          "signature_coverage_insufficient",
          send("POST", "/v1/bookings", { key, raw: booking, headers: { host: authority, ...good } })
        ],
        [
          "signature_expired",
          Effect.flatMap(withClockOff(-361_000, signer.sign(request)), (headers) => post(request, headers))
        ],
        [
          "signature_expired",
          Effect.flatMap(withClockOff(90_000, signer.sign(request)), (headers) => post(request, headers))
        ],
        ["digest_mismatch", post(request, good, { raw: booking.replace("7", "8") })],
        ["digest_mismatch", post(request, good, { raw: `${booking} ` })],
        ["signature_invalid", post(request, good, { path: "/v1/other" })],
        ["signature_invalid", post(request, good, { headers: { "idempotency-key": "k2" } })],
        ["signature_invalid", post(request, good, { headers: { "content-type": "application/json; charset=utf-8" } })],
        ["signature_invalid", post(request, good, { headers: { host: "elsewhere.test" } })],
        [
          "signature_invalid",
          Effect.flatMap(signed({ authority: "elsewhere.test" }), (headers) =>
            post(request, headers, { headers: { host: "elsewhere.test" } })
          )
        ],
        ["signature_invalid", Effect.flatMap(signed({ path: "/v1/other" }), (headers) => post(request, headers))],
        ["signature_invalid", Effect.flatMap(signed({ method: "PUT" }), (headers) => post(request, headers))]
      ]
      for (const [code, attempt] of tries) {
        const answer = yield* attempt
        assert.deepStrictEqual(codeOf(answer), [401, code], JSON.stringify(answer.body))
        assert.match(String(answer.headers["accept-signature"]), /^sig1=\("@method" .*;tag="bursar-v1"$/u)
        assert.strictEqual(answer.headers["www-authenticate"], "Bearer")
      }
      assert.deepStrictEqual(written(state, tenant), before)
      assert.strictEqual(stored(state, tenant, SignatureNonce).size, 0)
      assert.strictEqual((yield* post(request, good)).status, 201)
    })
  )

  it.effect("comes after key, scope and rate, and before the body is looked at", () =>
    Effect.gen(function* () {
      const { post, signer } = yield* setUp
      const request = requestOf("no JSON", "k")
      const good = yield* signer.sign(request)
      assert.deepStrictEqual(codeOf(yield* post(request, {}, { key: "nonsense" })), [401, "key_invalid"])
      assert.deepStrictEqual(codeOf(yield* post(request, {})), [401, "signature_missing"])
      const answer = yield* post(request, good)
      assert.deepStrictEqual(codeOf(answer), [400, "malformed_request"])
      assert.isDefined(answer.headers["ratelimit"])
    })
  )

  it.effect("sent again as it was is a retry and gets the first answer", () =>
    Effect.gen(function* () {
      const { post, signer, state, tenant } = yield* setUp
      const request = requestOf(booking, "k")
      const good = yield* signer.sign(request)
      const [first, ...others] = yield* Effect.all(
        Array.from({ length: 8 }, () => post(request, good)),
        { concurrency: "unbounded" }
      )
      const anew = yield* post(request, yield* signer.sign(request))
      for (const answer of [...others, anew]) {
        assert.deepStrictEqual([answer.status, answer.text], [201, first?.text])
      }
      assert.strictEqual(anew.headers["idempotency-replayed"], "true")
      assert.strictEqual(stored(state, tenant, Operation).size, 1)
    })
  )

  it.effect("whose nonce was used for another request is signature_replayed, and its key stays good", () =>
    Effect.gen(function* () {
      const { post, privateJwk, state, tenant } = yield* setUp
      const sign = (request: RequestToSign, with_ = nonce) =>
        Effect.flatMap(signWithNonce(privateJwk, with_, request), (headers) => post(request, headers))
      assert.strictEqual((yield* sign(requestOf(booking, "k"))).status, 201)
      const before = written(state, tenant)
      const replays = [
        requestOf(booking, "k2"),
        requestOf(JSON.stringify({ units: "8" }), "k"),
        requestOf(JSON.stringify({ units: "8" }), "k3")
      ]
      for (const request of replays) {
        const answer = yield* sign(request)
        assert.deepStrictEqual(codeOf(answer), [401, "signature_replayed"])
        assert.isDefined(answer.headers["accept-signature"])
        assert.isUndefined(answer.headers["idempotency-replayed"])
      }
      assert.deepStrictEqual(written(state, tenant), before)
      assert.strictEqual((yield* sign(requestOf(booking, "k2"), "another-nonce-of-22-ch")).status, 201)
    })
  )

  it.effect("under a key that was used for another request is idempotency_key_reused, however well signed", () =>
    Effect.gen(function* () {
      const { post, signer } = yield* setUp
      const request = requestOf(booking, "k")
      assert.strictEqual((yield* post(request, yield* signer.sign(request))).status, 201)
      for (const other of [
        requestOf(JSON.stringify({ units: "8" }), "k"),
        requestOf(booking, "k", { path: "/v1/other" })
      ]) {
        assert.deepStrictEqual(codeOf(yield* post(other, yield* signer.sign(other))), [422, "idempotency_key_reused"])
      }
    })
  )

  it.effect("that a rule refuses is refused again in the same words", () =>
    Effect.gen(function* () {
      const { post, signer } = yield* setUp
      const request = requestOf(JSON.stringify({ units: "-7" }), "k")
      const good = yield* signer.sign(request)
      const [first, again] = [yield* post(request, good), yield* post(request, good)]
      assert.deepStrictEqual(codeOf(first), [422, "insufficient_balance"])
      assert.deepStrictEqual(codeOf(again), [422, "insufficient_balance"])
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
    })
  )

  it.effect("may be signed with either of two keys while a partner rotates, and with the old one no more", () =>
    Effect.gen(function* () {
      const { seeder, key, keyid, post, signer, tenant } = yield* setUp
      const next = yield* registerPair(seeder, tenant, key)
      for (const [index, one] of [signer, next.signer].entries()) {
        const request = requestOf(booking, `k-${index}`)
        assert.strictEqual((yield* post(request, yield* one.sign(request))).status, 201)
      }
      yield* seeder.submit(tenant, revokeSigningKey(keyid, null))
      const request = requestOf(booking, "k-2")
      assert.deepStrictEqual(codeOf(yield* post(request, yield* signer.sign(request))), [401, "signature_key_unknown"])
      assert.strictEqual((yield* post(request, yield* next.signer.sign(request))).status, 201)
    })
  )

  it.effect("is signed with a key of its own API key: not with that of another, were it the same tenant's", () =>
    Effect.gen(function* () {
      const { seeder, key, keyid, post, publicJwk, signer, tenant } = yield* setUp
      const request = requestOf(booking, "k")
      const [sibling, externalWallets] = [yield* seeder.key(tenant), yield* seeder.key(yield* seeder.tenant())]
      for (const other of [sibling, externalWallets]) {
        const answer = yield* post(request, yield* signer.sign(request), { key: other })
        assert.deepStrictEqual(codeOf(answer), [401, "signature_key_unknown"])
      }
      // one pair may be bound to several API keys, each on its own
      yield* seeder.submit(tenant, addSigningKey({ keyid, apiKeyId: idOfKey(sibling), publicKey: publicJwk.x }))
      assert.strictEqual((yield* post(request, yield* signer.sign(request), { key: sibling })).status, 201)
      yield* seeder.submit(tenant, revokeSigningKey(keyid, idOfKey(key)))
      const late = yield* post(request, yield* signer.sign(request))
      assert.deepStrictEqual(codeOf(late), [401, "signature_key_unknown"])
      assert.strictEqual((yield* post(request, yield* signer.sign(request), { key: sibling })).status, 201)
    })
  )
})

layer(SignedService.layer({ publicAuthorities: [] }), { excludeTestServices: true })(
  "where no authority is set",
  (it) => {
    it.effect("only requests to this machine itself may be signed", () =>
      Effect.gen(function* () {
        const { seeder, send } = yield* SignedService
        const tenant = yield* seeder.tenant()
        const key = yield* seeder.key(tenant)
        const { signer } = yield* registerPair(seeder, tenant, key)
        const expected = [
          ["localhost", 201],
          ["localhost:8080", 201],
          ["127.0.0.1:8080", 201],
          ["[::1]:8080", 201],
          ["api.example.test", 401],
          ["localhost.example.test", 401],
          ["127.0.0.1.example.test", 401]
        ] as const
        for (const [index, [host, status]] of expected.entries()) {
          const request = requestOf(booking, `k-${index}`, { authority: host })
          const headers = { host, "idempotency-key": `k-${index}`, ...(yield* signer.sign(request)) }
          const answer = yield* send("POST", "/v1/bookings", { key, raw: booking, headers })
          assert.strictEqual(answer.status, status, host)
        }
      })
    )
  }
)
