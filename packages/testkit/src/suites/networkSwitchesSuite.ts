import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

/** What every NetworkSwitches must do. */
export const networkSwitchesSuite = <E>(
  name: string,
  layer: Layer.Layer<NetworkSwitches, E>,
  options: SuiteOptions = {}
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: NetworkSwitches`, (it) => {
    it.effect("a network is as it was switched last, by whom and why; one that nobody switched is not listed", () =>
      Effect.gen(function* () {
        const switches = yield* NetworkSwitches
        const changedAt = Date.UTC(2026, 2, 3, 4, 5, 6, 789)
        const off = {
          network: "tron",
          payoutsOff: true,
          reason: "a key is lost",
          changedBy: "alice",
          changedAt
        } as const
        const on = {
          network: "tron",
          payoutsOff: false,
          reason: null,
          changedBy: "bob",
          changedAt: changedAt + 1
        } as const
        const other = { ...off, network: "base" } as const
        assert.deepStrictEqual(yield* switches.all, [])
        yield* switches.set(off)
        assert.deepStrictEqual(yield* switches.all, [off])
        yield* switches.set(on)
        yield* switches.set(other)
        const all = yield* switches.all
        assert.deepStrictEqual(
          all.toSorted((one, two) => (one.network < two.network ? -1 : 1)),
          [other, on]
        )
      })
    )
  })
}
