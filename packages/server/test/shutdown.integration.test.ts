import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { type Answer, Partner } from "./support/Partner.ts"
import { type Trouble, troubledPorts } from "./support/troubled.ts"
import { addressOf } from "./support/written.ts"

const body = { addresses: [{ network: "ethereum", address: addressOf(1), reference: "r" }] }

const start = Effect.gen(function* () {
  const trouble: Trouble = { state: "none", defect: null }
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(
    Partner.layer({ directoryTtl: "4 seconds" }, troubledPorts(trouble)),
    scope
  )
  const { seeder, send } = Context.get(context, Partner)
  const tenant = yield* seeder.tenant()
  const key = yield* seeder.key(tenant)
  return { key, scope, send, trouble }
})

const post = (send: (method: string, path: string, sent: object) => Effect.Effect<Answer>, key: string) =>
  send("POST", "/v1/deposit-addresses", { key, body, headers: { "idempotency-key": "k", "x-request-id": "last" } })

it.live("a server that is closed lets requests finish", () =>
  Effect.gen(function* () {
    const { key, scope, send, trouble } = yield* start
    const gate = yield* Deferred.make<void>()
    trouble.state = gate
    const request = yield* Effect.forkChild(post(send, key), { startImmediately: true })
    yield* Effect.sleep("200 millis")
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    yield* Effect.sleep("200 millis")
    yield* Deferred.succeed(gate, undefined)
    const answer = yield* Fiber.join(request)
    assert.strictEqual(answer.status, 200)
    yield* Fiber.join(closing)
  })
)

it.live("a request that does not finish in time is answered 503, with its id", () =>
  Effect.gen(function* () {
    const { key, scope, send, trouble } = yield* start
    yield* send("GET", "/v1/whoami", { key })
    trouble.state = yield* Deferred.make<void>()
    const request = yield* Effect.forkChild(send("GET", "/v1/float", { key, headers: { "x-request-id": "late" } }), {
      startImmediately: true
    })
    yield* Effect.sleep("200 millis")
    yield* Scope.close(scope, Exit.void)
    const { body, headers, status } = yield* Fiber.join(request)
    assert.deepStrictEqual([status, body.error.code, body.error.request_id], [503, "provider_unavailable", "late"])
    assert.strictEqual(headers["x-request-id"], "late")
    assert.isAtLeast(Number(headers["retry-after"]), 1)
  })
)
