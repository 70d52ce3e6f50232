import { of } from "@bursar/core/money/Amount"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { float, hear, payer, says, send, store, wrong } from "./world.ts"

/** What a provider may tell in a currency that the table lacks, and of what. */
const answers = {
  "all that was paid out, or arrived": says("SETTLED", { received: of(5n, "XXX") }),
  "all that came back": says("RETURNED", { returned: of(5n, "XXX") }),
  "what arrived, and all of it came back": says("RETURNED", { received: of(5n, "XXX"), returned: of(5n, "XXX") }),
  "what arrived, and a part came back": says("RETURNED", { received: of(7n, "XXX"), returned: of(5n, "XXX") })
}

/** Of what had settled as a payout it says nothing but what came back. */
const others = {
  "what arrived, and euro came back": says("RETURNED", { received: of(7n, "XXX"), returned: of(5n, "EUR") })
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
})
