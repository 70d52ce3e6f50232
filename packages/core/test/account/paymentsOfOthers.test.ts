import { recordIncoming } from "@bursar/core/account/recordIncoming"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { newAccount, newCustomer } from "@bursar/testkit/fixtures/customers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { balanceOf, payer, store, submit, wrong } from "../transfer/world.ts"

const payment = {
  id: "dep_1",
  providerAccountId: "cust_1/va_1",
  amount: of(5_000n, "EUR"),
  description: "",
  arrivedAt: 0
}

describe("a payment on an account that the provider has given to two tenants", () => {
  it.effect("is booked once, and the second is told whose it is, however often it looks", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* payer(), yield* payer()]
      const one = yield* newAccount(a, (yield* newCustomer(a)).id)
      const two = yield* newAccount(b, (yield* newCustomer(b)).id)
      assert.deepStrictEqual(yield* submit(a, recordIncoming(one, payment, defaultCurrencies)), { _tag: "Booked" })
      assert.deepStrictEqual(yield* submit(a, recordIncoming(one, payment, defaultCurrencies)), { _tag: "Known" })
      for (let look = 0; look < 2; look++) {
        const reply = yield* submit(b, recordIncoming(two, payment, defaultCurrencies))
        assert.strictEqual(reply._tag, "Another")
      }
      assert.deepStrictEqual(
        [yield* balanceOf(a, `account:${one.id}`), yield* balanceOf(b, `account:${two.id}`)],
        [5_000n, 0n]
      )
      assert.deepStrictEqual([yield* wrong(a), yield* wrong(b)], [[], []])
    }).pipe(Effect.provide(store))
  )
})
