import type { Storage } from "@bursar/core/engine/Storage"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import type { Tenants } from "@bursar/core/port/Tenants"
import { Heads } from "@bursar/core/store/Heads"
import { assert, layer as layerTests } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { adjust, emitting } from "../fixtures/commands.ts"
import { commitAt, newTenant } from "../fixtures/tenants.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

/** A moment later than all that other suites commit on the same storage, and every one later than the one before. */
const later = (() => {
  let at = Date.UTC(2100, 0)
  return () => (at += 60_000)
})()

/** What every Heads must do: it tells that something is new, of whom, and nothing where nothing is. */
export const headsSuite = <E>(
  name: string,
  layer: Layer.Layer<Heads | Storage | Tenants, E>,
  options: SuiteOptions = {}
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: Heads`, (it) => {
    const read = (since: number) => Effect.flatMap(Heads, (heads) => heads.read(since, 50))

    it.effect("counts stay as they are while nothing is committed", () =>
      Effect.gen(function* () {
        yield* newTenant()
        const now = yield* Clock.currentTimeMillis
        assert.deepStrictEqual(yield* read(now), yield* read(now))
      })
    )

    it.effect("a commit for a tenant moves its count, and names the tenant with its last event", () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const at = later()
        const before = yield* read(at)
        yield* commitAt(id, at, emitting(), emitting())
        const after = yield* read(at)
        assert.notStrictEqual(after.commits, before.commits)
        assert.strictEqual(after.service, before.service)
        assert.strictEqual(after.newest, at)
        assert.deepStrictEqual(after.moved, [{ tenantId: id, eventId: 2 }])
        assert.deepStrictEqual((yield* read(at + 1)).moved, [])
      })
    )

    it.effect("a posting in the millisecond of the commit before it moves the count too", () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const at = later()
        yield* commitAt(id, at, adjust(1n))
        const before = yield* read(at)
        yield* commitAt(id, at, adjust(1n))
        assert.notStrictEqual((yield* read(at)).commits, before.commits)
      })
    )

    it.effect("what is committed for the service itself moves its own count, and is of no tenant", () =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const before = yield* read(now)
        yield* commitAt(fleetTenantId, now, switchNetwork("tron", "a key is lost", "alice"))
        const after = yield* read(now)
        assert.notStrictEqual(after.service, before.service)
        assert.strictEqual(after.commits, before.commits)
        assert.notInclude(
          after.moved.map(({ tenantId }) => tenantId),
          fleetTenantId
        )
      })
    )

    it.effect("names those that moved last where there are more than are asked for", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* newTenant(), yield* newTenant()]
        const at = later()
        yield* commitAt(one.id, at, emitting())
        yield* commitAt(other.id, at + 1, emitting())
        const { moved } = yield* Effect.flatMap(Heads, (heads) => heads.read(at, 1))
        assert.deepStrictEqual(moved, [{ tenantId: other.id, eventId: 1 }])
      })
    )
  })
}
