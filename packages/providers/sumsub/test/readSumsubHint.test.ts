import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { readSumsubHint } from "../src/readSumsubHint.ts"
import { webhookOf, webhookSecret } from "./support/FakeSumsub.ts"

const readHint = readSumsubHint(Redacted.make(webhookSecret))
const payload = { applicantId: "65f0c0ffee", type: "applicantReviewed", reviewResult: { reviewAnswer: "GREEN" } }

describe("readSumsubHint", () => {
  it.effect("takes a digest made with SHA-256 or SHA-512", () =>
    Effect.gen(function* () {
      for (const algorithm of ["HMAC_SHA256_HEX", "HMAC_SHA512_HEX"]) {
        const hint = yield* readHint(webhookOf(payload, algorithm))
        assert.deepStrictEqual(hint, { _tag: "Hint", what: "applicant", about: "65f0c0ffee" })
      }
    })
  )

  it.effect("refuses SHA-1, another secret, a missing header and a header that is no digest", () =>
    Effect.gen(function* () {
      const genuine = webhookOf(payload)
      const { "x-payload-digest-alg": _, ...withoutAlgorithm } = genuine.headers
      const { "x-payload-digest": __, ...withoutDigest } = genuine.headers
      const wrong = [
        webhookOf(payload, "HMAC_SHA1_HEX"),
        webhookOf(payload, "HMAC_SHA256_HEX", "another secret"),
        { ...genuine, headers: withoutAlgorithm },
        { ...genuine, headers: withoutDigest },
        { ...genuine, headers: { ...genuine.headers, "x-payload-digest": "none" } },
        { ...genuine, headers: { ...genuine.headers, "x-payload-digest": "" } },
        { ...genuine, headers: { ...genuine.headers, "x-payload-digest-alg": "HMAC_SHA512_HEX" } },
        { ...genuine, headers: { ...genuine.headers, "x-payload-digest-alg": "constructor" } }
      ]
      for (const request of wrong) assert.strictEqual((yield* readHint(request))._tag, "Untrusted")
    })
  )

  it.effect("is about nothing in particular where it names no applicant", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readHint(webhookOf({ type: "ping" })), { _tag: "Hint", what: "other", about: "" })
    })
  )
})
