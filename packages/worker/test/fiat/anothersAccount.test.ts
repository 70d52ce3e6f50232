import { createAccount } from "@bursar/core/account/createAccount"
import { FiatAccount } from "@bursar/core/account/FiatAccount"
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

describe("an account that the provider has opened for another customer", () => {
  it.effect("is told to the log, and what arrives on it is booked for that customer only", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      const fake = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: [] }))
      const { id: tenantId } = yield* newTenant()
      const writer = yield* Writer
      const provider = { name: "fake", environment: "LIVE" } as const
      const ask = Effect.flatMap(newCustomer(tenantId), ({ id: customerId }) =>
        writer.submit(
          tenantId,
          createAccount({ customerId, currency: "EUR", country: null, provider, currencies: defaultCurrencies })
        )
      )
      const work = workFiat({ currencies: defaultCurrencies, fiats: [fake.provider], identities: [] })
      yield* Effect.forkScoped(Effect.provide(work, logger))
      const one = yield* ask
      yield* ticks(5)
      const state = fake.accounts.get(one.id) ?? assert.fail("nothing was opened")
      fake.accounts.set(one.id, { ...state, status: "ACTIVE" })
      const two = yield* ask
      fake.accounts.set(two.id, { ...state, status: "ACTIVE" })
      fake.arrivals.push({
        id: "pay-1",
        providerAccountId: state.providerAccountId,
        amount: of(500n, "EUR"),
        description: "",
        arrivedAt: 0
      })
      yield* ticks(60)
      const queries = yield* Queries
      assert.isNull((yield* queries.record(tenantId, FiatAccount, two.id))?.providerAccountId)
      assert.include(logged, "account.of_another")
      const all = yield* queries.register(tenantId, { limit: 10 })
      assert.deepStrictEqual(
        all.map(({ customerId }) => customerId),
        [one.customerId]
      )
    }).pipe(Effect.provide(processOver(emptyState())), Effect.provide(TestClock.layer()), Effect.scoped)
  )
})
