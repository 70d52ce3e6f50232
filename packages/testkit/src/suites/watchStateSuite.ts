import * as Writer from "@bursar/core/engine/Writer"
import type { Fence } from "@bursar/core/engine/fenced"
import { Leadership } from "@bursar/core/port/Leadership"
import type { Storage } from "@bursar/core/port/Storage"
import type { Tenants } from "@bursar/core/port/Tenants"
import type { WatchState } from "@bursar/core/port/WatchState"
import { layer as layerTests } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"
import { backfillTests } from "./watch/backfillTests.ts"
import { cursorTests } from "./watch/cursorTests.ts"
import { foundTests } from "./watch/foundTests.ts"

/** The ports that the suite of the watch state uses. */
export type WatchStateSuitePorts = WatchState | Leadership | Storage | Tenants

/** The tests of the suite of the watch state. */
export type WatchStateIt = SuiteIt<WatchStateSuitePorts | Writer.Writer>

/** Takes a leadership, ends it, and gives its fence, which holds until somebody else takes it. */
export const takeFence = Effect.fnUntraced(function* (name: string) {
  const leadership = yield* Leadership
  const elected = yield* Deferred.make<Fence>()
  const term = yield* Effect.forkChild(
    leadership.lead(name, (fence) => Effect.andThen(Deferred.succeed(elected, fence), Effect.never))
  )
  const fence = yield* Deferred.await(elected)
  yield* Fiber.interrupt(term)
  return fence
})

/**
 * What every WatchState must do. Cursors and blocks belong to a network and not to a tenant, so this suite moves the
 * cursor of `bitcoin`, `stellar` and `tron`: give it a store in which nothing else watches these.
 */
export const watchStateSuite = (
  name: string,
  layer: Layer.Layer<WatchStateSuitePorts, unknown>,
  options: SuiteOptions = {}
): void => {
  const services = Layer.provideMerge(Layer.fresh(Writer.layer), layer)
  layerTests(services, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: WatchState`, (it) => {
    const timeoutMs = timeoutOf(options)
    cursorTests(it, timeoutMs)
    foundTests(it, timeoutMs)
    backfillTests(it, timeoutMs)
  })
}
