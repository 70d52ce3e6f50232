import { of } from "@bursar/core/money/Amount"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { balanceOf, float, hear, paidIn, payer, says, send, sender, store, wrong } from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)
const none = of(0n, "EUR")

describe("an answer that tells zero, which is no amount", () => {
  it.effect("has a settled ON_RAMP go back, though its provider tells what is left and not what arrived", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const before = [yield* float(tenant), yield* balanceOf(tenant, "bank")]
        const operation = yield* paidIn(tenant)
        const after = yield* hear(tenant, operation, says("RETURNED", { received: none }))
        assert.deepStrictEqual([after.status, after.unresolved], ["RETURNED", false])
        assert.deepStrictEqual([yield* float(tenant), yield* balanceOf(tenant, "bank")], before)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  for (const kind of ["ON_RAMP", "BANK_TRANSFER"] as const)
    it.effect(`is no other amount of a ${kind} that has settled, or came back in part`, () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const operation = yield* send(tenant, kind === "ON_RAMP" ? { kind, payee: null } : { kind })
          const settled = yield* hear(tenant, operation, says("SETTLED", { sender }))
          const again = yield* hear(tenant, settled, says("SETTLED", { received: none, sender }))
          assert.deepInclude(again, { status: "SETTLED", unresolved: false })
          yield* hear(tenant, settled, says("RETURNED", { returned: of(3_000n, "EUR") }))
          const late = yield* hear(tenant, settled, says("SETTLED", { received: none, sender }))
          assert.deepInclude(late, { status: "RETURNED", unresolved: false })
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
    )

  it.effect("takes back no amount that cannot be booked", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        yield* hear(tenant, operation, says("SETTLED"))
        const open = yield* hear(tenant, operation, says("SETTLED", { received: of(9_000n, "EUR") }))
        const after = yield* hear(tenant, open, says("SETTLED", { received: none }))
        assert.isTrue(after.unresolved)
        assert.deepStrictEqual(after.details.told, { units: "9000", currency: "EUR" })
      })
    )
  )

  it.effect("contradicts nothing where all has gone back", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant, { kind: "ON_RAMP", payee: null })
        const back = yield* hear(tenant, operation, says("RETURNED"))
        assert.strictEqual(back.status, "RETURNED")
        for (const returned of [null, none]) {
          const after = yield* hear(tenant, back, says("RETURNED", { received: none, returned }))
          assert.notProperty(after.details, "contradiction")
        }
      })
    )
  )
})
