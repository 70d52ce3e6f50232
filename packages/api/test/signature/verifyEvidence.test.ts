import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { generateSigningKey } from "../../src/signature/Ed25519.ts"
import { readSignatureBase, verifyEvidence } from "../../src/signature/verifyEvidence.ts"
import { body, makePair, received, toSign } from "./support.ts"

const makeEvidence = Effect.gen(function* () {
  const { publicJwk, signer, verify } = yield* makePair
  const { outcome } = yield* verify(received({ ...(yield* signer.sign(toSign)) }))
  const { keyid, signature, signatureBase } = Result.getOrThrow(outcome)
  return { publicJwk, evidence: { keyid, signature, signatureBase, body: Base64.encode(body) } }
})

it.effect("a stored signature proves again what its signer asked for", () =>
  Effect.gen(function* () {
    const { evidence, publicJwk } = yield* makeEvidence
    const proven = yield* verifyEvidence(evidence, publicJwk)
    assert.deepStrictEqual(proven?.body, body)
    assert.strictEqual(proven?.components["@path"], toSign.path)
    assert.strictEqual(proven?.components["@method"], "POST")
    assert.strictEqual(proven?.components["idempotency-key"], toSign.idempotencyKey)
  })
)

it.effect("a stored signature proves nothing with another body, key, base or signature", () =>
  Effect.gen(function* () {
    const { evidence, publicJwk } = yield* makeEvidence
    const other = yield* makeEvidence
    const { publicJwk: stranger } = yield* generateSigningKey
    assert.isUndefined(yield* verifyEvidence(evidence, stranger))
    const lines = evidence.signatureBase.split("\n")
    for (const changed of [
      { body: Base64.encode(body.subarray(1)) },
      { body: "no base64" },
      { keyid: other.evidence.keyid },
      { signature: other.evidence.signature },
      { signature: "" },
      { signatureBase: evidence.signatureBase.replace("/v1/chain-payouts", "/v1/deposit-keys") },
      { signatureBase: "" },
      { signatureBase: lines.slice(1).join("\n") },
      { signatureBase: [...lines.slice(0, 1), ...lines].join("\n") },
      { signatureBase: `${evidence.signatureBase}\n` }
    ]) {
      assert.isUndefined(yield* verifyEvidence({ ...evidence, ...changed }, publicJwk), JSON.stringify(changed))
    }
  })
)

it.effect("a signature base is read once by whoever reads it several times, and each by what it says", () =>
  Effect.gen(function* () {
    const { evidence } = yield* makeEvidence
    const { signatureBase } = evidence
    const read = readSignatureBase(signatureBase)
    assert.isDefined(read)
    assert.strictEqual(readSignatureBase(signatureBase), read)
    for (let at = 0; at < 1_000; at++) {
      const other = signatureBase.replace(toSign.idempotencyKey, `key ${at}`)
      assert.strictEqual(readSignatureBase(other)?.components["idempotency-key"], `key ${at}`)
    }
    assert.deepStrictEqual(readSignatureBase(signatureBase), read)
  })
)

it.effect("a signature base that is very long is read, and not remembered", () =>
  Effect.gen(function* () {
    const { evidence } = yield* makeEvidence
    const long = evidence.signatureBase.replace(toSign.idempotencyKey, "k".repeat(10_000))
    assert.deepStrictEqual(readSignatureBase(long)?.components["idempotency-key"], "k".repeat(10_000))
    assert.notStrictEqual(readSignatureBase(long), readSignatureBase(long))
  })
)
