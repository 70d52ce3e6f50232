import { RateLimits, type RateWindow } from "@bursar/core/port/RateLimits"
import { StorageError } from "@bursar/core/engine/StorageError"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { migratedDatabase } from "./database.ts"

const { ports } = await migratedDatabase()

const second = 1_700_000_000

describe("RateLimits over several processes", () => {
  it.live("hold while all of them take from the same new windows at once, in any order", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.forEach([1, 2, 3], () => Layer.build(ports()))
      const windows = Array.from({ length: 5 }, (_, n) => ({ subject: `shared:${n}`, limit: 40 + n }))
      // each process asks for pairs of neighbours, another order each, in batches that follow one another
      const taken = yield* Effect.forEach(
        processes,
        (context, process) =>
          Effect.gen(function* () {
            const { take } = yield* RateLimits
            return yield* Effect.forEach(
              Array.from({ length: 200 }, (_, n) => n),
              (n) => {
                const at = (n * (process + 1)) % windows.length
                const pair = [windows[at], windows[(at + 1) % windows.length]].filter((one) => one !== undefined)
                return Effect.map(take(process === 1 ? pair.toReversed() : pair, second * 1_000), ({ _tag }) =>
                  _tag === "Allowed" ? pair : []
                )
              },
              { concurrency: 20 }
            )
          }).pipe(Effect.provide(context)),
        { concurrency: "unbounded" }
      )
      const counts = Map.groupBy(taken.flat(2), ({ subject }) => subject)
      for (const { limit, subject } of windows) {
        const used = counts.get(subject)?.length ?? 0
        const [context] = processes
        const left = yield* RateLimits.pipe(
          Effect.flatMap(({ take }) => take([{ subject, limit: 1_000 }], second * 1_000)),
          Effect.provide(context ?? assert.fail("no process"))
        )
        assert.isAtMost(used, limit)
        assert.strictEqual(left._tag, "Allowed")
        // what a process has taken ahead counts, too
        if (left._tag === "Allowed") assert.isAtLeast(1_000 - left.remaining - 1, used)
      }
    }).pipe(Effect.scoped)
  )

  /** Some processes, each of which can be ended on its own: its scope closes as that of a server that stops. */
  const startAll = (count: number) =>
    Effect.forEach(Array.from({ length: count }), () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const context = yield* Scope.provide(Layer.build(ports()), scope)
        return { take: Context.get(context, RateLimits).take, stop: Scope.close(scope, Exit.void) }
      })
    )

  type Process = Effect.Success<ReturnType<typeof startAll>>[number]

  /** How many of so many requests pass that are made in one second, a few at once. */
  const passed = ({ take }: Process, window: RateWindow, count: number, at: number) =>
    Effect.map(
      Effect.forEach(Array.from({ length: count }), () => take([window], at * 1_000), { concurrency: 5 }),
      (all) => all.filter(({ _tag }) => _tag === "Allowed").length
    )

  it.live("refuse what comes once their process has ended, and let nobody wait for an answer", () =>
    Effect.gen(function* () {
      for (const { stop, take } of yield* startAll(1)) {
        yield* stop
        for (const time of ["first", "second"])
          assert.instanceOf(
            yield* Effect.flip(take([{ subject: "ended", limit: 5 }], second * 1_000)),
            StorageError,
            time
          )
      }
    })
  )

  it.live(
    "never let more than the limit pass in any sixty seconds, whatever processes take ahead, stop and start",
    () =>
      Effect.gen(function* () {
        const window = { subject: `minute:${crypto.randomUUID()}`, limit: 300 }
        let processes = yield* startAll(3)
        const bySecond = new Map<number, number>()
        // bursts in some seconds, by all processes at once; one of them stops in between and another takes its place
        for (const [round, at] of [0, 0, 1, 7, 30, 59, 60, 61, 67, 90, 119, 121].entries()) {
          const now = second + 1_000 + at
          const counts = yield* Effect.forEach(processes, (one) => passed(one, window, 60, now), {
            concurrency: "unbounded"
          })
          bySecond.set(now, (bySecond.get(now) ?? 0) + counts.reduce((sum, count) => sum + count, 0))
          if (round % 4 === 3) {
            const [first, ...rest] = processes
            yield* first?.stop ?? Effect.void
            processes = [...rest, ...(yield* startAll(1))]
          }
        }
        for (const from of bySecond.keys()) {
          const inMinute = [...bySecond].filter(([at]) => at >= from && at < from + 60)
          assert.isAtMost(
            inMinute.reduce((sum, [, count]) => sum + count, 0),
            window.limit
          )
        }
        // what was not used comes back: nearly all of the limit was let through
        assert.isAtLeast(bySecond.get(second + 1_000) ?? 0, 0.8 * window.limit)
        yield* Effect.forEach(processes, ({ stop }) => stop)
      })
  )

  it.live("give back what a process has taken ahead and not used, so that another can have all of it", () =>
    Effect.gen(function* () {
      const window = { subject: `left:${crypto.randomUUID()}`, limit: 800 }
      const [one, other] = yield* startAll(2)
      if (one === undefined || other === undefined) assert.fail("no process")
      const used = (yield* passed(one, window, 20, second)) + (yield* passed(one, window, 20, second))
      assert.strictEqual(used, 40)
      yield* one.stop
      assert.strictEqual(yield* passed(other, window, 900, second), window.limit - used)
      yield* other.stop
    })
  )

  it.live(
    "refuse nobody for what was taken ahead and not used: keys of a tenant share its limit to the last request",
    () =>
      Effect.gen(function* () {
        const tenant = { subject: `tenant:${crypto.randomUUID()}`, limit: 300 }
        const [one] = yield* startAll(1)
        if (one === undefined) assert.fail("no process")
        const keys = Array.from({ length: 100 }, (_, key) => [
          { subject: `${tenant.subject}:${key}`, limit: 600 },
          tenant
        ])
        const round = Effect.forEach(keys, (windows) => one.take(windows, second * 1_000), { concurrency: 5 })
        const all = [...(yield* round), ...(yield* round), ...(yield* round)]
        assert.deepStrictEqual([...new Set(all.map(({ _tag }) => _tag))], ["Allowed"])
        assert.strictEqual((yield* one.take([tenant], second * 1_000))._tag, "Denied")
        yield* one.stop
      })
  )

  it.live("keep what a process that crashed had taken ahead, and let no more pass for it", () =>
    Effect.gen(function* () {
      const window = { subject: `crash:${crypto.randomUUID()}`, limit: 400 }
      const [crashed, other] = yield* startAll(2)
      if (crashed === undefined || other === undefined) assert.fail("no process")
      const used = (yield* passed(crashed, window, 20, second)) + (yield* passed(crashed, window, 20, second))
      // it is never heard of again
      const rest = yield* passed(other, window, 500, second)
      assert.isAtMost(used + rest, window.limit)
      assert.strictEqual((yield* other.take([window], (second + 60) * 1_000))._tag, "Allowed")
    })
  )

  it.live("count a request that was taken ahead under one limit against a lower one", () =>
    Effect.gen(function* () {
      const subject = `lowered:${crypto.randomUUID()}`
      const [one] = yield* startAll(1)
      if (one === undefined) assert.fail("no process")
      yield* passed(one, { subject, limit: 400 }, 20, second)
      yield* passed(one, { subject, limit: 400 }, 20, second)
      assert.strictEqual(yield* passed(one, { subject, limit: 40 }, 10, second), 0)
      yield* one.stop
    })
  )
})
