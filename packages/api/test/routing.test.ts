import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Limits } from "../src/Limits.ts"
import { PartnerApi } from "../src/PartnerApi.ts"
import { send } from "./support/echo.ts"
import { specification } from "./support/specification.ts"

const id = "019845e1-682f-7b02-a706-3b2422d13aec"

const identifiers = new Map<string, string>()
HttpApi.reflect(PartnerApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    const path = endpoint.path.replace(/:(\w+)/gu, "{$1}")
    identifiers.set(`${endpoint.method} ${path}`, `${group.identifier}.${endpoint.identifier}`)
  }
})

describe("every GET reaches its own endpoint, fixed paths before parameters", () => {
  for (const { method, path } of specification.filter((operation) => operation.method === "GET")) {
    it.effect(`${method} ${path}`, () =>
      Effect.gen(function* () {
        const query = path === "/v1/float/statement" ? "?currency=EUR" : ""
        const { body, status } = yield* send(method, path.replace(/\{\w+\}/u, id) + query)
        assert.strictEqual(status, 200)
        assert.strictEqual(body["endpoint"], identifiers.get(`${method} ${path}`))
      })
    )
  }
})

it.effect("a path parameter that is no id finds nothing", () =>
  Effect.gen(function* () {
    const { body, status } = yield* send("GET", "/v1/withdrawals/not-an-id")
    assert.strictEqual(status, 404)
    assert.deepInclude(body["error"], { code: "not_found" })
  })
)

it.effect("limits arrive as numbers, flags as booleans, unknown parameters not at all", () =>
  Effect.gen(function* () {
    const { body } = yield* send("GET", "/v1/deposit-addresses?limit=500&include_retired=true&colour=red")
    assert.deepStrictEqual(body["query"], { limit: 500, include_retired: true })
  })
)

it.effect("an idempotency key arrives as it stands in the header, well formed or not", () =>
  Effect.gen(function* () {
    const body = { external_id: "user-88" }
    const sent = yield* send("POST", "/v1/customers", { body, headers: { "Idempotency-Key": "no good!" } })
    assert.deepStrictEqual(sent.body["headers"], { "idempotency-key": "no good!" })
    const bare = yield* send("POST", "/v1/customers", { body })
    assert.deepStrictEqual(bare.body["headers"], {})
  })
)

it.effect("the document is served as generated", () =>
  Effect.gen(function* () {
    const { body } = yield* send("GET", "/openapi.json")
    assert.strictEqual(body["openapi"], "3.1.0")
    assert.property(body, "webhooks")
  })
)

it.effect("the longest idempotency key is found in a path, escaped or not", () =>
  Effect.gen(function* () {
    for (const key of ["k".repeat(Limits.idempotencyKeyLengthMax), ":".repeat(Limits.idempotencyKeyLengthMax)]) {
      const { body } = yield* send("GET", `/v1/operations/by-key/${encodeURIComponent(key)}`)
      assert.deepStrictEqual(body["params"], { key })
    }
  })
)
