import { LiveGroup } from "@bursar/api/operator/LiveGroup"
import { layer as layerMemory } from "@bursar/memory"
import { emitting } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import { OpenApi } from "effect/http-api"
import { TestClock } from "effect/testing"
import { LiveFeed, overlapMs, type Snapshot } from "../src/live/LiveFeed.ts"
import { LivePace } from "../src/live/LivePace.ts"

const { lookEveryMs } = LivePace.defaultValue()

const ports = Layer.provideMerge(LiveFeed.layer, Layer.fresh(layerMemory))

/** What a feed says while something goes on that takes no time of its own; each look after it is waited for. */
const saidDuring = Effect.fnUntraced(function* <E, R>(effect: Effect.Effect<unknown, E, R>) {
  const feed = yield* LiveFeed
  const said: Array<Snapshot> = []
  const following = yield* Effect.forkChild(
    Stream.runForEach(feed.snapshots, (one) => Effect.sync(() => said.push(one)))
  )
  yield* TestClock.adjust(lookEveryMs * 1.5)
  yield* effect
  yield* TestClock.adjust(lookEveryMs * 3)
  yield* Fiber.interrupt(following)
  return said
})

const kinds = ({ happened }: Pick<Snapshot, "happened">) => happened.map(({ event }) => event.data["why"])

describe("what happens in the whole service", () => {
  it("can come twice for as long as the contract says", () => {
    const said = Context.getOrUndefined(LiveGroup.endpoints.stream.annotations, OpenApi.Description)
    assert.match(said ?? "", /Those of the last minute can come twice/u)
    assert.strictEqual(overlapMs, 60_000)
  })

  it.effect("is told of everybody where one tenant's time is ahead of all clocks", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(past)
      const [ahead, other] = [yield* newTenant(), yield* newTenant()]
      yield* commitAt(ahead.id, past + 3_600_000, emitting())
      const [first, ...more] = yield* saidDuring(commitAt(other.id, past + 2_000, emitting({ why: "seen" })))
      assert.deepStrictEqual(more.flatMap(kinds), ["seen"])
      const feed = yield* LiveFeed
      assert.include(kinds(yield* feed.since(first?.position.at ?? 0)), "seen")
    }).pipe(Effect.provide(ports))
  )

  it.effect("is said to be missing after a place that is later than now: of whom it is not known", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(past)
      const feed = yield* LiveFeed
      assert.isTrue((yield* feed.since(past + 3_600_000)).missed)
      assert.isFalse((yield* feed.since(past)).missed)
    }).pipe(Effect.provide(ports))
  )

  it.effect("is said to be missing only where it is, of however many tenants that have moved lately", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(past)
      const tenants = yield* Effect.forEach(Array.from({ length: 1_001 }), () => newTenant())
      const emitAll = (at: number) =>
        Effect.forEach(tenants, ({ id }) => commitAt(id, at, emitting({ why: "all" })), { discard: true })
      yield* emitAll(past)
      const [one] = tenants
      if (one === undefined) return assert.fail("no tenant")
      const [, few, ...none] = yield* saidDuring(commitAt(one.id, past + 2_000, emitting({ why: "one" })))
      assert.deepStrictEqual([few?.missed, few && kinds(few), none], [false, ["one"], []])
      const [, many] = yield* saidDuring(emitAll(past + 10_000))
      assert.isTrue(many?.missed)
    }).pipe(Effect.provide(ports))
  )
})
