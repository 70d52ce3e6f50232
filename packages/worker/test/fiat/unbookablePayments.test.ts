import { createAccount } from "@bursar/core/account/createAccount"
import { Writer } from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { workFiat } from "../../src/fiat/workFiat.ts"
import { processOver, ticks } from "../watch/world.ts"

/** What cannot be booked, by the event that tells of it. */
const odd = {
  "account.payment_in_unknown_currency": ["pay-1", "XXX"],
  "account.payment_id_unstorable": ["pay\u0000-1", "EUR"]
} as const

describe("a payment on an account in a currency that the table lacks, or with an id that cannot be stored", () => {
  it.effect.each(Object.entries(odd))(
    "is told to the log and not booked, and what came after it is credited: %s",
    ([event, first]) =>
      Effect.gen(function* () {
        const logged: Array<string> = []
        const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
        const fake = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: [] }))
        const { id: tenantId } = yield* newTenant()
        const { id: customerId } = yield* newCustomer(tenantId)
        const provider = { name: "fake", environment: "LIVE" } as const
        const command = createAccount({
          customerId,
          currency: "EUR",
          country: null,
          provider,
          currencies: defaultCurrencies
        })
        const { id } = yield* (yield* Writer).submit(tenantId, command)
        const work = workFiat({ currencies: defaultCurrencies, fiats: [fake.provider], identities: [] })
        yield* Effect.forkScoped(Effect.provide(work, logger))
        yield* ticks(5)
        const state = fake.accounts.get(id) ?? assert.fail("nothing was opened")
        fake.accounts.set(id, { ...state, status: "ACTIVE" })
        for (const [payment, currency] of [first, ["pay-2", "EUR"]] as const)
          fake.arrivals.push({
            id: payment,
            providerAccountId: state.providerAccountId,
            amount: of(500n, currency),
            description: "",
            arrivedAt: 0
          })
        yield* ticks(60)
        const all = yield* (yield* Queries).register(tenantId, { limit: 10 })
        assert.deepStrictEqual(
          all.map(({ amount }) => amount),
          [of(500n, "EUR")]
        )
        assert.include(logged, event)
      }).pipe(Effect.provide(processOver(emptyState())), Effect.provide(TestClock.layer()), Effect.scoped)
  )
})
