import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { past } from "../fixtures/tenants.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

const seal = (number: number, fill = "a"): AuditSeal => ({
  number,
  fromId: number * 10 - 9,
  toId: number * 10,
  hash: fill.repeat(64),
  at: past + number,
  keyId: "one",
  previous: "b".repeat(64),
  mac: fill.repeat(64)
})

/** What every AuditSeals must do: a seal is never changed. The store has none before. */
export const auditSealsSuite = <E>(
  name: string,
  layer: Layer.Layer<AuditSeals, E>,
  options: SuiteOptions = {}
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: AuditSeals`, (it) => {
    it.effect("gives seals back by number, in pages, and the newest one; the first that has a number keeps it", () =>
      Effect.gen(function* () {
        const { add, after, last } = yield* AuditSeals
        assert.isUndefined(yield* last)
        assert.deepStrictEqual(yield* after(0, 10), [])
        // ten is after nine, as a number and not as a text
        const all = Array.from({ length: 11 }, (_, index) => seal(index + 1))
        for (const one of all.toReversed()) yield* add(one)
        assert.deepStrictEqual(yield* last, seal(11))
        assert.deepStrictEqual(yield* after(0, 3), all.slice(0, 3))
        assert.deepStrictEqual(yield* after(3, 100), all.slice(3))
        assert.deepStrictEqual(yield* after(11, 100), [])
        yield* add(seal(11, "c"))
        yield* add(seal(2, "c"))
        assert.deepStrictEqual(yield* after(0, 100), all)
        // of many that add another one under the same number, one is kept, and stays
        const others = ["d", "e", "f", "0"].map((fill) => seal(12, fill))
        yield* Effect.forEach(others, add, { concurrency: "unbounded" })
        const kept = yield* last
        assert.isTrue(others.some(({ mac }) => mac === kept?.mac))
        for (const one of others) yield* add(one)
        assert.deepStrictEqual(yield* last, kept)
      })
    )
  })
}
