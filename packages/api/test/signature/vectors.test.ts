import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { contentDigestOf, readContentDigest } from "../../src/signature/contentDigest.ts"
import {
  generateSigningKey,
  importPrivateKey,
  importPublicKey,
  type PrivateJwk,
  signEd25519,
  thumbprint,
  verifyEd25519
} from "../../src/signature/Ed25519.ts"
import { signatureBase } from "../../src/signature/signatureBase.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** RFC 9421, appendix B.1.4. */
const testKey: PrivateJwk = {
  kty: "OKP",
  crv: "Ed25519",
  kid: "test-key-ed25519",
  d: "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU",
  x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"
}

const b26 = {
  components: [
    ["date", "Tue, 20 Apr 2021 02:07:55 GMT"],
    ["@method", "POST"],
    ["@path", "/foo"],
    ["@authority", "example.com"],
    ["content-type", "application/json"],
    ["content-length", "18"]
  ] as const,
  params:
    '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
  base: `"date": Tue, 20 Apr 2021 02:07:55 GMT
"@method": POST
"@path": /foo
"@authority": example.com
"content-type": application/json
"content-length": 18
"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`,
  signature: "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="
}

it.effect("RFC 9421 B.2.6: the signature base and the Ed25519 signature are those of the RFC", () =>
  Effect.gen(function* () {
    const base = signatureBase(b26.components, b26.params)
    assert.strictEqual(base, b26.base)
    const signature = yield* signEd25519(yield* importPrivateKey(testKey), bytes(base))
    assert.strictEqual(Base64.encode(signature), b26.signature)
    const key = yield* importPublicKey(testKey)
    assert.isTrue(yield* verifyEd25519(key, signature, bytes(base)))
    assert.isFalse(yield* verifyEd25519(key, signature, bytes(`${base} `)))
  })
)

it.effect("RFC 9530 B.1: the digest of a body is that of the RFC", () =>
  Effect.gen(function* () {
    const digest = yield* contentDigestOf(bytes('{"hello": "world"}\n'))
    assert.strictEqual(digest, "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:")
    assert.deepStrictEqual(readContentDigest(digest), Result.succeed("RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="))
    // RFC 9421 has the same text without its line feed
    assert.strictEqual(
      yield* contentDigestOf(bytes('{"hello": "world"}')),
      "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
    )
  })
)

it("a digest of another algorithm, of another length, or beside another is not read", () => {
  for (const header of [
    "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
    "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabA==:",
    "sha-256=RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=",
    "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:, sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
    "SHA-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
  ]) {
    const read = readContentDigest(header)
    assert.strictEqual(Result.isFailure(read) && read.failure.code, "signature_malformed", header)
  }
})

it.effect("RFC 8037 A.3: the thumbprint of a key is that of the RFC", () =>
  Effect.gen(function* () {
    assert.strictEqual(
      yield* thumbprint({ x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }),
      "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    )
  })
)

it.effect("node:crypto verifies what we sign, and we what it signs", () =>
  Effect.gen(function* () {
    const { privateJwk, publicJwk } = yield* generateSigningKey
    const text = bytes("a text")
    const ours = yield* signEd25519(yield* importPrivateKey(privateJwk), text)
    const nodePublic = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicJwk.x }, format: "jwk" })
    assert.isTrue(verify(null, text, nodePublic, ours))
    const theirs = sign(
      null,
      text,
      createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", x: privateJwk.x, d: privateJwk.d }, format: "jwk" })
    )
    assert.isTrue(yield* verifyEd25519(yield* importPublicKey(publicJwk), theirs, text))
  })
)

it.effect("a key that is none is not imported", () =>
  Effect.gen(function* () {
    const { privateJwk } = yield* generateSigningKey
    const other = yield* generateSigningKey
    const unreadable = Effect.map(
      Effect.flip(importPrivateKey({ ...privateJwk, x: other.publicJwk.x })),
      ({ _tag }) => _tag
    )
    assert.strictEqual(yield* unreadable, "KeyUnreadable")
    for (const x of ["", "AAAA", "!".repeat(43), `${"A".repeat(42)}B`]) {
      assert.strictEqual((yield* Effect.flip(importPublicKey({ x })))._tag, "KeyUnreadable", x)
    }
  })
)
