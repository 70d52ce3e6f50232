import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { approveResolution } from "@bursar/core/resolution/resolutionCommands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { float, hear, payer, propose, says, send, sender, settledWith, store, submit, wrong } from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)
const eur = (units: bigint) => of(units, "EUR")
const settles = (received: bigint | null) => says("SETTLED", { received: received === null ? null : eur(received) })
const returns = (returned: bigint) => says("RETURNED", { returned: eur(returned) })

/** A transfer of 100 EUR that has settled, and of which 30 EUR came back. */
const partly = Effect.fnUntraced(function* (kind: "ON_RAMP" | "BANK_TRANSFER") {
  const tenant = yield* payer()
  const operation = yield* send(tenant, kind === "ON_RAMP" ? { kind, payee: null } : { kind })
  yield* hear(tenant, operation, says("SETTLED", { received: eur(10_000n), sender }))
  const back = yield* hear(tenant, operation, returns(3_000n))
  assert.deepInclude(back, { status: "RETURNED", unresolved: false })
  return { tenant, operation, back, books: yield* float(tenant) }
})

describe("a transfer of which a part has come back", () => {
  for (const kind of ["ON_RAMP", "BANK_TRANSFER"] as const) {
    it.effect(`is disputed where another amount is told than had settled: ${kind}`, () =>
      run(
        Effect.gen(function* () {
          for (const units of [8_000n, 2_000_000n]) {
            const { books, operation, tenant } = yield* partly(kind)
            const after = yield* hear(tenant, operation, settles(units))
            assert.deepInclude(after, { status: "RETURNED", unresolved: true })
            assert.deepStrictEqual(after.details.told, { units: String(units), currency: "EUR" })
            assert.deepStrictEqual(yield* hear(tenant, operation, settles(units)), after, "told again it is no news")
            assert.deepStrictEqual(yield* float(tenant), books)
            assert.deepStrictEqual(yield* wrong(tenant), [])
          }
        })
      )
    )

    it.effect(`is as it was where what had settled is told again, or nothing: ${kind}`, () =>
      run(
        Effect.gen(function* () {
          const { back, operation, tenant } = yield* partly(kind)
          const { said: _, ...details } = back.details
          for (const units of [10_000n, null]) {
            const after = yield* hear(tenant, operation, settles(units))
            const { said: __, ...same } = after.details
            assert.deepStrictEqual({ ...after, details: same }, { ...back, details })
          }
        })
      )
    )

    it.effect(`is what operators say, who are not asked again: ${kind}`, () =>
      run(
        Effect.gen(function* () {
          const { operation, tenant } = yield* partly(kind)
          const open = yield* hear(tenant, operation, settles(8_000n))
          const word = { ...settledWith(3_000n, "EUR"), outcome: "RETURNED" as const }
          const resolution = yield* propose(tenant, open, word)
          yield* submit(tenant, approveResolution({ resolution, operation: open, by: "ben", currencies, proof: null }))
          const after = yield* hear(tenant, operation, settles(8_000n))
          assert.deepInclude(after, { status: "RETURNED", unresolved: false })
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
    )
  }

  it.effect("does not go back whole once less is said to have arrived", () =>
    run(
      Effect.gen(function* () {
        const { books, operation, tenant } = yield* partly("ON_RAMP")
        yield* hear(tenant, operation, settles(8_000n))
        assert.isTrue((yield* hear(tenant, operation, returns(10_000n))).unresolved)
        assert.deepStrictEqual(yield* float(tenant), books)
      })
    )
  )

  it.effect("may be told with what is left of a payout", () =>
    run(
      Effect.gen(function* () {
        const { operation, tenant } = yield* partly("BANK_TRANSFER")
        assert.isFalse((yield* hear(tenant, operation, settles(7_000n))).unresolved)
      })
    )
  )
})
