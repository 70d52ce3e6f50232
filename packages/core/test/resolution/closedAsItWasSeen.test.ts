import { of } from "@bursar/core/money/Amount"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { closeContradiction } from "@bursar/core/resolution/closeContradiction"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { hear, payer, refusalOf, says, send } from "../transfer/world.ts"
import { resolved, stated } from "./world.ts"
import { store, submit } from "../withdrawal/world.ts"

const eur = (units: bigint) => of(units, "EUR")
const closing = (operation: Operation) => closeContradiction({ operation, by: "anna", reason: "dealt with" })

/** A BANK_TRANSFER that operators have settled under ticket-7, of which the provider says by its own id that it has settled that. */
const beside = Effect.gen(function* () {
  const id = yield* payer()
  const o = yield* send(id)
  yield* hear(id, o, says("PROCESSING", { providerReference: "t-1" }))
  const open = yield* hear(id, o, says("UNRESOLVED", { providerReference: "t-1" }))
  yield* resolved(id, open, stated({ providerReference: "ticket-7", received: eur(10_000n) }))
  const word = says("SETTLED", { providerReference: "t-1" })
  const after = yield* hear(id, o, word)
  assert.lengthOf(contradictionsOf(after), 1)
  return { id, o, word, read: after }
})

describe("an operator who closes a contradiction", () => {
  it.effect("closes nothing of an operation that has become something else since it was looked at", () =>
    Effect.gen(function* () {
      const { id, o, read, word } = yield* beside
      // anna looks: SETTLED by ticket-7, and t-1 settled: it is one order, she thinks; meanwhile ticket-7 comes back whole
      yield* TestClock.adjust(1_000)
      const back = yield* hear(id, o, says("RETURNED", { providerReference: "ticket-7" }))
      assert.strictEqual(back.status, "RETURNED")
      yield* TestClock.adjust(1_000)
      const refusal = yield* refusalOf(id, closing(read))
      assert.match(refusal ?? "", /^state_conflict/u)
      // books: all came back; its provider: t-1 has paid 100 out
      const again = yield* hear(id, o, word)
      assert.include(
        contradictionsOf(again).map(({ reference }) => reference),
        "t-1"
      )
    }).pipe(Effect.provide(store))
  )
  it.effect("hides nothing that is said once it has come back", () =>
    Effect.gen(function* () {
      const { id, o, read, word } = yield* beside
      yield* submit(id, closing(read))
      yield* hear(id, o, says("RETURNED", { providerReference: "ticket-7" }))
      assert.lengthOf(contradictionsOf(yield* hear(id, o, word)), 1)
    }).pipe(Effect.provide(store))
  )
  it.effect("closes nothing of an operation that was resolved anew since it was looked at", () =>
    Effect.gen(function* () {
      const { id, o, read, word } = yield* beside
      yield* TestClock.adjust(1_000)
      const open = yield* hear(id, o, says("RETURNED", { providerReference: "ticket-7", returned: null }))
      yield* resolved(id, open, stated({ outcome: "RETURNED", providerReference: "ticket-7", received: eur(3_000n) }))
      yield* TestClock.adjust(1_000)
      const refusal = yield* refusalOf(id, closing(read))
      assert.match(refusal ?? "", /^state_conflict/u)
      assert.lengthOf(contradictionsOf(yield* hear(id, o, word)), 1)
    }).pipe(Effect.provide(store))
  )
})
