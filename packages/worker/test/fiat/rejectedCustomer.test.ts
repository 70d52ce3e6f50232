import { createAccount } from "@bursar/core/account/createAccount"
import { FiatAccount } from "@bursar/core/account/FiatAccount"
import { recordCheck } from "@bursar/core/customer/checkCommands"
import { Writer } from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { applicantOf, approved } from "@bursar/testkit/fixtures/FakeIdentity"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { workFiat } from "../../src/fiat/workFiat.ts"
import { processOver, ticks } from "../watch/world.ts"

describe("an account that was asked for", () => {
  it.effect("is not opened for a customer who was rejected before it was, and is once they are approved again", () =>
    Effect.gen(function* () {
      const fake = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: [] }))
      const { id: tenantId } = yield* newTenant()
      const writer = yield* Writer
      const { id } = yield* newCustomer(tenantId)
      const provider = { name: "fake", environment: "LIVE" } as const
      const asking = { customerId: id, currency: "EUR", country: null, provider, currencies: defaultCurrencies }
      const { id: accountId } = yield* writer.submit(tenantId, createAccount(asking))
      const decided = (check: ReturnType<typeof approved>) =>
        writer.submit(tenantId, recordCheck(id, applicantOf(id), check))
      yield* decided(approved(20, { status: "REJECTED", capabilities: [] }))
      yield* Effect.forkScoped(workFiat({ currencies: defaultCurrencies, fiats: [fake.provider], identities: [] }))
      yield* ticks(120)
      assert.strictEqual(fake.opened.size, 0)
      yield* decided(approved(30))
      yield* ticks(120)
      const account = yield* (yield* Queries).record(tenantId, FiatAccount, accountId)
      assert.strictEqual(account?.providerAccountId, `acc-${accountId}`)
    }).pipe(Effect.provide(processOver(emptyState())), Effect.provide(TestClock.layer()), Effect.scoped)
  )
})
