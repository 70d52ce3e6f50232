import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { heldMsMost, makePlaces, type Places } from "../../src/queue/places.ts"

const tenant = (n: number): TenantId => TenantId(`00000000-0000-4000-8000-${String(n).padStart(12, "0")}`)

const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

/** Work of tenants that never ends by itself, told by the tenants that have a place. */
const slowly = (places: Places) => {
  const working: Array<number> = []
  const ends = new Map<number, Array<Deferred.Deferred<void>>>()
  const begin = Effect.fnUntraced(function* (n: number, times: number) {
    const work = Effect.suspend(() => {
      const end = Deferred.makeUnsafe<void>()
      ends.set(n, [...(ends.get(n) ?? []), end])
      working.push(n)
      return Deferred.await(end).pipe(Effect.ensuring(Effect.sync(() => working.splice(working.indexOf(n), 1))))
    })
    const fibers = yield* Effect.forEach(Array.from({ length: times }), () => Effect.forkChild(places(tenant(n), work)))
    yield* settle
    return fibers
  })
  const end = Effect.fnUntraced(function* (n: number) {
    const [first, ...others] = ends.get(n) ?? []
    ends.set(n, others)
    if (first !== undefined) yield* Deferred.succeed(first, undefined)
    yield* settle
  })
  const countOf = (n: number) => working.filter((one) => one === n).length
  return { begin, end, countOf, working }
}

describe("places", () => {
  for (const tenants of [2, 3, 4])
    it.effect(`are left for another tenant where ${tenants} have more to do than fits, and none of it ends`, () =>
      Effect.gen(function* () {
        const { begin, countOf, working } = slowly(yield* makePlaces(16))
        for (let n = 1; n <= tenants; n++) yield* begin(n, 100)
        assert.isAtMost(countOf(1), 8)
        yield* begin(9, 1)
        assert.strictEqual(countOf(9), 1)
        assert.isAtMost(working.length, 16)
      })
    )

  it.effect("are never more than there are, and all are taken where there are tenants enough", () =>
    Effect.gen(function* () {
      const { begin, working } = slowly(yield* makePlaces(6))
      for (let n = 1; n <= 10; n++) yield* begin(n, 3)
      assert.strictEqual(working.length, 6)
    })
  )

  it.effect("go to who holds the fewest where one is given back, and to each in turn", () =>
    Effect.gen(function* () {
      const { begin, countOf, end } = slowly(yield* makePlaces(3))
      yield* begin(1, 10)
      yield* begin(2, 10)
      assert.deepStrictEqual([countOf(1), countOf(2)], [2, 1])
      yield* begin(3, 1)
      assert.strictEqual(countOf(3), 0)
      yield* end(1)
      assert.deepStrictEqual([countOf(1), countOf(2), countOf(3)], [1, 1, 1])
      yield* end(3)
      yield* begin(3, 1)
      assert.deepStrictEqual([countOf(1), countOf(2), countOf(3)], [1, 1, 1])
    })
  )

  it.effect("are given back by what fails, and by what is interrupted, waiting or not", () =>
    Effect.gen(function* () {
      const places = yield* makePlaces(1)
      const { begin, countOf, working } = slowly(places)
      const failed = yield* Effect.exit(places(tenant(1), Effect.fail("no")))
      assert.strictEqual(failed._tag, "Failure")
      const working1 = yield* begin(1, 1)
      const waiting = yield* begin(2, 2)
      assert.deepStrictEqual(working, [1])
      yield* Fiber.interruptAll(waiting)
      yield* Fiber.interruptAll(working1)
      assert.deepStrictEqual(working, [])
      yield* begin(3, 1)
      assert.strictEqual(countOf(3), 1)
    })
  )

  it.effect("that works hold for very long are given to others who wait, once, however many tenants hold them", () =>
    Effect.gen(function* () {
      const { begin, countOf, end, working } = slowly(yield* makePlaces(4))
      for (let n = 1; n <= 4; n++) yield* begin(n, 1)
      assert.deepStrictEqual([1, 2, 3, 4].map(countOf), [1, 1, 1, 1])
      yield* begin(9, 1)
      assert.strictEqual(countOf(9), 0)
      yield* TestClock.adjust(heldMsMost)
      yield* settle
      assert.strictEqual(countOf(9), 1)
      assert.lengthOf(working, 5)
      // what went on without its place gives none back
      for (let n = 1; n <= 4; n++) yield* end(n)
      for (let n = 11; n <= 20; n++) yield* begin(n, 1)
      assert.lengthOf(working, 4)
    })
  )

  it.effect("stay with works that hold them for long while nobody else waits", () =>
    Effect.gen(function* () {
      const { begin, countOf } = slowly(yield* makePlaces(1))
      yield* begin(1, 1)
      yield* TestClock.adjust(heldMsMost * 3)
      assert.strictEqual(countOf(1), 1)
    })
  )
})
