import { assert, it } from "@effect/vitest"
import { OperatorAuthenticated } from "@bursar/api/operator/OperatorAuthenticated"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { type Api, clientAt } from "../src/api/client.ts"
import { problemOf } from "../src/api/problem.ts"

const layerNobody = HttpApiMiddleware.layerClient(OperatorAuthenticated, ({ next, request }) => next(request))

/** What a person is told of a call to a service that gives this answer, and how many requests it got. */
const told = (answer: () => Response, ask: (api: Api) => Effect.Effect<unknown, unknown>) => {
  let sent = 0
  const client = HttpClient.make((request) => {
    sent += 1
    return Effect.sync(() => HttpClientResponse.fromWeb(request, answer()))
  })
  return Effect.gen(function* () {
    const api = yield* clientAt("https://ops.example.com")
    const error = yield* Effect.flip(ask(api))
    return { sent, ...problemOf(error) }
  }).pipe(Effect.provide(Layer.merge(Layer.succeed(HttpClient.HttpClient, client), layerNobody)))
}

const nothing = () => new Response(null, { status: 500 })

const tenant_id = "0197a5c0-0000-7000-8000-000000000001"

it.effect("what the page refuses before it asks names the field that is wrong, and says that nothing was changed", () =>
  Effect.gen(function* () {
    const amount = yield* told(nothing, (api) =>
      api.floats.adjust({
        params: { tenant_id },
        headers: { "idempotency-key": "k" },
        payload: { currency: "ETH", amount: "1,5", against: "suspense", reason: "mistyped" }
      })
    )
    assert.deepInclude(amount, {
      sent: 0,
      code: "invalid_request",
      message: "The request is not valid. Nothing was changed."
    })
    assert.isTrue(amount.fields.some((field) => field.startsWith("amount: ")))

    const moment = yield* told(nothing, (api) => api.operations.list({ query: { created_after: "yesterday" } }))
    assert.deepInclude(moment, { sent: 0, code: "invalid_request" })
    assert.isTrue(moment.fields.some((field) => field.startsWith("created_after: ")))
  })
)

it.effect("an answer that is none of this service is not told as no answer: what it did is not known", () =>
  Effect.gen(function* () {
    for (const answer of [
      () => Response.json({ of: "another version" }),
      () => new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "content-type": "text/html" } })
    ]) {
      const { code, message, sent } = yield* told(answer, (api) => api.tenants.list())
      assert.deepStrictEqual([sent, code], [1, "answer_unreadable"])
      assert.include(message, "It is not known whether anything changed")
    }
  })
)
