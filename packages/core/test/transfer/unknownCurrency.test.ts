import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { recordTransfer } from "@bursar/core/transfer/recordTransfer"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { about, float, hear, payer, says, send, store, submit, wrong } from "./world.ts"

/** What a provider may tell in a currency that the table lacks, and of what. */
const answers = {
  "all that was paid out, or arrived": says("SETTLED", { received: of(5n, "XXX") }),
  "all that came back": says("RETURNED", { returned: of(5n, "XXX") }),
  "what arrived, and all of it came back": says("RETURNED", { received: of(5n, "XXX"), returned: of(5n, "XXX") }),
  "what arrived, and a part came back": says("RETURNED", { received: of(700n, "XXX"), returned: of(5n, "XXX") })
}

/** Of what had settled as a payout it says nothing but what came back. */
const others = {
  "what arrived, and euro came back": says("RETURNED", { received: of(700n, "XXX"), returned: of(5n, "EUR") })
}

const requests = [{ kind: "BANK_TRANSFER" }, { kind: "OFF_RAMP" }, { kind: "ON_RAMP", payee: null }] as const

describe("a transfer of which its provider tells an amount in a currency that the table lacks", () => {
  for (const request of requests) {
    for (const [what, answer] of Object.entries({ ...answers, ...others }))
      it.effect(`is left open for somebody to look at, and moves nothing: ${request.kind}, ${what}`, () =>
        Effect.gen(function* () {
          const tenant = yield* payer()
          const operation = yield* send(tenant, request)
          const before = yield* float(tenant)
          const after = yield* hear(tenant, operation, answer)
          assert.deepStrictEqual([after.status, after.unresolved], [operation.status, true])
          assert.deepStrictEqual(yield* float(tenant), before)
          assert.deepStrictEqual(yield* hear(tenant, after, answer), after, "told again it is no news")
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }).pipe(Effect.provide(store))
      )

    for (const [what, answer] of Object.entries(answers))
      it.effect(`that has settled keeps what was booked, and is flagged: ${request.kind}, ${what}`, () =>
        Effect.gen(function* () {
          const tenant = yield* payer()
          const operation = yield* hear(tenant, yield* send(tenant, request), says("SETTLED"))
          const before = yield* float(tenant)
          const after = yield* hear(tenant, operation, answer)
          assert.deepStrictEqual([after.status, after.unresolved], ["SETTLED", true])
          assert.deepStrictEqual(yield* float(tenant), before)
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }).pipe(Effect.provide(store))
      )
  }

  for (const [what, answer] of Object.entries({
    "settled with it": says("SETTLED", { received: of(700n, "XXX") }),
    "had some of it come back": answers["what arrived, and a part came back"],
    "had euro come back of it": others["what arrived, and euro came back"]
  }))
    it.effect(
      `keeps what is said to have arrived when it ${what}: what was announced coming back does not close it`,
      () =>
        Effect.gen(function* () {
          const tenant = yield* payer()
          const first = yield* hear(tenant, yield* send(tenant, { kind: "ON_RAMP", payee: null }), answer)
          assert.deepStrictEqual(first.details.told, { units: "700", currency: "XXX" })
          assert.include(first.details.unresolved_because, "XXX")
          const back = says("RETURNED", { received: null, returned: of(10_000n, "EUR") })
          const after = yield* hear(tenant, first, back)
          assert.deepStrictEqual([after.status, after.unresolved], [first.status, true])
          assert.include(after.details.unresolved_because, "where XXX had moved")
          const stated = recordTransfer({
            operation: after,
            answer: about(after, back),
            currencies: defaultCurrencies,
            stated: true
          })
          const closed = yield* submit(tenant, stated)
          assert.deepStrictEqual(
            [closed?.status, closed?.unresolved, closed?.details.told],
            ["RETURNED", false, undefined],
            "operators say so"
          )
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }).pipe(Effect.provide(store))
    )

  it.effect("is settled once the provider tells another amount that has arrived", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const told = says("SETTLED", { received: of(700n, "XXX") })
      const first = yield* hear(tenant, yield* send(tenant, { kind: "ON_RAMP", payee: null }), told)
      const silent = yield* hear(tenant, first, says("SETTLED", { received: null }))
      assert.deepStrictEqual(
        silent.details.told,
        { units: "700", currency: "XXX" },
        "one that tells none takes none back"
      )
      const after = yield* hear(tenant, silent, says("SETTLED"))
      assert.deepStrictEqual([after.status, after.unresolved, after.details.told], ["SETTLED", false, undefined])
      assert.deepStrictEqual(yield* wrong(tenant), [])
    }).pipe(Effect.provide(store))
  )
})
