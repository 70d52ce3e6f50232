import { contradictionsOf } from "@bursar/core/operation/contradictions"
import { of } from "@bursar/core/money/Amount"
import { closeContradiction } from "@bursar/core/resolution/closeContradiction"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { float, hear, payer, says, send, store, submit } from "./world.ts"

describe("a transfer of which its provider says that it was carried out under another id", () => {
  for (const [status, more] of [
    ["FAILED", {}],
    ["RETURNED", {}],
    ["RETURNED", { returned: of(4_000n, "EUR") }]
  ] as const)
    it.effect(`gives nothing back on its word alone that the first one is ${status}, ${Object.keys(more).join()}`, () =>
      Effect.gen(function* () {
        const id = yield* payer()
        const operation = yield* send(id)
        const held = yield* float(id)
        yield* hear(id, operation, says("SENT", { providerReference: "A" }))
        const told = yield* hear(id, operation, says("SETTLED", { providerReference: "B" }))
        assert.lengthOf(contradictionsOf(told), 1)
        const after = yield* hear(id, operation, says(status, { providerReference: "A", reason: "no", ...more }))
        assert.deepStrictEqual([after.unresolved, yield* float(id)], [true, held])
      }).pipe(Effect.provide(store))
    )
  it.effect("and takes back, once operators have closed that, is said anew where it says so again", () =>
    Effect.gen(function* () {
      const id = yield* payer()
      const operation = yield* send(id)
      yield* hear(id, operation, says("SENT", { providerReference: "A" }))
      const told = yield* hear(id, operation, says("SETTLED", { providerReference: "B" }))
      yield* submit(id, closeContradiction({ operation: told, by: "ann", reason: "the bank took it back" }))
      yield* hear(id, operation, says("FAILED", { providerReference: "B", reason: "a mistake" }))
      const again = yield* hear(id, operation, says("SETTLED", { providerReference: "B" }))
      assert.lengthOf(contradictionsOf(again), 1)
    }).pipe(Effect.provide(store))
  )
})
