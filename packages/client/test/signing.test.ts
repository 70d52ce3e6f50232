import { generateSigningKey, importPublicKey } from "@bursar/api/signature/Ed25519"
import { verifyRequest } from "@bursar/api/signature/verifyRequest"
import { makePartnerClient } from "@bursar/client/effect"
import { makeRequestSigner } from "@bursar/client"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted, Result } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"

const body = JSON.stringify({ hello: "world" })

const url = "https://API.example.test/v1/signature/verify"

const headers = { "Idempotency-Key": "k-1", "Content-Type": "application/json" }

/** What a service with this public key makes of a request. */
const examine = Effect.fnUntraced(function* (
  publicJwk: Effect.Success<typeof generateSigningKey>["publicJwk"],
  request: { readonly path: string; readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array }
) {
  const key = yield* importPublicKey(publicJwk)
  const all: Readonly<Record<string, string>> = { host: "api.example.test", ...request.headers }
  const { outcome } = yield* verifyRequest(
    { method: "POST", target: request.path, header: (name) => all[name], body: request.body },
    { isOurs: () => true, findKey: () => Effect.succeed(key), now: yield* Clock.currentTimeMillis }
  )
  return Result.isSuccess(outcome) ? "verified" : outcome.failure.code
})

describe("a request signer", () => {
  it.live("makes the headers that a service verifies, from a record or Headers, a text or bytes", () =>
    Effect.gen(function* () {
      const { privateJwk, publicJwk } = yield* generateSigningKey
      const sign = yield* Effect.promise(() => makeRequestSigner(privateJwk))
      const bytes = new TextEncoder().encode(body)
      for (const request of [
        { method: "post", url, headers, body },
        { method: "POST", url: new URL(url), headers: new Headers(headers), body: bytes }
      ]) {
        const signature = yield* Effect.promise(() => sign(request))
        const sent = { "idempotency-key": "k-1", "content-type": "application/json", ...signature }
        assert.strictEqual(
          yield* examine(publicJwk, { path: "/v1/signature/verify", headers: sent, body: bytes }),
          "verified"
        )
      }
    })
  )

  it.live("takes the pair as node:crypto and Web Crypto export it, and nothing that is none", () =>
    Effect.gen(function* () {
      const { privateJwk } = yield* generateSigningKey
      const open = (jwk: unknown) => Effect.exit(Effect.tryPromise(() => makeRequestSigner(jwk)))
      const { crv, d, kty, x } = privateJwk
      for (const jwk of [
        { crv, d, x, kty },
        { key_ops: ["sign"], ext: true, alg: "Ed25519", crv, d, x, kty }
      ]) {
        assert.strictEqual((yield* open(jwk))._tag, "Success")
      }
      for (const jwk of [undefined, "text", {}, { crv, x, kty }, { crv, d, x: d, kty }, { crv, d: "short", x, kty }]) {
        const exit = yield* open(jwk)
        assert.strictEqual(exit._tag, "Failure")
        assert.notInclude(JSON.stringify(exit), d, "an error shows no key")
      }
    })
  )

  it.live("refuses what the profile cannot cover", () =>
    Effect.gen(function* () {
      const { privateJwk } = yield* generateSigningKey
      const sign = yield* Effect.promise(() => makeRequestSigner(privateJwk))
      for (const changes of [
        { url: `${url}?a=1` },
        { url: "no url" },
        { headers: { "Idempotency-Key": "k-1" } },
        { headers: { "Content-Type": "application/json" } }
      ]) {
        const refused = yield* Effect.flip(
          Effect.tryPromise({
            try: () => sign({ method: "POST", url, headers, body, ...changes }),
            catch: (error) => error as { readonly _tag: string } // whatever it is, it must be tagged
          })
        )
        assert.strictEqual(refused._tag, "RequestNotSignable", JSON.stringify(changes))
      }
    })
  )
})

describe("a partner client", () => {
  const payout = {
    headers: { "idempotency-key": "payout-1" },
    payload: {
      amount: { amount: "12.5", currency: "USDT_TRON" },
      network: "tron",
      destination: { address: "T" },
      reference: "r"
    }
  }

  /** An HttpClient that answers 401 and keeps what it was to send. */
  const listening = () => {
    const sent: Array<HttpClientRequest.HttpClientRequest> = []
    const client = HttpClient.make((request) => {
      sent.push(request)
      return Effect.succeed(HttpClientResponse.fromWeb(request, new Response("{}", { status: 401 })))
    })
    return { sent, client }
  }

  it.live("signs what must be signed, over the bytes that it sends, and nothing else", () =>
    Effect.gen(function* () {
      const { privateJwk, publicJwk } = yield* generateSigningKey
      const { client, sent } = listening()
      const partner = yield* makePartnerClient({
        baseUrl: "https://api.example.test",
        apiKey: Redacted.make("key"),
        signing: { privateJwk: Redacted.make(privateJwk) }
      }).pipe(Effect.provideService(HttpClient.HttpClient, client))
      yield* Effect.exit(partner.chainPayouts.create(payout))
      yield* Effect.exit(partner.introspection.whoami())
      const [signed, unsigned] = sent
      if (signed?.body._tag !== "Uint8Array") return assert.fail("nothing was sent")
      assert.strictEqual(
        yield* examine(publicJwk, {
          path: "/v1/chain-payouts",
          headers: { ...signed.headers },
          body: signed.body.body
        }),
        "verified"
      )
      assert.notProperty(unsigned?.headers, "signature")
      return undefined
    })
  )

  it.live(
    "without a signing key sends the request as it is; with one, makes the idempotency key that must be covered",
    () =>
      Effect.gen(function* () {
        const { privateJwk } = yield* generateSigningKey
        const { client, sent } = listening()
        const options = { baseUrl: "https://api.example.test", apiKey: Redacted.make("key") }
        const bare = yield* makePartnerClient(options).pipe(Effect.provideService(HttpClient.HttpClient, client))
        yield* Effect.exit(bare.chainPayouts.create(payout))
        assert.lengthOf(sent, 1)
        assert.notProperty(sent[0]?.headers, "signature")
        const signing = yield* makePartnerClient({
          ...options,
          signing: { privateJwk: Redacted.make(privateJwk) }
        }).pipe(Effect.provideService(HttpClient.HttpClient, client))
        yield* Effect.exit(signing.chainPayouts.create({ ...payout, headers: {} }))
        assert.match(sent[1]?.headers["idempotency-key"] ?? "", /^[0-9a-f-]{36}$/u, "a key is made")
        assert.property(sent[1]?.headers, "signature")
      })
  )
})
