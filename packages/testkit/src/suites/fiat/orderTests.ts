import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { shown } from "../custodian/CustodianWorld.ts"
import type { SuiteIt } from "../harness.ts"
import { justAfter } from "../windows.ts"
import { centsOf, dollarsReceived, type FiatTerms, FiatWorld } from "./FiatWorld.ts"
import { aged, manyOthers, orderOf, payeeIn, registered } from "./orders.ts"
import { referenceOf, statusOf } from "./transferTests.ts"

/** Transfers of every kind, in every currency: each pays what was ordered, and is found however many others there are. */
export const orderTests = (it: SuiteIt<FiatWorld>, timeoutMs: number, terms: FiatTerms): void => {
  const { absentAfterMs, currencies, has, pageSize } = terms

  for (const currency of ["EUR", ...currencies] as const) {
    for (const kind of ["BANK_TRANSFER", "OFF_RAMP", "REFUND"] as const) {
      it.effect(
        `pays out ${currency} on a customer's behalf (${kind})`,
        () =>
          Effect.gen(function* () {
            const { conclude, next, provider, transfers } = yield* FiatWorld
            const customer = yield* registered
            const to = payeeIn(currency)
            const amount = { units: 123_456_789n, currency }
            const order = yield* orderOf({ kind, amount, payee: to, providerCustomerId: customer, rail: null })
            yield* next("settle")
            const taken = yield* provider.send(order)
            assert.strictEqual(taken._tag, "Done", shown(taken))
            const account = to.iban ?? to.accountNumber
            const payee = has.includes("payees") ? { account, currency, onBehalfOf: customer } : null
            assert.deepStrictEqual(yield* transfers(order.reference), [{ amount, payee }])
            yield* conclude(order.reference)
            const known = yield* provider.transfer(order, referenceOf(taken) ?? "")
            assert.strictEqual(statusOf(known), "SETTLED")
            assert.deepStrictEqual(known._tag === "Done" && known.value.received, amount)
          }),
        timeoutMs
      )
    }
  }

  if (has.includes("conversions"))
    it.effect(
      "tells what the receiver got in the currency in which they got it",
      () =>
        Effect.gen(function* () {
          const { conclude, next, provider, transfers } = yield* FiatWorld
          const to = payeeIn("USD")
          const order = yield* orderOf({ toCurrency: "USD", payee: to, rail: null })
          yield* next("convert")
          const taken = yield* provider.send(order)
          assert.strictEqual(taken._tag, "Done", shown(taken))
          const payee = { account: to.accountNumber, currency: "USD", onBehalfOf: null }
          assert.deepStrictEqual(yield* transfers(order.reference), [
            { amount: order.amount, payee: has.includes("payees") ? payee : null }
          ])
          yield* conclude(order.reference)
          const known = yield* provider.transfer(order, null)
          assert.strictEqual(statusOf(known), "SETTLED")
          const received = { units: centsOf(dollarsReceived), currency: "USD" }
          assert.deepStrictEqual(known._tag === "Done" && known.value.received, received)
        }),
      timeoutMs
    )

  it.effect(
    "an order is found by our reference behind all that were taken after it",
    () =>
      Effect.gen(function* () {
        const { conclude, next, provider } = yield* FiatWorld
        const order = yield* orderOf()
        yield* next("settle")
        const taken = yield* provider.send(order)
        yield* conclude(order.reference)
        yield* manyOthers(pageSize)
        for (const asked of [order, aged(order, justAfter(absentAfterMs))]) {
          const found = yield* provider.transfer(asked, null)
          assert.deepStrictEqual([statusOf(found), referenceOf(found)], ["SETTLED", referenceOf(taken)])
        }
      }),
    timeoutMs
  )
}
