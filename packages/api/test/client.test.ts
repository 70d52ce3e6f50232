import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClientRequest, HttpServer } from "effect/http"
import { HttpApiBuilder, HttpApiClient, HttpApiMiddleware, HttpApiTest } from "effect/http-api"
import { apiError } from "../src/errors/ApiError.ts"
import { Authenticated } from "../src/middleware/Authenticated.ts"
import { Caller } from "../src/middleware/Caller.ts"
import { Signed } from "../src/middleware/Signed.ts"
import { VerifiedSignature } from "../src/middleware/VerifiedSignature.ts"
import { OperatorApi } from "../src/OperatorApi.ts"
import { PartnerApi } from "../src/PartnerApi.ts"
import { echoMiddleware } from "./support/echo.ts"

const id = "019845e1-682f-7b02-a706-3b2422d13aec"

const payouts = HttpApiBuilder.group(PartnerApi, "chainPayouts", (handlers) =>
  handlers.handleAll({
    create: Effect.fnUntraced(function* ({ headers, payload }) {
      const { tenantSlug } = yield* Caller
      const { keyid } = yield* VerifiedSignature
      if (headers["idempotency-key"] === undefined) return yield* apiError("idempotency_key_required")
      return {
        id,
        status: "ACCEPTED" as const,
        review: null,
        amount: payload.amount,
        network: payload.network,
        destination: { address: payload.destination.address, memo: payload.destination.memo ?? null },
        from_address: `${tenantSlug} by ${keyid}`,
        tx_hash: null,
        failure_reason: null,
        reference: payload.reference,
        created_at: "2026-01-01T00:00:00.000Z",
        settled_at: null,
        unresolved: false
      }
    }),
    estimate: Effect.fnUntraced(function* () {
      return yield* apiError("unknown_network", { detail: { network: "nowhere" } })
    }),
    get: Effect.fnUntraced(function* () {
      return yield* apiError("not_found")
    })
  })
)

const clientMiddleware = Layer.mergeAll(
  HttpApiMiddleware.layerClient(Authenticated, ({ next, request }) =>
    next(HttpClientRequest.bearerToken(request, "key"))
  ),
  HttpApiMiddleware.layerClient(Signed, ({ next, request }) => next(request))
)

const environment = Layer.mergeAll(payouts, echoMiddleware, clientMiddleware, HttpServer.layerServices).pipe(
  Layer.provideMerge(echoMiddleware)
)

const payout = {
  amount: { amount: "12.5", currency: "USDT_TRON" },
  network: "tron",
  destination: { address: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8" },
  reference: "invoice-2041"
}

it.effect("a derived client sends a payout and reads the answer, typed on both sides", () =>
  Effect.gen(function* () {
    const client = yield* HttpApiTest.groups(PartnerApi, ["chainPayouts"])
    const answer = yield* client.chainPayouts.create({ headers: { "idempotency-key": "k" }, payload: payout })
    assert.strictEqual(answer.status, "ACCEPTED")
    assert.strictEqual(answer.from_address, "demo by key")
    assert.strictEqual(answer.destination.memo, null)
  }).pipe(Effect.provide(environment))
)

it.effect("a derived client reads errors as their classes, by code", () =>
  Effect.gen(function* () {
    const client = yield* HttpApiTest.groups(PartnerApi, ["chainPayouts"])
    const required = yield* Effect.flip(client.chainPayouts.create({ headers: {}, payload: payout }))
    assert.strictEqual(required._tag === "Unprocessable" ? required.error.code : "", "idempotency_key_required")
    const code = yield* client.chainPayouts.estimate({ query: {} }).pipe(
      Effect.as("none"),
      Effect.catchTag("Unprocessable", ({ error }) => Effect.succeed(`${error.code} ${JSON.stringify(error.detail)}`))
    )
    assert.strictEqual(code, `unknown_network {"network":"nowhere"}`)
    const missing = yield* Effect.flip(client.chainPayouts.get({ params: { payout_id: id } }))
    assert.strictEqual(missing._tag, "NotFound")
  }).pipe(Effect.provide(environment))
)

it("clients of both interfaces can be derived", () => {
  const partner = HttpApiClient.make(PartnerApi, { baseUrl: "https://partner.example" })
  const operator = HttpApiClient.make(OperatorApi, { baseUrl: "http://127.0.0.1:8081" })
  assert.isDefined(partner)
  assert.isDefined(operator)
})
