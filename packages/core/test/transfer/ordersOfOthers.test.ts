import { ProviderOrder } from "@bursar/core/custody/ProviderOrder"
import { putRecord } from "@bursar/core/engine/Records"
import { of } from "@bursar/core/money/Amount"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { float, hear, payer, propose, says, send, sender, settledWith, store, submit, wrong } from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)
const amount = of(10_000n, "EUR")
const paidIn = says("SETTLED", { received: amount, sender, providerReference: "tr_1" })

describe("an order of the fiat provider", () => {
  it.effect("that it names for the ON_RAMPs of two tenants is credited once", () =>
    run(
      Effect.gen(function* () {
        const [a, b] = [yield* payer(), yield* payer()]
        const one = yield* send(a, { kind: "ON_RAMP", payee: null, amount })
        const two = yield* send(b, { kind: "ON_RAMP", payee: null, amount })
        yield* hear(a, one, paidIn)
        const after = yield* hear(b, two, paidIn)
        assert.deepInclude(after, { status: "AWAITING_FUNDS", unresolved: true, providerReference: null })
        assert.strictEqual(after.details.unresolved_because, `the order tr_1 belongs to operation ${one.id}`)
        assert.deepStrictEqual(
          [yield* float(a), yield* float(b)],
          [
            [109_900n, 0n],
            [100_000n, 0n]
          ]
        )
        assert.deepStrictEqual([yield* wrong(a), yield* wrong(b)], [[], []])
      })
    )
  )

  it.effect("that it names for two payouts of a tenant settles one of them", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const [one, two] = [yield* send(tenant), yield* send(tenant)]
        const settled = yield* hear(tenant, one, says("SETTLED", { providerReference: "tr_1" }))
        const open = yield* hear(tenant, two, says("SETTLED", { providerReference: "tr_1" }))
        assert.deepStrictEqual([settled.status, open.status, open.unresolved], ["SETTLED", "ACCEPTED", true])
      })
    )
  )

  it.effect("says nothing of another operation that is over", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const failed = yield* hear(tenant, yield* send(tenant), says("FAILED", { providerReference: "tr_0" }))
        yield* hear(tenant, yield* send(tenant), says("SETTLED", { providerReference: "tr_1" }))
        const after = yield* hear(tenant, failed, says("SETTLED", { providerReference: "tr_1" }))
        assert.isUndefined(after.details.contradiction)
      })
    )
  )

  it.effect(
    "that it names for another one by mistake is said to be that one's, and its own is stated under the id of the payment",
    () =>
      run(
        Effect.gen(function* () {
          const [a, b] = [yield* payer(), yield* payer()]
          const one = yield* send(a, { kind: "ON_RAMP", payee: null, amount })
          const two = yield* send(b, { kind: "ON_RAMP", payee: null, amount })
          yield* hear(a, one, says("PROCESSING", { providerReference: "tr_2" }))
          const told = says("SETTLED", { received: amount, sender, providerReference: "tr_2" })
          const open = yield* hear(b, two, told)
          assert.deepInclude(open, { status: "AWAITING_FUNDS", unresolved: true })
          const stated = { ...settledWith(10_000n, "EUR"), providerReference: "tr_2" }
          assert.deepInclude(yield* Effect.flip(propose(b, open, stated)), {
            code: "state_conflict",
            message: `The books do not take it as SETTLED: the order tr_2 belongs to operation ${one.id}.`
          })
          yield* propose(b, open, { ...stated, providerReference: "payment 7 of the bank" })
          assert.deepStrictEqual([yield* wrong(a), yield* wrong(b)], [[], []])
        })
      )
  )

  it.effect("that was booked for two before does not keep operators from stating that nothing came of the second", () =>
    run(
      Effect.gen(function* () {
        for (const outcome of ["FAILED", "RETURNED"] as const) {
          const tenant = yield* payer()
          const sent = yield* send(tenant, { kind: "ON_RAMP", payee: null, amount })
          const answer = says(outcome === "FAILED" ? "UNRESOLVED" : "SETTLED", {
            received: outcome === "FAILED" ? null : amount,
            providerReference: `own-${outcome}`
          })
          const told = yield* hear(tenant, sent, answer)
          // as the upgrade leaves it: the order is the other's, whose row is older
          const owner = {
            provider: "fake",
            providerReference: told.providerReference ?? "",
            operationId: crypto.randomUUID()
          }
          yield* submit(
            tenant,
            writing(() => [putRecord(ProviderOrder, owner)])
          )
          const stated = { ...settledWith(10_000n, "EUR"), outcome, received: outcome === "FAILED" ? null : amount }
          yield* propose(tenant, told, stated)
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }
      })
    )
  )
})
