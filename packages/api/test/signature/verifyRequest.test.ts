import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Base64 from "effect/encoding/Base64"
import { contentDigestOf } from "../../src/signature/contentDigest.ts"
import { generateSigningKey, importPrivateKey, signEd25519 } from "../../src/signature/Ed25519.ts"
import { signatureBase } from "../../src/signature/signatureBase.ts"
import type { SignatureHeaders } from "../../src/signature/signatureHeaders.ts"
import { readSignatureBase } from "../../src/signature/verifyEvidence.ts"
import type { Examination } from "../../src/signature/verifyRequest.ts"
import { makeSigner } from "../../src/signature/signRequest.ts"
import { body, makePair, received, toSign } from "./support.ts"

const codeOf = ({ outcome }: Examination) => (Result.isFailure(outcome) ? outcome.failure.code : "verified")

const nonce = "AAECAwQFBgcICQoLDA0ODw"

/** Signs as an honest key holder would who takes liberties with the profile. */
const signFreely = Effect.fnUntraced(function* (
  privateJwk: Effect.Success<typeof generateSigningKey>["privateJwk"],
  params: string,
  values: ReadonlyArray<readonly [string, string]>
) {
  const key = yield* importPrivateKey(privateJwk)
  const signature = yield* signEd25519(key, new TextEncoder().encode(signatureBase(values, params)))
  const headers: SignatureHeaders = {
    "content-digest": yield* contentDigestOf(body),
    "signature-input": `sig1=${params}`,
    signature: `sig1=:${Base64.encode(signature)}:`
  }
  return headers
})

const values = Effect.map(contentDigestOf(body), (digest): ReadonlyArray<readonly [string, string]> => [
  ["@method", "POST"],
  ["@authority", toSign.authority],
  ["@path", toSign.path],
  ["idempotency-key", toSign.idempotencyKey],
  ["content-type", toSign.contentType],
  ["content-digest", digest]
])

const list = (all: ReadonlyArray<readonly [string, string]>) => `(${all.map(([name]) => `"${name}"`).join(" ")})`

describe("a signature of the profile", () => {
  it.effect("is taken as it was made", () =>
    Effect.gen(function* () {
      const { keyid, signer, verify } = yield* makePair
      const headers = yield* signer.sign(toSign)
      const { contentDigest, outcome, signatureBase: base, ...told } = yield* verify(received({ ...headers }))
      const verified = Result.getOrThrow(outcome)
      assert.strictEqual(told.keyid, keyid)
      assert.strictEqual(contentDigest, headers["content-digest"])
      assert.strictEqual(verified.signatureBase, base)
      assert.strictEqual(verified.keyid, keyid)
      assert.deepStrictEqual(verified.components, readSignatureBase(verified.signatureBase)?.components)
      assert.strictEqual(`sig1=:${verified.signature}:`, headers.signature)
      assert.strictEqual(`sha-256=:${verified.contentDigest}:`, contentDigest)
      assert.deepStrictEqual([verified.created, verified.expires], [0, 300])
      assert.match(verified.nonce, /^[A-Za-z0-9_-]{24}$/u)
    })
  )

  it.effect("never has the nonce of another", () =>
    Effect.gen(function* () {
      const { signer } = yield* makePair
      const made = yield* Effect.all(Array.from({ length: 50 }, () => signer.sign(toSign)))
      assert.strictEqual(new Set(made.map((headers) => headers["signature-input"])).size, 50)
    })
  )

  it.effect("may cover the components in any order, under any label, with alg", () =>
    Effect.gen(function* () {
      const { keyid, privateJwk, verify } = yield* makePair
      const reversed = (yield* values).toReversed()
      const params = `${list(reversed)};tag="bursar-v1";alg="ed25519";nonce="${nonce}";keyid="${keyid}";expires=60;created=0`
      const headers = yield* signFreely(privateJwk, params, reversed)
      const relabelled = {
        ...headers,
        "signature-input": headers["signature-input"].replace("sig1", "mine"),
        signature: headers.signature.replace("sig1", "mine")
      }
      for (const given of [{ ...headers }, relabelled]) {
        const { outcome } = yield* verify(received(given))
        const { components, signatureBase: base } = Result.getOrThrow(outcome)
        assert.deepStrictEqual(components, readSignatureBase(base)?.components)
      }
    })
  )

  it.effect("takes the host in any case, with or without the port of https, and the method in any case", () =>
    Effect.gen(function* () {
      const { signer, verify } = yield* makePair
      const headers = yield* signer.sign({ ...toSign, method: "post", authority: "API.example.test:443" })
      for (const host of ["api.example.test", "API.EXAMPLE.TEST", "api.example.test:443"]) {
        assert.strictEqual(codeOf(yield* verify(received({ ...headers, host }))), "verified", host)
      }
    })
  )
})

describe("what is refused", () => {
  it.effect("signature_missing: a header that is absent or empty", () =>
    Effect.gen(function* () {
      const { signer, verify } = yield* makePair
      const headers = yield* signer.sign(toSign)
      for (const name of ["signature-input", "signature", "content-digest"]) {
        for (const value of [undefined, "", " "]) {
          const examined = yield* verify(received({ ...headers, [name]: value }))
          assert.strictEqual(codeOf(examined), "signature_missing", name)
          assert.strictEqual(examined.contentDigest, headers["content-digest"])
        }
      }
    })
  )

  it.effect("signature_malformed: a signature that is not 64 bytes in base64 under the same label alone", () =>
    Effect.gen(function* () {
      const { signer, verify } = yield* makePair
      const headers = yield* signer.sign(toSign)
      const good = headers.signature
      for (const signature of [
        good.replace("sig1", "sig2"),
        `${good}, ${good.replace("sig1", "sig2")}`,
        good.slice(0, -1),
        good.replace("==:", ":"),
        good.replace("sig1=:", "sig1=:AAAA"),
        // the last character carries four bits that must be zero
        good.replace(/.==:$/u, "B==:"),
        `${good};a=1`,
        "sig1",
        `sig1="${"A".repeat(86)}=="`
      ]) {
        assert.strictEqual(codeOf(yield* verify(received({ ...headers, signature }))), "signature_malformed", signature)
      }
    })
  )

  it.effect("signature_malformed: a digest of another form", () =>
    Effect.gen(function* () {
      const { signer, verify } = yield* makePair
      const headers = yield* signer.sign(toSign)
      const examined = yield* verify(received({ ...headers, "content-digest": "md5=:AAAA:" }))
      assert.strictEqual(codeOf(examined), "signature_malformed")
    })
  )

  it.effect("signature_key_unknown: a key that is not known, told before coverage and times", () =>
    Effect.gen(function* () {
      const { verify } = yield* makePair
      const { privateJwk } = yield* generateSigningKey
      const stranger = yield* makeSigner(privateJwk)
      const headers = yield* stranger.sign(toSign)
      assert.strictEqual(codeOf(yield* verify(received({ ...headers }))), "signature_key_unknown")
      const late = yield* verify(received({ ...headers }, { target: "/v1/other?x=1" }), 1e12)
      assert.strictEqual(codeOf(late), "signature_key_unknown")
    })
  )

  it.effect("signature_coverage_insufficient: less than the profile, more than it, or something twice", () =>
    Effect.gen(function* () {
      const { keyid, privateJwk, verify } = yield* makePair
      const all = yield* values
      const rest = `;created=0;expires=60;keyid="${keyid}";nonce="${nonce}";tag="bursar-v1"`
      const extra = [...all, ["x-request-id", "r"]] as const
      const twice = [...all, ["@path", toSign.path]] as const
      const tries = [[], ...all.map((_, left) => all.filter((_, index) => index !== left)), extra, twice]
      for (const covered of tries) {
        const headers = yield* signFreely(privateJwk, list(covered) + rest, covered)
        const examined = yield* verify(received({ ...headers, "x-request-id": "r" }))
        assert.strictEqual(codeOf(examined), "signature_coverage_insufficient", list(covered))
      }
    })
  )

  it.effect("signature_coverage_insufficient: a component with a parameter of its own", () =>
    Effect.gen(function* () {
      const { keyid, privateJwk, verify } = yield* makePair
      const all = yield* values
      const params = `${list(all).replace(`"@path"`, `"@path";req`)};created=0;expires=60;keyid="${keyid}";nonce="${nonce}";tag="bursar-v1"`
      const headers = yield* signFreely(privateJwk, params, all)
      assert.strictEqual(codeOf(yield* verify(received({ ...headers }))), "signature_coverage_insufficient")
    })
  )

  it.effect("signature_coverage_insufficient: a query, or a covered header that is not there", () =>
    Effect.gen(function* () {
      const { signer, verify } = yield* makePair
      const headers = yield* signer.sign(toSign)
      for (const target of [`${toSign.path}?a=1`, `${toSign.path}?`]) {
        const examined = yield* verify(received({ ...headers }, { target }))
        assert.strictEqual(codeOf(examined), "signature_coverage_insufficient", target)
      }
      for (const name of ["idempotency-key", "content-type", "host"]) {
        const examined = yield* verify(received({ ...headers, [name]: undefined }))
        assert.strictEqual(codeOf(examined), "signature_coverage_insufficient", name)
      }
    })
  )

  it.effect("signature_expired: from 60 seconds after its end, or as early before its beginning", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000_000)
      const { signer, verify } = yield* makePair
      const headers = yield* signer.sign(toSign)
      const at = (seconds: number) =>
        Effect.map(verify(received({ ...headers }), 1_000_000_000 + seconds * 1000), codeOf)
      assert.strictEqual(yield* at(-60), "verified")
      assert.strictEqual(yield* at(-60.001), "signature_expired")
      assert.strictEqual(yield* at(360), "verified")
      assert.strictEqual(yield* at(360.001), "signature_expired")
    })
  )

  it.effect("signature_expired: a life of more than 300 seconds, or of none", () =>
    Effect.gen(function* () {
      const { keyid, privateJwk, verify } = yield* makePair
      const all = yield* values
      for (const [expires, expected] of [
        [300, "verified"],
        [301, "signature_expired"],
        [0, "signature_expired"]
      ] as const) {
        const params = `${list(all)};created=0;expires=${expires};keyid="${keyid}";nonce="${nonce}";tag="bursar-v1"`
        const headers = yield* signFreely(privateJwk, params, all)
        assert.strictEqual(codeOf(yield* verify(received({ ...headers }))), expected)
      }
    })
  )

  it.effect("digest_mismatch: another body, were it but a space", () =>
    Effect.gen(function* () {
      const { signer, verify } = yield* makePair
      const headers = yield* signer.sign(toSign)
      const spaced = new Uint8Array([...body, 0x20])
      const examined = yield* verify(received({ ...headers }, { body: spaced }))
      assert.strictEqual(codeOf(examined), "digest_mismatch")
      assert.strictEqual(examined.contentDigest, yield* contentDigestOf(spaced))
    })
  )

  it.effect("signature_invalid: anything that is covered is another", () =>
    Effect.gen(function* () {
      const { privateJwk, signer, verify } = yield* makePair
      const headers = yield* signer.sign(toSign)
      const spaced = new Uint8Array([...body, 0x20])
      const anywhere = { isOurs: () => true }
      const forged = yield* makeSigner(privateJwk).pipe(Effect.flatMap((one) => one.sign({ ...toSign, path: "/v1/x" })))
      const tries = [
        received({ ...headers }, { method: "PUT" }),
        received({ ...headers }, { target: "/v1/deposit-keys" }),
        received({ ...headers }, { target: "/V1/chain-payouts" }),
        received({ ...headers, host: "other.example.test" }),
        received({ ...headers, "idempotency-key": "payout-2" }),
        received({ ...headers, "content-type": "application/json; charset=utf-8" }),
        received({ ...headers, "content-digest": yield* contentDigestOf(spaced) }, { body: spaced }),
        received({ ...headers, "signature-input": headers["signature-input"].replace("expires=300", "expires=299") }),
        received({ ...headers, signature: forged.signature })
      ]
      for (const request of tries) assert.strictEqual(codeOf(yield* verify(request, 0, anywhere)), "signature_invalid")
    })
  )

  it.effect("signature_invalid: an authority under which the service is not reached, though it was signed so", () =>
    Effect.gen(function* () {
      const { signer, verify } = yield* makePair
      const headers = yield* signer.sign({ ...toSign, authority: "elsewhere.test" })
      const examined = yield* verify(received({ ...headers, host: "elsewhere.test" }))
      assert.strictEqual(codeOf(examined), "signature_invalid")
      assert.match(examined.signatureBase ?? "", /elsewhere[.]test/u)
    })
  )
})
