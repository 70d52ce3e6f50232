import { Effect } from "effect"
import { generateSigningKey, importPublicKey } from "../../src/signature/Ed25519.ts"
import { type ReceivedRequest, type VerifierOptions, verifyRequest } from "../../src/signature/verifyRequest.ts"
import { makeSigner, type RequestToSign } from "../../src/signature/signRequest.ts"

export const body = new TextEncoder().encode(JSON.stringify({ amount: { amount: "12.5", currency: "USDT_TRON" } }))

export const toSign: RequestToSign = {
  method: "POST",
  authority: "api.example.test",
  path: "/v1/chain-payouts",
  idempotencyKey: "payout-1",
  contentType: "application/json",
  body
}

/** A request as the service gets it: what was sent, with the headers that the signer made. */
export const received = (
  headers: Readonly<Record<string, string | undefined>>,
  changes: Partial<Omit<ReceivedRequest, "header">> = {}
): ReceivedRequest => {
  const all: Record<string, string | undefined> = {
    host: toSign.authority,
    "idempotency-key": toSign.idempotencyKey,
    "content-type": toSign.contentType,
    ...headers
  }
  return { method: "POST", target: toSign.path, body, header: (name) => all[name], ...changes }
}

/** A signer with its public key, and a verifier that knows that key alone. */
export const makePair = Effect.gen(function* () {
  const { keyid, privateJwk, publicJwk } = yield* generateSigningKey
  const signer = yield* makeSigner(privateJwk)
  const publicKey = yield* importPublicKey(publicJwk)
  const verify = (request: ReceivedRequest, now = 0, more: Partial<VerifierOptions<never, never>> = {}) =>
    verifyRequest(request, {
      isOurs: (authority) => authority === toSign.authority,
      findKey: (id) => Effect.succeed(id === keyid ? publicKey : undefined),
      now,
      ...more
    })
  return { keyid, privateJwk, publicJwk, signer, verify }
})
