import { KeyUnreadable, PrivateJwk } from "@bursar/api/signature/Ed25519"
import type { SignatureHeaders } from "@bursar/api/signature/signatureHeaders"
import { makeSigner, type Signer } from "@bursar/api/signature/signRequest"
import { Effect, Schema } from "effect"

/** A request that the profile cannot sign: something that a signature must cover is not there. */
export class RequestNotSignable extends Schema.TaggedError<RequestNotSignable>()("RequestNotSignable", {
  message: Schema.String
}) {}

/** A request as it is about to be sent by `fetch`, or by anything else. */
export interface SignableRequest {
  readonly method: string
  /** The whole URL, without a query. */
  readonly url: string | URL
  /** The headers to be sent: `Idempotency-Key` and `Content-Type` among them. */
  readonly headers: Headers | Record<string, string>
  /** The body exactly as it is sent. */
  readonly body: string | Uint8Array
}

const decodeJwk = Schema.decodeUnknownEffect(PrivateJwk)

/** The signer of a private JWK that comes from outside, such as a file. */
export const openSigner = (privateJwk: unknown): Effect.Effect<Signer, KeyUnreadable> =>
  decodeJwk(privateJwk).pipe(
    // the issue would show the key
    Effect.mapError(() => new KeyUnreadable({ message: "The key is not an Ed25519 private key as a JWK." })),
    Effect.flatMap(makeSigner)
  )

/** The headers that sign a request. */
export const signatureHeadersOf = (
  signer: Signer,
  { body, headers, method, url }: SignableRequest
): Effect.Effect<SignatureHeaders, RequestNotSignable> =>
  Effect.gen(function* () {
    // not URL.parse, which Node 20 does not have
    const parsed = URL.canParse(url) ? new URL(url) : null
    if (parsed === null) return yield* new RequestNotSignable({ message: "The URL of the request is none." })
    const given = new Headers(headers)
    const idempotencyKey = given.get("idempotency-key") ?? ""
    const contentType = given.get("content-type") ?? ""
    if (idempotencyKey === "" || contentType === "") {
      return yield* new RequestNotSignable({ message: "A signed request has an Idempotency-Key and a Content-Type." })
    }
    if (String(url).includes("?")) {
      return yield* new RequestNotSignable({ message: "A signed request has no query string." })
    }
    return yield* signer.sign({
      method,
      authority: parsed.host,
      path: parsed.pathname,
      idempotencyKey,
      contentType,
      body: typeof body === "string" ? new TextEncoder().encode(body) : body
    })
  })

/**
 * Makes a function that signs requests with a private key, for those who send them with `fetch`: it gives the headers
 * `Content-Digest`, `Signature-Input` and `Signature` to add. Each is for one request, and good for five minutes. Rejects
 * with `KeyUnreadable` where the key is none, and with `RequestNotSignable`.
 */
export const makeRequestSigner = async (
  privateJwk: unknown
): Promise<(request: SignableRequest) => Promise<SignatureHeaders>> => {
  const signer = await Effect.runPromise(openSigner(privateJwk))
  return (request) => Effect.runPromise(signatureHeadersOf(signer, request))
}
