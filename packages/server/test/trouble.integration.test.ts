import { stored } from "./support/stored.ts"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { type Answer, Partner } from "./support/Partner.ts"
import { type Trouble, troubledPorts } from "./support/troubled.ts"
import { addressOf, written } from "./support/written.ts"

const trouble: Trouble = { state: "none", defect: null }

const codeOf = ({ body, status }: Answer) => [status, body.error?.code]

const body = (number: number) => ({ addresses: [{ network: "ethereum", address: addressOf(number), reference: "r" }] })

// Keys are remembered here, so that a storage that is down is met by the handlers and not by the check of the key.
layer(Partner.layer({ directoryTtl: "4 seconds" }, troubledPorts(trouble)), { excludeTestServices: true })(
  "a storage in trouble",
  (it) => {
    const setUp = Effect.gen(function* () {
      const { seeder, send, state } = yield* Partner
      trouble.state = "none"
      const tenant = yield* seeder.tenant()
      const key = yield* seeder.key(tenant)
      yield* send("GET", "/v1/whoami", { key })
      const post = (idempotencyKey: string, number: number) =>
        send("POST", "/v1/deposit-addresses", {
          key,
          body: body(number),
          headers: { "idempotency-key": idempotencyKey }
        })
      return { key, post, send, state, tenant }
    })

    it.effect("that takes no writes is answered 503, and the same request works later", () =>
      Effect.gen(function* () {
        const { key, post, send, state, tenant } = yield* setUp
        const before = written(state, tenant)
        trouble.state = "read-only"
        const refused = yield* post("k", 1)
        assert.deepStrictEqual(codeOf(refused), [503, "read_only"])
        assert.isAtLeast(Number(refused.headers["retry-after"]), 1)
        assert.strictEqual(refused.body.error.retryable, true)
        assert.strictEqual((yield* send("GET", "/v1/float", { key })).status, 200)
        assert.deepStrictEqual(written(state, tenant), before)
        trouble.state = "none"
        const answered = yield* post("k", 1)
        assert.strictEqual(answered.status, 200)
        assert.isUndefined(answered.headers["idempotency-replayed"])
      })
    )

    it.effect(
      "that cannot tell whether it wrote is not answered as if it had not, and the same request under its key finds out",
      () =>
        Effect.gen(function* () {
          const { post } = yield* setUp
          trouble.state = "unknown"
          const unknown = yield* post("k", 1)
          assert.deepStrictEqual(codeOf(unknown), [500, "internal_error"])
          assert.match(unknown.body.error.message, /not known whether the change was made/u)
          assert.isTrue(unknown.body.error.retryable)
          trouble.state = "none"
          const answered = yield* post("k", 1)
          assert.deepStrictEqual([answered.status, answered.headers["idempotency-replayed"]], [200, "true"])
        })
    )

    it.effect("that cannot tell whether it wrote lets no program repeat a request that has no key", () =>
      Effect.gen(function* () {
        const { key, post, send } = yield* setUp
        const { id } = (yield* post("k", 3)).body.results[0].address
        trouble.state = "unknown"
        const answer = yield* send("POST", `/v1/deposit-addresses/${id}/retire`, { key })
        assert.deepStrictEqual(codeOf(answer), [500, "outcome_unknown"])
        assert.isFalse(answer.body.error.retryable)
        assert.isUndefined(answer.headers["retry-after"])
      })
    )

    it.effect("that cannot be read is answered 503, and the process is not ready", () =>
      Effect.gen(function* () {
        const { key, send } = yield* setUp
        trouble.state = "down"
        const refused = yield* send("GET", "/v1/float", { key })
        assert.deepStrictEqual(codeOf(refused), [503, "provider_unavailable"])
        assert.isAtLeast(Number(refused.headers["retry-after"]), 1)
        assert.strictEqual((yield* send("GET", "/health/ready")).status, 503)
        assert.strictEqual((yield* send("GET", "/health/live")).status, 200)
        trouble.state = "none"
        assert.strictEqual((yield* send("GET", "/health/ready")).status, 200)
      })
    )

    it.effect("that cannot say whose a key is lets nobody in", () =>
      Effect.gen(function* () {
        const { seeder, send } = yield* Partner
        trouble.state = "none"
        const key = yield* seeder.key(yield* seeder.tenant())
        trouble.state = "down"
        assert.deepStrictEqual(codeOf(yield* send("GET", "/v1/whoami", { key })), [503, "provider_unavailable"])
        assert.deepStrictEqual(codeOf(yield* send("POST", "/v1/deposit-addresses", { key })), [503, "read_only"])
        trouble.state = "none"
        assert.strictEqual((yield* send("GET", "/v1/whoami", { key })).status, 200)
      })
    )

    it.effect("that takes its time makes a rival wait two seconds, then tells it to come back", () =>
      Effect.gen(function* () {
        const { post, state, tenant } = yield* setUp
        const gate = yield* Deferred.make<void>()
        trouble.state = gate
        const first = yield* Effect.forkChild(post("k", 2), { startImmediately: true })
        const rival = yield* Effect.suspend(() => post("k", 2)).pipe(Effect.delay("100 millis"))
        assert.deepStrictEqual(codeOf(rival), [409, "idempotency_in_flight"])
        assert.strictEqual(rival.headers["retry-after"], "1")
        const patient = yield* Effect.forkChild(post("k", 2), { startImmediately: true })
        yield* Effect.sleep("100 millis")
        yield* Deferred.succeed(gate, undefined)
        const [one, other] = [yield* Fiber.join(first), yield* Fiber.join(patient)]
        assert.strictEqual(one.status, 200)
        assert.strictEqual(other.text, one.text)
        assert.strictEqual(stored(state, tenant, DepositAddress).size, 1)
      })
    )

    it.effect("or a bug is told without its cause", () =>
      Effect.gen(function* () {
        const { key, send } = yield* setUp
        const { logged } = yield* Partner
        trouble.defect = new Error("a secret of the inside")
        const answer = yield* send("GET", "/v1/float", { key, headers: { "x-request-id": "the-bug" } })
        assert.deepStrictEqual(codeOf(answer), [500, "internal_error"])
        assert.strictEqual(answer.headers["x-request-id"], "the-bug")
        assert.notInclude(answer.text, "inside")
        assert.isTrue(logged.some((line) => line.includes("the-bug") && line.includes("a secret of the inside")))
      })
    )
  }
)
