import { makePartnerClient } from "@bursar/client/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { accepted, payout } from "../support/samples.ts"

type Answer = (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<Response, HttpClientError.HttpClientError>

const lost: Answer = (request) =>
  Effect.fail(
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.TransportError({ request, cause: new TypeError("socket hang up") })
    })
  )

const created =
  (body: object): Answer =>
  () =>
    Effect.succeed(Response.json(body, { status: 201 }))

/** A client whose requests get these answers in order, the last one again and again, and the keys that it sent. */
const clientOf = Effect.fnUntraced(function* (...answers: ReadonlyArray<Answer>) {
  const keys: Array<string | undefined> = []
  const http = HttpClient.make((request) => {
    keys.push(request.headers["idempotency-key"])
    const answer = answers[Math.min(keys.length, answers.length) - 1] ?? lost
    return Effect.map(answer(request), (response) => HttpClientResponse.fromWeb(request, response))
  })
  const client = yield* makePartnerClient({
    baseUrl: "https://api.example.test",
    apiKey: Redacted.make("key"),
    retry: { retriesMax: 0 }
  }).pipe(Effect.provideService(HttpClient.HttpClient, http))
  return { client, keys }
})

describe("a change without a key of its own", () => {
  it.live("is the same change when its effect runs again: a payout that is retried is paid once", () =>
    Effect.gen(function* () {
      const { client, keys } = yield* clientOf(lost, created(accepted))
      yield* client.chainPayouts.create({ headers: {}, payload: payout }).pipe(Effect.retry({ times: 1 }))
      assert.lengthOf(keys, 2)
      assert.match(keys[0] ?? "", /^[0-9a-f-]{36}$/u)
      assert.strictEqual(keys[1], keys[0])
    })
  )

  it.live("is another change when it is called again", () =>
    Effect.gen(function* () {
      const { client, keys } = yield* clientOf(created(accepted))
      yield* client.chainPayouts.create({ headers: {}, payload: payout })
      yield* client.chainPayouts.create({ headers: {}, payload: payout })
      assert.strictEqual(new Set(keys).size, 2)
    })
  )
})

it.live("an accepted payout with a value of a later service fails with the key under which it was made", () =>
  Effect.gen(function* () {
    const { client, keys } = yield* clientOf(created({ ...accepted, status: "QUEUED" }))
    const create = client.chainPayouts.create({ headers: {}, payload: payout }).pipe(Effect.retry({ times: 1 }))
    const error = yield* Effect.flip(create)
    if (error._tag !== "HttpClientError") return assert.fail(error._tag)
    assert.strictEqual(new Set(keys).size, 1)
    assert.deepStrictEqual(
      [error.reason._tag, error.response?.status, error.request.headers["idempotency-key"]],
      ["DecodeError", 201, keys[0]]
    )
    return undefined
  })
)

it.live("a payout that breaks the contract before it is sent is a SchemaError, and nothing is sent", () =>
  Effect.gen(function* () {
    const { client, keys } = yield* clientOf(created(accepted))
    const broken = { ...payout, reference: 7 as unknown as string } // what no compiler has looked at
    const error = yield* Effect.flip(client.chainPayouts.create({ headers: {}, payload: broken }))
    assert.strictEqual(error._tag, "SchemaError")
    assert.lengthOf(keys, 0)
  })
)
