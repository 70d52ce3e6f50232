import { RateLimits, type RateWindow } from "@bursar/core/port/RateLimits"
import { assert, layer as layerTests } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { past } from "../fixtures/tenants.ts"
import { type Second, secondOf, type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

const subject = () => `key:${crypto.randomUUID()}:read`

/** A clock that is wrong by so many seconds. */
const wrongBy = (clock: Clock.Clock, seconds: number): Clock.Clock => {
  const millis = () => clock.currentTimeMillisUnsafe() + seconds * 1_000
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: clock.sleep
  }
}

const at = (seconds: number) => past + seconds * 1_000

/** Settings of the suite of RateLimits. */
export interface RateLimitsSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<RateLimits>
}

/** The tests of the suite. */
export const rateLimitsTests = (it: SuiteIt<RateLimits>, options: RateLimitsSuiteOptions): void => {
  it.effect("a window lets as many pass as its limit, and says how many are left", () =>
    Effect.gen(function* () {
      const { take } = yield* RateLimits
      const window = { subject: subject(), limit: 3 }
      for (const remaining of [2, 1, 0]) {
        const decision = yield* take([window], at(0))
        assert.deepStrictEqual(decision, { _tag: "Allowed", remaining, resetSeconds: 60 })
      }
      assert.deepStrictEqual(yield* take([window], at(0)), { _tag: "Denied", limit: 3, retryAfterSeconds: 60 })
      assert.deepStrictEqual(yield* take([window], at(59)), { _tag: "Denied", limit: 3, retryAfterSeconds: 1 })
      assert.strictEqual((yield* take([window], at(60)))._tag, "Allowed")
    })
  )

  it.effect("the window slides: what was taken earlier comes back earlier", () =>
    Effect.gen(function* () {
      const { take } = yield* RateLimits
      const window = { subject: subject(), limit: 2 }
      yield* take([window], at(0))
      yield* take([window], at(30))
      assert.deepStrictEqual(yield* take([window], at(40)), { _tag: "Denied", limit: 2, retryAfterSeconds: 20 })
      assert.strictEqual((yield* take([window], at(60)))._tag, "Allowed")
      assert.deepStrictEqual(yield* take([window], at(61)), { _tag: "Denied", limit: 2, retryAfterSeconds: 29 })
      assert.strictEqual((yield* take([window], at(90)))._tag, "Allowed")
    })
  )

  it.effect("a denied request costs nothing in any window", () =>
    Effect.gen(function* () {
      const { take } = yield* RateLimits
      const narrow = { subject: subject(), limit: 1 }
      const wide = { subject: subject(), limit: 3 }
      assert.deepStrictEqual(yield* take([narrow, wide], at(0)), { _tag: "Allowed", remaining: 0, resetSeconds: 60 })
      for (let count = 0; count < 5; count++) {
        assert.strictEqual((yield* take([wide, narrow], at(1)))._tag, "Denied")
      }
      assert.deepStrictEqual(yield* take([wide], at(2)), { _tag: "Allowed", remaining: 1, resetSeconds: 58 })
    })
  )

  it.effect("the window that stays full longest names the wait", () =>
    Effect.gen(function* () {
      const { take } = yield* RateLimits
      const one = { subject: subject(), limit: 1 }
      const other = { subject: subject(), limit: 2 }
      yield* take([one], at(0))
      yield* take([other], at(10))
      yield* take([other], at(20))
      assert.deepStrictEqual(yield* take([one, other], at(25)), { _tag: "Denied", limit: 2, retryAfterSeconds: 45 })
    })
  )

  it.effect("a lower limit counts what was taken under a higher one", () =>
    Effect.gen(function* () {
      const { take } = yield* RateLimits
      const name = subject()
      for (let second = 0; second < 5; second++) yield* take([{ subject: name, limit: 10 }], at(second))
      // the three oldest must leave before a window of three has room again
      assert.deepStrictEqual(yield* take([{ subject: name, limit: 3 }], at(5)), {
        _tag: "Denied",
        limit: 3,
        retryAfterSeconds: 57
      })
      assert.strictEqual((yield* take([{ subject: name, limit: 0 }], at(5)))._tag, "Denied")
    })
  )

  it.effect("requests that come at once are decided on in their order, each as if it had come alone", () =>
    Effect.gen(function* () {
      const { take } = yield* RateLimits
      const one = { subject: subject(), limit: 1 }
      const other = { subject: subject(), limit: 2 }
      const decisions = yield* Effect.all(
        [
          take([one], at(0)),
          take([one, other], at(0)),
          take([other], at(0)),
          take([other], at(60)),
          take([one], at(61))
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(decisions, [
        { _tag: "Allowed", remaining: 0, resetSeconds: 60 },
        { _tag: "Denied", limit: 1, retryAfterSeconds: 60 },
        { _tag: "Allowed", remaining: 1, resetSeconds: 60 },
        { _tag: "Allowed", remaining: 1, resetSeconds: 60 },
        { _tag: "Allowed", remaining: 0, resetSeconds: 60 }
      ])
    })
  )

  for (const seconds of [90, -90, 86_400]) {
    it.effect(`a caller whose clock is wrong by ${seconds} seconds counts in the same minute as the others`, () =>
      Effect.gen(function* () {
        const { take } = yield* RateLimits
        const takeNow = (window: RateWindow) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.map(take([window], now), ({ _tag }) => _tag))
        const clock = wrongBy(yield* Clock.Clock, seconds)
        const wrongly = (window: RateWindow) => Effect.provideService(takeNow(window), Clock.Clock, clock)
        for (const [one, other] of [
          [takeNow, wrongly],
          [wrongly, takeNow]
        ] as const) {
          const window = { subject: subject(), limit: 2 }
          assert.deepStrictEqual(
            [yield* one(window), yield* other(window), yield* one(window), yield* other(window)],
            ["Allowed", "Allowed", "Denied", "Denied"]
          )
        }
      })
    )
  }

  it.effect("many who ask at once, of two processes, get no more than the limit", () =>
    Effect.gen(function* () {
      const { take } = yield* RateLimits
      const second = yield* secondOf(RateLimits, options.second)
      // a process that begins may forget windows of long ago
      const now = yield* Clock.currentTimeMillis
      const windows = [
        { subject: subject(), limit: 20 },
        { subject: subject(), limit: 30 }
      ]
      const decisions = yield* Effect.forEach(
        Array.from({ length: 100 }),
        (_, n) => (n % 2 === 0 ? take : second.take)(windows, now),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(decisions.filter(({ _tag }) => _tag === "Allowed").length, 20)
      const rest = yield* second.take([{ subject: windows[1]?.subject ?? "", limit: 30 }], now)
      assert.deepStrictEqual(rest, { _tag: "Allowed", remaining: 9, resetSeconds: 60 })
    })
  )
}

/** What every RateLimits must do: windows that slide, shared by all who ask. Time is that of the caller, put right by the clock of the store. */
export const rateLimitsSuite = (
  name: string,
  layer: Layer.Layer<RateLimits, unknown>,
  options: RateLimitsSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: RateLimits`, (it) =>
    rateLimitsTests(it, options)
  )
}
