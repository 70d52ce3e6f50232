import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { passkeyChallenge, type PasskeyApproval, verifyApproval } from "@bursar/core/grant/Approval"
import type { Passkey } from "@bursar/core/grant/ApproverSet"
import { passkeyVerifier } from "@bursar/vault/passkeys"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const relyingParty = { rp_id: "bursar.example", origins: ["https://bursar.example"] }
const hash = "ab".repeat(32)

/** A passkey as an authenticator would make it, with what it answers. */
const authenticator = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  // COSE (RFC 9052): a map of kty 2, alg -7, crv 1 and the two coordinates
  const cose = Buffer.concat([
    Buffer.from("a5010203262001215820", "hex"),
    Buffer.from(x, "base64url"),
    Buffer.from("225820", "hex"),
    Buffer.from(y, "base64url")
  ])
  const passkey: Passkey = {
    type: "passkey",
    credential_id: Buffer.from("0123456789abcdef").toString("base64url"),
    public_key: cose.toString("base64url")
  }
  const assertion = (
    given: {
      readonly challenge?: string
      readonly origin?: string
      readonly rpId?: string
      readonly flags?: number
      readonly type?: string
    } = {}
  ): PasskeyApproval => {
    const { challenge = passkeyChallenge(hash), flags = 0x05, origin = "https://bursar.example" } = given
    const { rpId = "bursar.example", type = "webauthn.get" } = given
    const clientData = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
    const data = Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.from([flags, 0, 0, 0, 0])])
    const signed = Buffer.concat([data, createHash("sha256").update(clientData).digest()])
    return {
      type: "passkey",
      key: passkey.credential_id,
      authenticator_data: data.toString("base64url"),
      client_data: clientData.toString("base64url"),
      signature: sign("sha256", signed, privateKey).toString("base64url")
    }
  }
  return { passkey, assertion }
}

const verifier = passkeyVerifier(relyingParty)
const verify = (passkey: Passkey, approval: PasskeyApproval, using = verifier) =>
  verifyApproval(using, passkey, { approval, hash })

describe("an approval by a passkey", () => {
  it.effect("counts for the grant whose hash it was asked for", () =>
    Effect.gen(function* () {
      const { assertion, passkey } = authenticator()
      assert.isTrue(yield* verify(passkey, assertion()))
    })
  )

  const { assertion, passkey } = authenticator()
  const refused: ReadonlyArray<readonly [string, PasskeyApproval]> = [
    ["for another grant", assertion({ challenge: passkeyChallenge("cd".repeat(32)) })],
    ["on another page", assertion({ origin: "https://bursar.example.evil" })],
    ["for another relying party", assertion({ rpId: "evil.example" })],
    ["without the person verified", assertion({ flags: 0x01 })],
    ["without the person present", assertion({ flags: 0x04 })],
    ["that made a passkey", assertion({ type: "webauthn.create" })],
    ["by another passkey", { ...authenticator().assertion(), key: passkey.credential_id }],
    ["with another's data", { ...assertion(), authenticator_data: assertion({ flags: 0x1d }).authenticator_data }],
    ["that is no assertion", { ...assertion(), client_data: "AAAA" }]
  ]
  for (const [name, approval] of refused)
    it.effect(`does not count ${name}`, () =>
      Effect.gen(function* () {
        assert.isFalse(yield* verify(passkey, approval))
      })
    )

  it.effect("does not count where no relying party is configured", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* verify(passkey, assertion(), passkeyVerifier(undefined)))
    })
  )
})
