import { Effect, Result, Schema } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { sha256 } from "./sha256.ts"
import { isOfSmallOrder } from "./smallOrder.ts"

/** A key is not the Ed25519 key that it should be. */
export class KeyUnreadable extends Schema.TaggedError<KeyUnreadable>()("KeyUnreadable", {
  message: Schema.String
}) {}

const seed = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{43}$/u, { expected: "32 bytes as base64url without padding" })
)

/** The members of every JWK that say nothing of the key itself; taken and left aside. */
const aside = {
  kid: Schema.optionalKey(Schema.String),
  alg: Schema.optionalKey(Schema.String),
  use: Schema.optionalKey(Schema.String),
  key_ops: Schema.optionalKey(Schema.Array(Schema.String)),
  ext: Schema.optionalKey(Schema.Boolean)
}

const okp = { kty: Schema.Literals(["OKP"]), crv: Schema.Literals(["Ed25519"]), x: seed, ...aside }

/** An Ed25519 public key as a JWK (RFC 8037). */
export const PublicJwk = Schema.Struct(okp).annotate({
  identifier: "Ed25519PublicJwk",
  examples: [{ kty: "OKP", crv: "Ed25519", x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs" }]
})
/** An Ed25519 public key as a JWK. */
export type PublicJwk = typeof PublicJwk.Type

/** An Ed25519 private key as a JWK: `d` is the secret. */
export const PrivateJwk = Schema.Struct({ ...okp, d: seed })
/** An Ed25519 private key as a JWK. */
export type PrivateJwk = typeof PrivateJwk.Type

const unreadable = (message: string) => () => new KeyUnreadable({ message })

/** The bytes of base64url that is written in its one canonical form. */
const bytesOf = (text: string): Effect.Effect<Uint8Array<ArrayBuffer>, KeyUnreadable> =>
  Result.match(Base64Url.decode(text), {
    onFailure: () => Effect.fail(unreadable("The key is not base64url.")()),
    onSuccess: (bytes) =>
      Base64Url.encode(bytes) === text
        ? Effect.succeed(new Uint8Array(bytes))
        : Effect.fail(unreadable("The key is not base64url in its canonical form.")())
  })

/** The name of a public key: the RFC 7638 thumbprint of its JWK, base64url. It is the `keyid` of its signatures. */
export const thumbprint = ({ x }: Pick<PublicJwk, "x">, hash = sha256): Effect.Effect<string> =>
  // The members in the order of their names, without white space, as the RFC wants them.
  Effect.map(hash(new TextEncoder().encode(JSON.stringify({ crv: "Ed25519", kty: "OKP", x }))), Base64Url.encode)

/** The verifying key of a JWK. Fails for one by which anybody's signatures verify, too. */
export const importPublicKey = ({ x }: Pick<PublicJwk, "x">): Effect.Effect<CryptoKey, KeyUnreadable> =>
  Effect.flatMap(bytesOf(x), (bytes) =>
    isOfSmallOrder(bytes)
      ? Effect.fail(unreadable("The key is of small order: anybody can sign by it.")())
      : Effect.tryPromise({
          try: () => crypto.subtle.importKey("raw", bytes, "Ed25519", true, ["verify"]),
          catch: unreadable("The key is not an Ed25519 public key.")
        })
  )

/** The signing key of a JWK; it cannot be read back. Fails where `d` and `x` are not of one pair, too. */
export const importPrivateKey = ({ d, x }: PrivateJwk): Effect.Effect<CryptoKey, KeyUnreadable> =>
  Effect.gen(function* () {
    const key = yield* Effect.tryPromise({
      try: () => crypto.subtle.importKey("jwk", { kty: "OKP", crv: "Ed25519", d, x }, "Ed25519", false, ["sign"]),
      catch: unreadable("The key is not an Ed25519 private key.")
    })
    // Not every runtime compares the two halves, and a wrong half would only show as signatures that never verify.
    const text = new Uint8Array(32)
    const fits = yield* verifyEd25519(yield* importPublicKey({ x }), yield* signEd25519(key, text), text)
    return fits
      ? key
      : yield* new KeyUnreadable({ message: "The public half of the key is not that of its private half." })
  })

/** Signs bytes: 64 bytes. */
export const signEd25519 = (key: CryptoKey, text: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.sign("Ed25519", key, new Uint8Array(text))),
    (signature) => new Uint8Array(signature)
  )

/** Whether a signature is that of the key over these bytes. */
export const verifyEd25519 = (key: CryptoKey, signature: Uint8Array, text: Uint8Array): Effect.Effect<boolean> =>
  Effect.promise(() => crypto.subtle.verify("Ed25519", key, new Uint8Array(signature), new Uint8Array(text)))

/** Makes a new pair: the private JWK is to be kept by whoever signs, the public one to be given to the operators. */
export const generateSigningKey: Effect.Effect<{
  readonly keyid: string
  readonly privateJwk: PrivateJwk
  readonly publicJwk: PublicJwk
}> = Effect.gen(function* () {
  const { d = "", x = "" } = yield* Effect.promise(async () => {
    const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])
    return crypto.subtle.exportKey("jwk", pair.privateKey)
  })
  const publicJwk: PublicJwk = { kty: "OKP", crv: "Ed25519", x }
  return { keyid: yield* thumbprint(publicJwk), privateJwk: { ...publicJwk, d }, publicJwk }
})
