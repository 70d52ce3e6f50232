import { createAccount } from "@bursar/core/account/createAccount"
import { accountQueue } from "@bursar/core/account/accountQueue"
import { FiatAccount } from "@bursar/core/account/FiatAccount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Customer, verificationQueue } from "@bursar/core/customer/Customer"
import { Writer } from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import { emptyState } from "@bursar/memory"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { type FiatScript, makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { applicantOf, approved, makeFakeIdentity } from "@bursar/testkit/fixtures/FakeIdentity"
import { payee } from "@bursar/testkit/fixtures/people"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, type Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { workFiat } from "../../src/fiat/workFiat.ts"
import { processOver, ticks } from "../watch/world.ts"

const hour = 3_600

/** How long an answer is on its way, in seconds: what it tells may be over when it comes. */
const wayS = 3

const slow =
  <A extends Array<unknown>, B, E>(ask: (...of: A) => Effect.Effect<B, E>) =>
  (...what: A) =>
    Effect.tap(ask(...what), () => Effect.sleep(`${wayS} seconds`))

/** Tells the service, as a webhook of a provider does. */
const hint = Effect.fnUntraced(function* (queue: string, about: string) {
  yield* (yield* JobQueue).expedite(queue, about, yield* Clock.currentTimeMillis)
})

/** Lets seconds pass until something is so. */
const until = Effect.fnUntraced(function* <E, R>(isSo: Effect.Effect<boolean, E, R>, seconds = 600) {
  for (let left = seconds; left > 0; left -= 1) {
    if (yield* isSo) return
    yield* ticks(1)
  }
  assert.fail(`it did not come to be within ${seconds} seconds`)
})

const run = <E>(story: Effect.Effect<void, E, Layer.Success<ReturnType<typeof processOver>> | Scope.Scope>) =>
  story.pipe(Effect.provide(processOver(emptyState())), Effect.provide(TestClock.layer()), Effect.scoped)

const script: FiatScript = { order: "told", unreadable: 0, course: ["SETTLED"] }

describe("a hint that comes while an older answer is on its way", () => {
  it.effect("is followed: an approval that was taken back permits nothing any more", () => {
    const identity = makeFakeIdentity()
    const identities = [{ ...identity.provider, state: slow(identity.provider.state) }]
    return run(
      Effect.gen(function* () {
        const queries = yield* Queries
        const { id: tenantId } = yield* newTenant()
        const { id } = yield* newCustomer(tenantId, { check: approved(0, { status: "PENDING" }), registered: false })
        identity.states.set(id, approved(10))
        const status = Effect.map(queries.record(tenantId, Customer, id), (one) => one?.verification?.status)
        yield* Effect.forkScoped(workFiat({ currencies: defaultCurrencies, fiats: [], identities }))
        yield* until(Effect.sync(() => identity.read.get(applicantOf(id)) === 1))
        assert.strictEqual(yield* status, "PENDING")
        identity.states.set(id, approved(20, { status: "REJECTED", capabilities: [] }))
        yield* hint(verificationQueue, applicantOf(id))
        yield* ticks(4 * wayS)
        assert.strictEqual(yield* status, "REJECTED")
        assert.strictEqual(identity.read.get(applicantOf(id)), 2)
      })
    )
  })

  it.effect("is followed: a transfer that was returned is booked", () => {
    const course: { said: FiatScript["course"] } = { said: ["SETTLED"] }
    const fake = makeFakeFiat(() => ({ ...script, course: course.said }))
    let asked = 0
    const transfer: typeof fake.provider.transfer = (...order) =>
      Effect.suspend(() => {
        asked += 1
        return slow(fake.provider.transfer)(...order)
      })
    return run(
      Effect.gen(function* () {
        const queries = yield* Queries
        const writer = yield* Writer
        const policy = {
          ...defaultPolicy,
          payoutLimitUsd: null,
          payoutDailyLimitUsd: null,
          payoutNewAddressLimitUsd: null,
          payoutReviewUsd: null
        }
        const { id: tenantId } = yield* newTenant({ policy })
        yield* writer.submit(tenantId, adjustFloat({ amount: of(10_000n, "EUR"), against: "bank", reason: "funded" }))
        const { id } = yield* writer.submit(
          tenantId,
          createTransfer({
            kind: "BANK_TRANSFER",
            refund: { refundOf: null, name: "" },
            amount: of(1_000n, "EUR"),
            toCurrency: "EUR",
            payee,
            rail: null,
            quoteId: null,
            partnerReference: null,
            customerId: null,
            actsFor: "TENANT",
            provider: { name: "fake", environment: "LIVE" },
            usd: null,
            madeBy: "maker",
            defaultFees: [],
            currencies: defaultCurrencies
          })
        )
        const status = Effect.map(queries.operation(tenantId, id), (one) => one?.status)
        const fiats = [{ ...fake.provider, transfer }]
        yield* Effect.forkScoped(workFiat({ currencies: defaultCurrencies, fiats, identities: [] }))
        yield* until(Effect.map(status, (now) => now === "SETTLED"))
        yield* ticks(hour)
        const before = asked
        yield* until(
          Effect.sync(() => asked > before),
          2 * hour
        )
        course.said = ["RETURNED"]
        yield* hint(transferQueue, id)
        yield* ticks(4 * wayS)
        assert.strictEqual(yield* status, "RETURNED")
        assert.strictEqual(asked, before + 2)
      })
    )
  })

  it.effect("is followed: an account that its bank closed is closed", () => {
    const fake = makeFakeFiat(() => script)
    let asked = 0
    const account: typeof fake.provider.account = (id) =>
      Effect.suspend(() => {
        asked += 1
        return slow(fake.provider.account)(id)
      })
    return run(
      Effect.gen(function* () {
        const queries = yield* Queries
        const { id: tenantId } = yield* newTenant()
        const { id: customerId } = yield* newCustomer(tenantId)
        const provider = { name: "fake", environment: "LIVE" } as const
        const asking = { customerId, currency: "EUR", country: null, provider, currencies: defaultCurrencies }
        const { id } = yield* (yield* Writer).submit(tenantId, createAccount(asking))
        const status = Effect.map(queries.record(tenantId, FiatAccount, id), (one) => one?.status)
        const fiats = [{ ...fake.provider, account }]
        yield* Effect.forkScoped(workFiat({ currencies: defaultCurrencies, fiats, identities: [] }))
        yield* ticks(5)
        const state = fake.accounts.get(id) ?? assert.fail("nothing was opened")
        fake.accounts.set(id, { ...state, status: "ACTIVE" })
        yield* ticks(hour)
        const before = asked
        yield* until(
          Effect.sync(() => asked > before),
          hour
        )
        fake.accounts.set(id, { ...state, status: "CLOSED" })
        yield* hint(accountQueue, state.providerAccountId)
        yield* ticks(4 * wayS)
        assert.strictEqual(yield* status, "CLOSED")
      })
    )
  })
})
