import { Clock, Effect } from "effect"
import * as Base64 from "effect/encoding/Base64"
import * as Base64Url from "effect/encoding/Base64Url"
import { contentDigestOf } from "./contentDigest.ts"
import { importPrivateKey, type KeyUnreadable, type PrivateJwk, signEd25519, thumbprint } from "./Ed25519.ts"
import { canonicalAuthority, signatureBase } from "./signatureBase.ts"
import type { SignatureHeaders } from "./signatureHeaders.ts"
import { signatureLabel, signatureLifetimeSecondsMax, signatureTag } from "./SignatureProfile.ts"

/** A request that is about to be sent. */
export interface RequestToSign {
  readonly method: string
  /** Where it is sent: host, and port unless it is the default one. */
  readonly authority: string
  /** The path as it is sent, without a query. */
  readonly path: string
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string
  /** The `Content-Type` header. */
  readonly contentType: string
  /** The bytes that are sent. */
  readonly body: Uint8Array
}

/** Signs requests with one key. */
export interface Signer {
  /** The RFC 7638 thumbprint of its public key. */
  readonly keyid: string
  /** The headers to add to a request: signed now, with a new nonce, valid for five minutes. */
  readonly sign: (request: RequestToSign) => Effect.Effect<SignatureHeaders>
}

const nonceBytes = 18

const utf8 = new TextEncoder()

/** The signer of a private key. */
export const makeSigner = (privateJwk: PrivateJwk): Effect.Effect<Signer, KeyUnreadable> =>
  Effect.gen(function* () {
    const key = yield* importPrivateKey(privateJwk)
    const keyid = yield* thumbprint(privateJwk)
    const sign = Effect.fnUntraced(function* (request: RequestToSign) {
      const contentDigest = yield* contentDigestOf(request.body)
      const created = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const nonce = Base64Url.encode(crypto.getRandomValues(new Uint8Array(nonceBytes)))
      const components = Object.entries({
        "@method": request.method.toUpperCase(),
        "@authority": canonicalAuthority(request.authority),
        "@path": request.path,
        "idempotency-key": request.idempotencyKey.trim(),
        "content-type": request.contentType.trim(),
        "content-digest": contentDigest
      })
      const covered = components.map(([name]) => `"${name}"`).join(" ")
      const params =
        `(${covered});created=${created};expires=${created + signatureLifetimeSecondsMax}` +
        `;keyid="${keyid}";nonce="${nonce}";tag="${signatureTag}"`
      const signature = yield* signEd25519(key, utf8.encode(signatureBase(components, params)))
      return {
        "content-digest": contentDigest,
        "signature-input": `${signatureLabel}=${params}`,
        signature: `${signatureLabel}=:${Base64.encode(signature)}:`
      }
    })
    return { keyid, sign }
  })
