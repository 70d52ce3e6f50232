import { of } from "@bursar/core/money/Amount"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { closeContradiction } from "@bursar/core/resolution/closeContradiction"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { resolved, stated } from "./world.ts"
import { hear, payer, says, send, sender, store, submit, wrong } from "../transfer/world.ts"

const amount = of(10_000n, "EUR")

const orders = [
  ["an ON_RAMP", { kind: "ON_RAMP", payee: null }],
  ["a BANK_TRANSFER", {}]
] as const

/** What is said of another id, and how it is noted. */
const outcomes = [
  ["settled", says("SETTLED", { received: amount, sender, providerReference: "t-3" }), "it says SETTLED"],
  [
    "returned in part",
    says("RETURNED", { returned: of(3_000n, "EUR"), providerReference: "t-3" }),
    "it says RETURNED of"
  ],
  ["returned without how much", says("RETURNED", { returned: null, providerReference: "t-3" }), "it says RETURNED"]
] as const

const noted = (operation: Operation) =>
  contradictionsOf(operation).map(({ moved, reference }) => ({ moved, reference }))

const beside = [{ moved: true, reference: "t-3" }]

describe("what a fiat provider says under another id than it had told of an open transfer", () => {
  for (const [what, order] of orders)
    for (const [how, word, said] of outcomes) {
      /** Gives the transfer once that was said of t-3, where it is t-1. */
      const toldElsewhere = Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant, order)
        yield* hear(tenant, operation, says("PROCESSING", { providerReference: "t-1" }))
        const after = yield* hear(tenant, operation, word)
        assert.deepStrictEqual([noted(after), after.unresolved], [beside, true])
        assert.include(contradictionsOf(after)[0]?.said, said)
        return { operation: after, tenant }
      })

      it.effect(`that ${what} was ${how} is noted once, and keeps its failure from being believed`, () =>
        Effect.gen(function* () {
          const { operation, tenant } = yield* toldElsewhere
          for (const status of ["PROCESSING", "FAILED"] as const)
            yield* hear(tenant, operation, says(status, { providerReference: "t-1" }))
          yield* hear(tenant, operation, word)
          const after = yield* hear(tenant, operation, says("FAILED", { providerReference: "t-1" }))
          assert.deepStrictEqual([noted(after), after.status === "FAILED", after.unresolved], [beside, false, true])
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }).pipe(Effect.provide(store))
      )

      it.effect(`that ${what} was ${how} stays noted where it settles by its own`, () =>
        Effect.gen(function* () {
          const { operation, tenant } = yield* toldElsewhere
          const own = says("SETTLED", { received: amount, sender, providerReference: "t-1" })
          const after = yield* hear(tenant, operation, own)
          assert.deepStrictEqual([noted(after), after.status], [beside, "SETTLED"])
          assert.deepStrictEqual(noted(yield* hear(tenant, after, word)), beside)
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }).pipe(Effect.provide(store))
      )

      it.effect(`that ${what} was ${how} lets it fail once operators have dealt with it`, () =>
        Effect.gen(function* () {
          const { operation, tenant } = yield* toldElsewhere
          yield* submit(tenant, closeContradiction({ operation, by: "olga", reason: "It was another's." }))
          const after = yield* hear(tenant, operation, says("FAILED", { providerReference: "t-1" }))
          assert.deepStrictEqual([noted(after), after.status], [[], "FAILED"])
        }).pipe(Effect.provide(store))
      )
    }

  it.effect("counts where operators state that id, and nothing stands against it then", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const operation = yield* send(tenant)
      for (const providerReference of ["t-1", "t-3"])
        yield* hear(tenant, operation, says(providerReference === "t-1" ? "SENT" : "SETTLED", { providerReference }))
      const open = yield* hear(tenant, operation, says("FAILED", { providerReference: "t-1" }))
      const after = yield* resolved(tenant, open, stated({ providerReference: "t-3", received: amount }))
      assert.deepStrictEqual([noted(after), after.status], [[], "SETTLED"])
      assert.deepStrictEqual(yield* wrong(tenant), [])
    }).pipe(Effect.provide(store))
  )
})
