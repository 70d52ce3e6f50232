import { importPublicKey } from "@bursar/api/signature/Ed25519"
import { verifyRequest } from "@bursar/api/signature/verifyRequest"
import { createClient } from "@bursar/client"
import { generateSigningKey } from "@bursar/client/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
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

describe("the probe of signatures", () => {
  it("is signed as a signed operation is", async () => {
    const { client, examine, heard } = await service(json(200, {}))
    await client.signature.verify({ hello: "world" })
    assert.strictEqual(heard[0] && (await examine(heard[0])), "verified")
  })

  it("goes out as it is without a signing key", async () => {
    const { baseUrl, heard } = await stub(json(200, {}))
    await createClient({ baseUrl, apiKey: "key" }).signature.verify({ hello: "world" })
    assert.notProperty(heard[0]?.headers, "signature")
  })
})
