import { inspect } from "node:util"
import { type BursarError, type Client, createClient, isBursarError, isOutcomeUnknown } from "@bursar/client"
import { generateSigningKey } from "@bursar/client/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { id, payout } from "../support/samples.ts"
import { hangUp, json, type Reaction, refusal, silence, stub } from "../support/stub.ts"

const apiKey = "service_test_a1B2c3D4_secret"
const retry = { retriesMax: 0 }

const clientOf = async (...reactions: ReadonlyArray<Reaction>) => {
  const { baseUrl, heard } = await stub(...reactions)
  return { client: createClient({ baseUrl, apiKey, retry }), heard }
}

/** What a call rejects with. */
const thrown = async (call: Promise<unknown>): Promise<BursarError> => {
  const error: unknown = await call.then(
    () => undefined,
    (error: unknown) => error
  )
  if (!isBursarError(error)) return assert.fail(`rejected with ${inspect(error)}`)
  assert.notInclude(inspect(error, { depth: 10, showHidden: true }), apiKey)
  return error
}

const errorOf = async (reaction: Reaction, call: (client: Client) => Promise<unknown>) =>
  thrown(call((await clientOf(reaction)).client))

const create = (client: Client) => client.chainPayouts.create(payout, { idempotencyKey: "k-1" })

describe("a call that fails", () => {
  it("rejects with what the service says, by code", async () => {
    const error = await errorOf(
      refusal(422, "insufficient_balance", { detail: { available: "10", required: "12.5" } }),
      create
    )
    assert.include(error, {
      code: "insufficient_balance",
      message: "It is insufficient_balance.",
      status: 422,
      requestId: "request-1",
      retryable: false,
      retryAfterMs: null,
      idempotencyKey: "k-1"
    })
    assert.deepStrictEqual(error.detail, { available: "10", required: "12.5" })
    assert.deepStrictEqual(error.fields, [])
    assert.isTrue(isBursarError(error, "insufficient_balance", "below_minimum"))
    assert.isFalse(isBursarError(error, "below_minimum"))
    assert.isFalse(isBursarError(new Error("other")))
    assert.isFalse(isOutcomeUnknown(error))
    if (isBursarError(error, "insufficient_balance")) {
      const narrowed: "insufficient_balance" = error.code
      assert.strictEqual(narrowed, error.code)
    }
  })

  it("keeps a code that this version does not know", async () => {
    const error = await errorOf(refusal(422, "moon_phase_wrong"), create)
    assert.strictEqual(String(error.code), "moon_phase_wrong")
  })

  it("says how long to wait, where the service does", async () => {
    const limited = refusal(429, "rate_limited", { retryable: true, retryAfter: "17" })
    assert.include(await errorOf(limited, create), { code: "rate_limited", retryable: true, retryAfterMs: 17_000 })
  })

  it("tells an answer of somebody else from one of the service", async () => {
    const proxy: Reaction = (response) => void response.writeHead(502).end("<html>Bad Gateway</html>")
    const gateway = await errorOf(proxy, create)
    assert.include(gateway, { code: "answer_unreadable", status: 502, retryable: true })
    assert.isTrue(isOutcomeUnknown(gateway))
    assert.include(await errorOf(json(404, { hello: "world" }), create), {
      code: "answer_unreadable",
      status: 404,
      retryable: false
    })
    const page: Reaction = (response) => void response.writeHead(200).end("<html>Sign in</html>")
    assert.include(await errorOf(page, create), { code: "answer_unreadable", status: 200 })
  })

  for (const [what, body] of Object.entries({ nothing: "", null: "null", "a text": '"OK"', "a number": "1" }))
    for (const status of [200, 201])
      it(`is one without a readable answer where a success of status ${status} says ${what}`, async () => {
        const error = await errorOf((response) => void response.writeHead(status).end(body), create)
        assert.include(error, { code: "answer_unreadable", status, idempotencyKey: "k-1" })
        assert.isTrue(isOutcomeUnknown(error))
      })

  it("is one without a readable answer where a success has no content", async () => {
    const error = await errorOf((response) => void response.writeHead(204).end(), create)
    assert.include(error, { code: "answer_unreadable", status: 204, retryable: true })
    assert.isTrue(isOutcomeUnknown(error))
  })

  it("says that it is not known what has happened, under which key, where no answer came", async () => {
    const broken = await errorOf(hangUp, create)
    assert.include(broken, { code: "connection_failed", status: null, retryable: true, idempotencyKey: "k-1" })
    assert.isTrue(isOutcomeUnknown(broken))
    const late = await errorOf(silence, (client) =>
      client.chainPayouts.create(payout, { idempotencyKey: "k-2", timeoutMs: 20 })
    )
    assert.include(late, { code: "timeout", idempotencyKey: "k-2", retryable: true })
    assert.isTrue(isOutcomeUnknown(late))
    const halfway: Reaction = (response) => {
      response.writeHead(201, { "content-length": "1000" }).write("{")
      response.socket?.destroySoon()
    }
    assert.include(await errorOf(halfway, create), { code: "connection_failed" })
  })

  it("is ended by its signal", async () => {
    const reason = new Error("shutting down")
    const controller = new AbortController()
    const ends: Reaction = () => controller.abort(reason)
    const error = await errorOf(ends, (client) => client.chainPayouts.create(payout, { signal: controller.signal }))
    assert.include(error, { code: "aborted", cause: reason, retryable: false })
    assert.match(error.idempotencyKey ?? "", /^[0-9a-f-]{36}$/u)
    assert.isTrue(isOutcomeUnknown(error))
    const { client, heard } = await clientOf(silence)
    const before = await thrown(client.introspection.whoami({ signal: AbortSignal.abort(reason) }))
    assert.strictEqual(before.code, "aborted")
    assert.lengthOf(heard, 0)
  })

  it("is not sent where it breaks the contract, and says what the service would", async () => {
    const { client, heard } = await clientOf(silence)
    const amount = await thrown(client.chainPayouts.create({ ...payout, amount: { amount: "1e3", currency: "X" } }))
    assert.include(amount, { code: "amount_invalid", status: null })
    assert.strictEqual(amount.fields[0]?.path, "body.amount.amount")
    const unknown = await thrown(client.chainPayouts.create({ ...payout, destinaton: "T" } as typeof payout))
    assert.strictEqual(unknown.code, "unknown_field")
    const missing = await thrown(client.chainPayouts.create(undefined as unknown as typeof payout))
    assert.strictEqual(missing.code, "invalid_request")
    assert.include(
      missing.fields.map(({ path }) => path),
      "body.reference"
    )
    assert.strictEqual((await thrown(client.deposits.list({ limit: 501 }))).code, "limit_out_of_range")
    assert.strictEqual((await thrown(client.chainPayouts.get("no uuid"))).code, "not_found")
    assert.strictEqual(
      (await thrown(client.depositAddresses.sweepHold("no uuid", { held: true, reason: "r" }))).code,
      "not_found"
    )
    for (const dots of [".", ".."])
      assert.strictEqual((await thrown(client.introspection.operationByKey(dots))).code, "not_found")
    const key = await thrown(client.chainPayouts.create(payout, { idempotencyKey: "two\nlines" }))
    assert.strictEqual(key.code, "idempotency_key_invalid")
    assert.lengthOf(heard, 0)
  })

  it("of one field in the path as another in the body, tells them apart", async () => {
    const { client } = await clientOf(silence)
    const error = await thrown(
      client.depositAddresses.sweepHold(id, { held: "yes", reason: "r" } as unknown as { held: true; reason: string })
    )
    assert.include(error, { code: "invalid_request" })
    assert.strictEqual(error.fields[0]?.path, "body.held")
  })

  it("rejects where the signing key is made of two pairs", async () => {
    const [one, other] = await Promise.all([
      Effect.runPromise(generateSigningKey),
      Effect.runPromise(generateSigningKey)
    ])
    const { baseUrl, heard } = await stub(silence)
    const signingKey = { ...one.privateJwk, x: other.privateJwk.x }
    const error = await thrown(createClient({ baseUrl, apiKey, signingKey }).chainPayouts.create(payout))
    assert.strictEqual(error.code, "signing_key_unreadable")
    assert.notInclude(inspect(error, { depth: 10 }), one.privateJwk.d)
    assert.lengthOf(heard, 0)
  })

  it("has a stack that leads to its caller", async () => {
    const callTheService = async () => (await clientOf(refusal(404, "not_found"))).client.chainPayouts.get(id)
    const caller = async () => {
      await callTheService()
    }
    assert.include((await thrown(caller())).stack, "caller")
  })
})
