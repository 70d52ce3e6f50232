import { createAccount } from "@bursar/core/account/createAccount"
import { Writer } from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { workFiat } from "../../src/fiat/workFiat.ts"
import { processOver, ticks } from "../watch/world.ts"

/** An account that was opened, and how to say what becomes of it. `failures`: how often payments cannot be read once there are any. */
const opened = Effect.fnUntraced(function* (failures: number) {
  const fake = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: [] }))
  let left = failures
  const failure = new ProviderError({ provider: "fake", doing: "reading payments", detail: "503" })
  const provider: typeof fake.provider = {
    ...fake.provider,
    incoming: (id, after) =>
      Effect.suspend(() =>
        fake.arrivals.length > 0 && left-- > 0 ? Effect.fail(failure) : fake.provider.incoming(id, after)
      )
  }
  const { id: tenantId } = yield* newTenant()
  const { id: customerId } = yield* newCustomer(tenantId)
  const command = createAccount({
    customerId,
    currency: "EUR",
    country: null,
    provider: { name: "fake", environment: "LIVE" },
    currencies: defaultCurrencies
  })
  const { id } = yield* (yield* Writer).submit(tenantId, command)
  yield* Effect.forkScoped(workFiat({ currencies: defaultCurrencies, fiats: [provider], identities: [] }))
  yield* ticks(5)
  const state = fake.accounts.get(id) ?? assert.fail("nothing was opened")
  const becomes = (status: "ACTIVE" | "CLOSED") => void fake.accounts.set(id, { ...state, status })
  becomes("ACTIVE")
  yield* ticks(10)
  const pays = (payment: string) =>
    void fake.arrivals.push({
      id: payment,
      providerAccountId: state.providerAccountId,
      amount: of(500n, "EUR"),
      description: "",
      arrivedAt: 0
    })
  const balance = Effect.gen(function* () {
    const wanted = { account: `account:${id}`, currency: "EUR", limit: 1 } as const
    const [line] = yield* (yield* Queries).accountLines(tenantId, wanted)
    return line?.leg.balance ?? 0n
  })
  return { becomes, pays, balance }
})

const hour = 3_600

describe("an account that its provider closes", () => {
  it.effect(
    "is credited with what came before, though that could not be read just then, and with what comes later",
    () =>
      Effect.gen(function* () {
        const { balance, becomes, pays } = yield* opened(1)
        pays("pay-1")
        becomes("CLOSED")
        yield* ticks(hour)
        assert.strictEqual(yield* balance, 500n)
        pays("pay-2")
        yield* ticks(hour)
        assert.strictEqual(yield* balance, 1_000n)
      }).pipe(Effect.provide(processOver(emptyState())), Effect.provide(TestClock.layer()), Effect.scoped)
  )
})
