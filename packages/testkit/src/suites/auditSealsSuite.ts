import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { past } from "../fixtures/tenants.ts"
import { type Second, secondOf, type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

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

/** Settings of the suite of AuditSeals. */
export interface AuditSealsSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<AuditSeals>
}

/** The tests of the suite. */
export const auditSealsTests = (it: SuiteIt<AuditSeals>, options: AuditSealsSuiteOptions): void => {
  it.effect("gives seals back by number, in pages, and the newest one; the first that has a number keeps it", () =>
    Effect.gen(function* () {
      const { add, after, last } = yield* AuditSeals
      const second = yield* secondOf(AuditSeals, options.second)
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
      // of many that add another one under the same number, from two processes, one is kept, and stays
      const others = ["d", "e", "f", "0"].map((fill) => seal(12, fill))
      yield* Effect.forEach(others, (one, n) => (n % 2 === 0 ? add : second.add)(one), { concurrency: "unbounded" })
      const kept = yield* last
      assert.isTrue(others.some(({ mac }) => mac === kept?.mac))
      for (const one of others) yield* add(one)
      for (const newest of [last, second.last]) assert.deepStrictEqual(yield* newest, kept)
    })
  )
}

/** What every AuditSeals must do: a seal is never changed. The store has none before. */
export const auditSealsSuite = <E>(
  name: string,
  layer: Layer.Layer<AuditSeals, E>,
  options: AuditSealsSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: AuditSeals`, (it) =>
    auditSealsTests(it, options)
  )
}
