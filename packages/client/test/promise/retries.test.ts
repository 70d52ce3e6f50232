import { importPublicKey } from "@bursar/api/signature/Ed25519"
import { verifyRequest } from "@bursar/api/signature/verifyRequest"
import { createClient, isOutcomeUnknown } from "@bursar/client"
import { AttemptLost, generateSigningKey, makePartnerClient } from "@bursar/client/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { FetchHttpClient } from "effect/http"
import { accepted, id, payout } from "../support/samples.ts"
import { hangUp, type Heard, json, type Reaction, refusal, silence, stub } from "../support/stub.ts"

const retry = { firstDelayMs: 1, delayMsMax: 1 }
const busy = refusal(503, "read_only", { retryable: true, retryAfter: "0" })
const flight = refusal(409, "idempotency_in_flight", { retryable: true, retryAfter: "0" })
const limited = refusal(429, "rate_limited", { retryable: true, retryAfter: "0" })

const service = async (...reactions: ReadonlyArray<Reaction>) => {
  const { privateJwk, publicJwk } = await Effect.runPromise(generateSigningKey)
  const { baseUrl, heard } = await stub(...reactions)
  const client = createClient({ baseUrl, apiKey: "key", signingKey: privateJwk, retry, timeoutMs: 5_000 })
  const key = await Effect.runPromise(importPublicKey(publicJwk))
  /** What a service with the public key makes of the signature of a request. */
  const examine = ({ body, headers, method, url }: Heard) =>
    Effect.runPromise(
      Effect.map(
        verifyRequest(
          { method, target: url, header: (name) => headers[name]?.toString(), body },
          { isOurs: () => true, findKey: () => Effect.succeed(key), now: Date.now() }
        ),
        ({ outcome }) => (Result.isSuccess(outcome) ? "verified" : outcome.failure.code)
      )
    )
  return { client, heard, examine }
}

describe("a change that is tried again", () => {
  it("is the same change: same key, same bytes, signed anew", async () => {
    const { client, examine, heard } = await service(hangUp, busy, flight, limited, json(201, accepted))
    assert.deepStrictEqual(await client.chainPayouts.create(payout), accepted)
    assert.lengthOf(heard, 5)
    assert.strictEqual(new Set(heard.map(({ headers }) => headers["idempotency-key"])).size, 1)
    assert.strictEqual(new Set(heard.map(({ body }) => String(body))).size, 1)
    assert.strictEqual(new Set(heard.map(({ headers }) => headers["signature-input"])).size, 5, "a nonce each")
    for (const one of heard) assert.strictEqual(await examine(one), "verified")
  })

  it("goes on after an attempt without an answer", async () => {
    const { client, heard } = await service(silence, json(201, accepted))
    assert.deepStrictEqual(await client.chainPayouts.create(payout, { timeoutMs: 200 }), accepted)
    assert.strictEqual(heard[0]?.headers["idempotency-key"], heard[1]?.headers["idempotency-key"])
  })

  it("is refused for good where the service refuses it", async () => {
    const { client, heard } = await service(refusal(422, "insufficient_balance"), json(201, accepted))
    const error: unknown = await client.chainPayouts.create(payout).catch((error: unknown) => error)
    assert.include(error, { code: "insufficient_balance" })
    assert.lengthOf(heard, 1)
  })
})

/** An answer of something between client and service. */
const gateway: Reaction = (response) => void response.writeHead(502).end("<html>Bad Gateway</html>")

const defect = refusal(500, "internal_error", { retryable: true, retryAfter: "0" })

const lost = {
  "a broken connection": hangUp,
  "a timeout": silence,
  "a proxy's error": gateway,
  "a defect": defect,
  flight
}

/** What answers before the idempotency key is looked at, so that it says nothing of an earlier attempt. */
const beforeTheKey = {
  "a rotated key": refusal(401, "key_invalid"),
  "a clock that jumps": refusal(401, "signature_expired"),
  "another egress address": refusal(403, "address_not_allowed"),
  "a limit until the retries are used up": limited,
  "a limit that is too long to wait for": refusal(429, "rate_limited", { retryable: true, retryAfter: "61" }),
  "a proxy's 404": json(404, { hello: "world" })
}

describe("a change whose first attempt may have been carried out", () => {
  const outcomeOf = async (...reactions: ReadonlyArray<Reaction>) => {
    const { client } = await service(...reactions)
    return client.chainPayouts.create(payout, { timeoutMs: 200 }).catch((error: unknown) => error)
  }

  for (const [first, reaction] of Object.entries(lost))
    for (const [then, answer] of Object.entries(beforeTheKey))
      it(`is of unknown outcome after ${first} and ${then}`, async () => {
        const error = await outcomeOf(reaction, answer)
        assert.isTrue(isOutcomeUnknown(error), String(error))
      })

  it("still says by code and facts what the last answer was", async () => {
    const error = await outcomeOf(hangUp, refusal(403, "address_not_allowed"))
    assert.include(error, { code: "address_not_allowed", status: 403, retryable: false, requestId: "request-1" })
    assert.include(error, { attemptLost: true })
  })

  it("is settled by the answer that is kept under its key", async () => {
    const kept: Reaction = (response, heard) => {
      response.setHeader("idempotency-replayed", "true")
      refusal(422, "insufficient_balance")(response, heard)
    }
    const error = await outcomeOf(hangUp, kept)
    assert.include(error, { code: "insufficient_balance", attemptLost: false })
    assert.isFalse(isOutcomeUnknown(error))
  })

  it("is of unknown outcome where a refusal is not said to be kept: the first attempt may still be under way", async () => {
    const error = await outcomeOf(silence, refusal(422, "price_unavailable"))
    assert.include(error, { code: "price_unavailable" })
    assert.isTrue(isOutcomeUnknown(error))
  })

  it("was not made where every attempt was answered, and refused", async () => {
    const error = await outcomeOf(limited, refusal(401, "key_invalid"))
    assert.include(error, { code: "key_invalid", attemptLost: false })
    assert.isFalse(isOutcomeUnknown(error))
  })

  it("ends no reading so: it changes nothing", async () => {
    const { client } = await service(hangUp, refusal(404, "not_found"))
    const error: unknown = await client.chainPayouts.get(id).catch((error: unknown) => error)
    assert.isFalse(isOutcomeUnknown(error))
  })

  it("does not fail with a refusal in the client for Effect either", async () => {
    const { baseUrl } = await stub(hangUp, refusal(403, "address_not_allowed"))
    const create = Effect.gen(function* () {
      const client = yield* makePartnerClient({ baseUrl, apiKey: Redacted.make("key"), retry })
      return yield* client.chainPayouts.create({ payload: payout, headers: { "idempotency-key": "k" } })
    }).pipe(Effect.provide(FetchHttpClient.layer), Effect.flip)
    const error = await Effect.runPromise(create)
    assert.strictEqual(error._tag, "HttpClientError")
    assert.instanceOf(error.cause, AttemptLost)
  })
})

describe("what is tried again", () => {
  it("is a reading, too", async () => {
    const { client, heard } = await service(hangUp, busy, json(200, accepted))
    assert.deepStrictEqual(await client.chainPayouts.get(id), accepted)
    assert.lengthOf(heard, 3)
  })

  it("is not a change that has no idempotency key", async () => {
    for (const reaction of [hangUp, busy]) {
      const { client, heard } = await service(reaction, json(200, {}))
      const error: unknown = await client.depositAddresses.retire(id).catch((error: unknown) => error)
      assert.include(error, { retryable: true, idempotencyKey: null })
      assert.lengthOf(heard, 1)
    }
  })
})

const checked = {
  verified: true,
  keyid: null,
  code: null,
  message: null,
  signature_base: null,
  content_digest: null
}

describe("the probe of signatures", () => {
  it("is signed as a signed operation is", async () => {
    const { client, examine, heard } = await service(json(200, checked))
    await client.signature.verify({ hello: "world" })
    assert.strictEqual(heard[0] && (await examine(heard[0])), "verified")
  })

  it("goes out as it is without a signing key", async () => {
    const { baseUrl, heard } = await stub(json(200, checked))
    await createClient({ baseUrl, apiKey: "key" }).signature.verify({ hello: "world" })
    assert.notProperty(heard[0]?.headers, "signature")
  })
})
