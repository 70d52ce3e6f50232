import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { defaultPatience } from "../../src/call/CallSettings.ts"
import { withRetries } from "../../src/call/withRetries.ts"

const request = HttpClientRequest.get("https://api.example.test/v1/whoami")

const answer = (status: number, body: unknown = {}, headers: Record<string, string> = {}) =>
  Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(body, { status, headers })))

const refusal = (status: number, retryable: boolean, headers: Record<string, string> = {}) =>
  answer(status, { error: { code: "some_code", message: "m", request_id: "r", retryable } }, headers)

const broken = Effect.fail(
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, cause: new TypeError("fetch failed") })
  })
)

type Attempt = ReturnType<typeof answer> | typeof broken

/** Makes these attempts in order, the last one again and again, and counts them. */
const attempts = (...outcomes: ReadonlyArray<Attempt>) => {
  const made = { count: 0 }
  const attempt = Effect.suspend((): Attempt => {
    made.count += 1
    return outcomes[Math.min(made.count, outcomes.length) - 1] ?? broken
  })
  return { made, attempt }
}

/** What comes of the attempts when nobody minds the time. */
const settle = Effect.fnUntraced(function* (
  patience: Partial<typeof defaultPatience>,
  ...outcomes: ReadonlyArray<Attempt>
) {
  const { attempt, made } = attempts(...outcomes)
  const fiber = yield* Effect.forkChild(
    Effect.result(withRetries(request, attempt, { ...defaultPatience, ...patience }))
  )
  yield* TestClock.adjust("1 hour")
  const result = yield* Fiber.join(fiber)
  return { attempts: made.count, status: Result.isSuccess(result) ? result.success.status : result.failure.reason._tag }
})

describe("retries", () => {
  it.effect("are made after a broken connection and after answers that may pass, until one stands", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* settle({}, broken, refusal(503, true), refusal(409, true), answer(502), answer(200)),
        { attempts: 5, status: 200 }
      )
    })
  )

  it.effect("end with what came last", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* settle({}, broken), { attempts: 5, status: "TransportError" })
      assert.deepStrictEqual(yield* settle({ retriesMax: 2 }, refusal(503, true)), { attempts: 3, status: 503 })
      assert.deepStrictEqual(yield* settle({ retriesMax: 0 }, refusal(503, true)), { attempts: 1, status: 503 })
    })
  )

  it.effect("are not made where the service says that they do not help, nor for other answers", () =>
    Effect.gen(function* () {
      for (const status of [400, 401, 403, 404, 409, 422, 503]) {
        assert.deepStrictEqual(yield* settle({}, refusal(status, false)), { attempts: 1, status })
      }
      assert.deepStrictEqual(yield* settle({}, answer(404)), { attempts: 1, status: 404 })
    })
  )

  it.effect("are made after any error of a server in between", () =>
    Effect.gen(function* () {
      for (const status of [429, 500, 502, 504, 520, 522, 599]) {
        assert.deepStrictEqual(yield* settle({}, answer(status), answer(200)), { attempts: 2, status: 200 })
      }
    })
  )

  it.effect("are not made for a request that could not be built", () =>
    Effect.gen(function* () {
      const unbuilt = Effect.fail(
        new HttpClientError.HttpClientError({ reason: new HttpClientError.EncodeError({ request }) })
      )
      assert.deepStrictEqual(yield* settle({}, unbuilt as Attempt), { attempts: 1, status: "EncodeError" })
    })
  )

  it.effect("wait at least as long as Retry-After asks, and not much longer", () =>
    Effect.gen(function* () {
      const { attempt, made } = attempts(refusal(429, true, { "retry-after": "7" }), answer(200))
      const fiber = yield* Effect.forkChild(withRetries(request, attempt, defaultPatience))
      yield* TestClock.adjust("6999 millis")
      assert.strictEqual(made.count, 1)
      yield* TestClock.adjust("251 millis")
      assert.strictEqual(made.count, 2)
      assert.strictEqual((yield* Fiber.join(fiber)).status, 200)
    })
  )

  it.effect("give up on a Retry-After beyond patience at once", () =>
    Effect.gen(function* () {
      const limited = refusal(429, true, { "retry-after": "61" })
      assert.deepStrictEqual(yield* settle({}, limited, answer(200)), { attempts: 1, status: 429 })
      assert.deepStrictEqual(yield* settle({ retryAfterMsMax: 61_000 }, limited, answer(200)), {
        attempts: 2,
        status: 200
      })
    })
  )

  it.effect("wait longer each time, up to a bound", () =>
    Effect.gen(function* () {
      const { attempt, made } = attempts(broken)
      const patience = { ...defaultPatience, retriesMax: 8, firstDelayMs: 100, delayMsMax: 400 }
      const fiber = yield* Effect.forkChild(Effect.result(withRetries(request, attempt, patience)))
      yield* TestClock.adjust(100 + 200 + 6 * 400)
      assert.strictEqual(made.count, 9)
      assert.isTrue(Result.isFailure(yield* Fiber.join(fiber)))
    })
  )

  it.effect("follow an attempt that took too long, each with time of its own", () =>
    Effect.gen(function* () {
      const { attempt, made } = attempts(Effect.never, answer(200))
      const fiber = yield* Effect.forkChild(withRetries(request, attempt, { ...defaultPatience, timeoutMs: 1_000 }))
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(made.count, 1)
      yield* TestClock.adjust("251 millis")
      assert.strictEqual((yield* Fiber.join(fiber)).status, 200)
    })
  )
})
