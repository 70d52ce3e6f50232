import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { approveResolution } from "@bursar/core/resolution/resolutionCommands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { float, hear, payer, propose, says, send, sender, settledWith, store, submit, wrong } from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)
const eur = (units: bigint | null) => (units === null ? null : of(units, "EUR"))
const settles = (received: bigint | null) => says("SETTLED", { received: eur(received), sender })
const returns = (returned: bigint, received: bigint | null = null) =>
  says("RETURNED", { returned: eur(returned), received: eur(received), sender })

/** An ON_RAMP of 100 EUR that heard these answers. */
const heard = Effect.fnUntraced(function* (...answers: ReadonlyArray<ReturnType<typeof says>>) {
  const tenant = yield* payer()
  const operation = yield* send(tenant, { kind: "ON_RAMP", payee: null })
  let after = operation
  for (const answer of answers) after = yield* hear(tenant, operation, answer)
  return { tenant, operation, after }
})

describe("a transfer of which a return was told without how much", () => {
  for (const kind of ["ON_RAMP", "BANK_TRANSFER"] as const)
    for (const isSettled of [false, true])
      it.effect(
        `is not cleared by the word that it has settled: ${kind}, ${isSettled ? "after" : "before"} it had`,
        () =>
          run(
            Effect.gen(function* () {
              const tenant = yield* payer()
              const sent = yield* send(tenant, kind === "ON_RAMP" ? { kind, payee: null } : { kind })
              if (isSettled) yield* hear(tenant, sent, settles(10_000n))
              const before = yield* float(tenant)
              const open = yield* hear(tenant, sent, says("RETURNED", { returned: null, sender }))
              const after = yield* hear(tenant, sent, settles(10_000n))
              assert.deepStrictEqual([open.unresolved, after.unresolved, after.status], [true, true, open.status])
              assert.deepStrictEqual(yield* float(tenant), before)
              // how much is told at last
              const back = yield* hear(tenant, sent, returns(10_000n, kind === "ON_RAMP" ? 10_000n : null))
              assert.deepStrictEqual([back.status, back.unresolved], ["RETURNED", false])
              assert.deepStrictEqual(yield* wrong(tenant), [])
            })
          )
      )
})

describe("an ON_RAMP of which a return was told that is not booked", () => {
  for (const [what, ...first] of [
    ["before it had settled", returns(3_000n)],
    ["of another amount than had settled", settles(10_000n), returns(8_000n, 8_000n)],
    ["and of which it had come back more", settles(10_000n), returns(3_000n, 10_000n), returns(2_000n, 10_000n)]
  ] as const)
    it.effect(`is not cleared by the word that it has settled: ${what}`, () =>
      run(
        Effect.gen(function* () {
          const { after: open, operation, tenant } = yield* heard(...first)
          assert.isTrue(open.unresolved)
          const before = yield* float(tenant)
          for (const answer of [settles(10_000n), settles(null), settles(10_000n)]) {
            const after = yield* hear(tenant, operation, answer)
            assert.deepInclude(after, { status: open.status, unresolved: true })
          }
          assert.deepStrictEqual(yield* float(tenant), before)
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
    )

  it.effect("is booked with what arrived once the return is told again", () =>
    run(
      Effect.gen(function* () {
        const { after, tenant } = yield* heard(returns(3_000n), settles(10_000n), returns(3_000n))
        assert.deepInclude(after, { status: "RETURNED", unresolved: false })
        // 70 EUR stayed, less one percent
        assert.deepStrictEqual(yield* float(tenant), [106_930n, 0n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is credited whole where operators say that nothing went back", () =>
    run(
      Effect.gen(function* () {
        const { after: open, operation, tenant } = yield* heard(returns(3_000n), settles(10_000n))
        const resolution = yield* propose(tenant, open, settledWith(10_000n, "EUR"))
        yield* submit(tenant, approveResolution({ resolution, operation: open, by: "ben", currencies, proof: null }))
        const after = yield* hear(tenant, operation, settles(10_000n))
        assert.deepInclude(after, { status: "SETTLED", unresolved: false })
        assert.deepStrictEqual(yield* float(tenant), [109_900n, 0n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )
})
