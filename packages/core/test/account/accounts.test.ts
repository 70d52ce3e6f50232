import { idLengthMax } from "@bursar/core/base/storable"
import { beginAccount, recordAccount } from "@bursar/core/account/recordAccount"
import { createAccount } from "@bursar/core/account/createAccount"
import { accountQueue, closedReadMs } from "@bursar/core/account/accountQueue"
import { putRecord } from "@bursar/core/engine/Records"
import { writing } from "@bursar/testkit/fixtures/commands"
import { recordIncoming } from "@bursar/core/account/recordIncoming"
import { recordRegistration } from "@bursar/core/account/registration"
import { recordCheck } from "@bursar/core/customer/checkCommands"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { done, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { AccountState } from "@bursar/core/port/FiatProvider"
import { Queries } from "@bursar/core/store/Queries"
import { newAccount, newCustomer } from "@bursar/testkit/fixtures/customers"
import { applicantOf, approved } from "@bursar/testkit/fixtures/FakeIdentity"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { balanceOf, float, payer, refusalOf, store, submit, wrong } from "../transfer/world.ts"
import { AccountNumber, BookedIncoming, FiatAccount } from "@bursar/core/account/FiatAccount"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)

const ask = (customerId: string, currency = "EUR") =>
  createAccount({
    customerId,
    currency,
    country: null,
    provider: { name: "fake", environment: "LIVE" },
    currencies: defaultCurrencies
  })

const state = (status: AccountState["status"], more: Partial<AccountState> = {}) =>
  done<AccountState>({
    providerAccountId: "acc",
    status,
    holderName: null,
    iban: null,
    accountNumber: null,
    sortCode: null,
    bic: null,
    bankName: null,
    expiresAt: null,
    ...more
  })

/** The keys that wait in the queue of accounts. */
const waiting = Effect.flatMap(JobQueue, (jobQueue) =>
  Effect.map(jobQueue.due(accountQueue, Number.MAX_SAFE_INTEGER, 9), (items) => items.map(({ key }) => key))
)

/** In how many milliseconds each account of the queue is looked at, by its key. */
const waits = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const due = yield* (yield* JobQueue).due(accountQueue, Number.MAX_SAFE_INTEGER, 9)
  return due.map(({ dueAt, key }) => [key, dueAt - now] as const)
})

describe("an account", () => {
  it.effect("is of the tenant's own environment", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id: customerId } = yield* newCustomer(tenant)
        const command = createAccount({
          customerId,
          currency: "EUR",
          country: null,
          provider: { name: "fake", environment: "SANDBOX" },
          currencies: defaultCurrencies
        })
        assert.strictEqual(yield* refusalOf(tenant, command), "product_not_enabled")
      })
    )
  )

  it.effect("is asked for at once where its provider knows the customer, and under no name that another one gave", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id: known } = yield* newCustomer(tenant)
        const account = yield* submit(tenant, ask(known))
        assert.strictEqual(account.providerCustomerId, `cus-${known}`)
        assert.deepStrictEqual(yield* waits, [[account.id, 0]])
        yield* submit(tenant, recordAccount(account, refused("no")))
        const { id: elsewhere } = yield* newCustomer(tenant, { registered: false })
        yield* submit(tenant, recordRegistration(elsewhere, "another", "x"))
        assert.isNull((yield* submit(tenant, ask(elsewhere))).providerCustomerId)
        assert.deepStrictEqual(yield* waits, [])
      })
    )
  )

  it.effect("stays with the name under which it was asked for, whatever the customer is registered as later", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id: customer } = yield* newCustomer(tenant)
        const { id } = yield* submit(tenant, ask(customer))
        const registered = yield* submit(tenant, recordRegistration(customer, "fake", "another"))
        assert.deepStrictEqual(registered.registration, { provider: "fake", providerCustomerId: "another" })
        const account = yield* (yield* Queries).record(tenant, FiatAccount, id)
        assert.strictEqual(account?.providerCustomerId, `cus-${customer}`)
        assert.strictEqual(yield* refusalOf(tenant, recordRegistration("nobody", "fake", "x")), "not_found")
      })
    )
  )

  it.effect("is looked at again whatever happens to whoever looks, until it is over", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id: customer } = yield* newCustomer(tenant)
        yield* TestClock.adjust("1 hour")
        const { id } = yield* submit(tenant, ask(customer))
        yield* submit(tenant, beginAccount(id, customer))
        assert.deepStrictEqual(yield* waits, [[id, 5_000]])
        yield* TestClock.adjust("1 second")
        yield* submit(tenant, recordAccount({ id, provider: "fake" }, unknown("503")))
        assert.deepStrictEqual(yield* waits, [[id, 5_000]])
        yield* TestClock.adjust("4 minutes")
        yield* submit(tenant, recordAccount({ id, provider: "fake" }, unknown("the customer is not reviewed yet")))
        assert.deepStrictEqual(yield* waits, [[id, 60_250]])
        yield* submit(tenant, recordAccount({ id, provider: "fake" }, state("PENDING")))
        const key = `acc|${id}`
        assert.deepStrictEqual(yield* waits, [[key, 2_000]])
        // the longer nothing happens, the more seldom, up to a quarter of an hour
        for (const [hours, minutes] of [
          [0.5, 7.5],
          [0.5, 15],
          [9, 15]
        ] as const) {
          yield* TestClock.adjust(hours * 3_600_000)
          yield* submit(tenant, recordAccount({ id, provider: "fake" }, state("PENDING")))
          assert.deepStrictEqual(yield* waits, [[key, minutes * 60_000]])
        }
        yield* submit(tenant, recordAccount({ id, provider: "fake" }, state("ACTIVE")))
        assert.deepStrictEqual(yield* waits, [[key, 2_000]])
        // what came right before may not have been read, and payments come late
        yield* submit(tenant, recordAccount({ id, provider: "fake" }, state("CLOSED")))
        assert.deepStrictEqual(yield* waits, [[key, 2_000]])
        yield* TestClock.adjust(closedReadMs - 1)
        yield* submit(tenant, recordAccount({ id, provider: "fake" }, unknown("it is closed")))
        assert.deepStrictEqual(yield* waits, [[key, 900_000]])
        yield* TestClock.adjust(1)
        yield* submit(tenant, recordAccount({ id, provider: "fake" }, state("CLOSED")))
        assert.deepStrictEqual(yield* waits, [])
      })
    )
  )

  it.effect("that its provider will not open is over", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id: customer } = yield* newCustomer(tenant)
        const { id } = yield* submit(tenant, ask(customer))
        assert.strictEqual(
          (yield* submit(tenant, recordAccount({ id, provider: "fake" }, refused("no"))))?.account.status,
          "REJECTED"
        )
        assert.deepStrictEqual(yield* waits, [])
      })
    )
  )

  it.effect("that there is not is not looked at, opened or paid into", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        assert.strictEqual((yield* submit(tenant, beginAccount("none", undefined)))._tag, "Nothing")
        assert.isUndefined(yield* submit(tenant, recordAccount({ id: "none", provider: "fake" }, state("ACTIVE"))))
        const payment = { id: "p", providerAccountId: "acc", amount: of(7n, "EUR"), description: "", arrivedAt: 0 }
        const booking = recordIncoming({ id: "none", currency: "EUR", provider: "fake" }, payment, defaultCurrencies)
        assert.strictEqual((yield* submit(tenant, booking))._tag, "Known")
        assert.deepStrictEqual(yield* waits, [])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is refused to customers who may not have one, and in what no bank holds", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const refusal = (customerId: string, currency?: string) =>
          Effect.map(Effect.flip(submit(tenant, ask(customerId, currency))), (error) =>
            error._tag === "Refusal" ? error.code : error._tag
          )
        const may = yield* newCustomer(tenant)
        const swaps = approved(1, { capabilities: ["swaps"] })
        assert.strictEqual(yield* refusal("nobody"), "not_found")
        assert.strictEqual(yield* refusal(may.id, "USDC_BASE"), "unsupported_asset")
        assert.strictEqual(yield* refusal(may.id, "XXX"), "unsupported_asset")
        assert.strictEqual(yield* refusal((yield* newCustomer(tenant, { check: null })).id), "customer_not_verified")
        assert.strictEqual(yield* refusal((yield* newCustomer(tenant, { check: swaps })).id), "capability_missing")
        assert.deepStrictEqual(yield* (yield* Queries).records(tenant, FiatAccount), [])
      })
    )
  )

  it.effect("waits for its customer's registration, then for the provider, under the provider's id", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id: customer } = yield* newCustomer(tenant, { registered: false })
        const { id } = yield* submit(tenant, ask(customer))
        assert.deepStrictEqual(yield* waiting, [])
        yield* submit(tenant, recordRegistration(customer, "another", "x"))
        assert.deepStrictEqual(yield* waiting, [], "another provider cannot open it")
        yield* submit(tenant, recordRegistration(customer, "fake", "cus"))
        assert.deepStrictEqual(yield* waiting, [id])
        const task = yield* submit(tenant, beginAccount(id, customer))
        assert.strictEqual(task._tag === "Look" ? task.account.providerCustomerId : task._tag, "cus")
        yield* submit(tenant, recordAccount({ id, provider: "fake" }, unknown("503")))
        yield* submit(tenant, recordAccount({ id, provider: "fake" }, state("PENDING")))
        assert.deepStrictEqual(yield* waiting, [`acc|${id}`])
        assert.strictEqual(
          (yield* submit(tenant, beginAccount(id, customer)))._tag,
          "Nothing",
          "an old key leads nowhere"
        )
      })
    )
  )

  it.effect("is not opened for a customer who may have none by now; once it is open it is read whoever may", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id: customer } = yield* newCustomer(tenant)
        const { id } = yield* submit(tenant, ask(customer))
        const decides = (at: number, more: Parameters<typeof approved>[1] = {}) =>
          submit(tenant, recordCheck(customer, applicantOf(customer), approved(at, more)))
        const begun = (key: string) => Effect.map(submit(tenant, beginAccount(key, customer)), ({ _tag }) => _tag)
        yield* decides(2, { status: "REJECTED", capabilities: [] })
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* begun(id), "Wait")
        assert.deepStrictEqual(yield* waits, [[id, 900_000]])
        yield* decides(3, { capabilities: ["payouts"] })
        assert.strictEqual(yield* begun(id), "Wait")
        yield* decides(4)
        assert.strictEqual(yield* begun(id), "Look")
        yield* submit(tenant, recordAccount({ id, provider: "fake" }, state("ACTIVE")))
        yield* decides(5, { status: "REJECTED", capabilities: [] })
        assert.strictEqual(yield* begun(`acc|${id}`), "Look")
      })
    )
  )

  it.effect("moves as its table says, whatever the provider says", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id: customer } = yield* newCustomer(tenant)
        const { id } = yield* submit(tenant, ask(customer))
        const hear = (answer: Parameters<typeof recordAccount>[1]) =>
          Effect.map(submit(tenant, recordAccount({ id, provider: "fake" }, answer)), (taken) => taken?.account.status)
        assert.strictEqual(yield* hear(state("ACTIVE")), "ACTIVE")
        assert.strictEqual(yield* hear(state("PENDING")), "ACTIVE")
        assert.strictEqual(yield* hear(state("REJECTED")), "ACTIVE")
        assert.strictEqual(yield* hear(refused("no")), "ACTIVE")
        assert.strictEqual(yield* hear(state("SUSPENDED")), "SUSPENDED")
        assert.strictEqual(yield* hear(state("ACTIVE")), "ACTIVE")
        assert.strictEqual(yield* hear(state("CLOSED")), "CLOSED")
        assert.strictEqual(yield* hear(state("ACTIVE")), "CLOSED")
      })
    )
  )

  it.effect("keeps the account that its provider opened, whatever other one the provider answers with later", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const one = yield* newAccount(tenant, (yield* newCustomer(tenant)).id)
        const two = yield* newAccount(tenant, (yield* newCustomer(tenant)).id)
        const providerAccountId = two.providerAccountId ?? ""
        const mistaken = state("CLOSED", { ...two.details, providerAccountId })
        assert.deepInclude(yield* submit(tenant, recordAccount(one, mistaken)), { _tag: "Unread", account: one })
        const queries = yield* Queries
        assert.deepStrictEqual(yield* queries.record(tenant, FiatAccount, one.id), one)
        const named = yield* queries.record(tenant, AccountNumber, two.details?.iban ?? "")
        assert.deepStrictEqual(named?.accountIds, [two.id])
        assert.sameMembers([...(yield* waiting)], [`acc-${one.id}|${one.id}`, `acc-${two.id}|${two.id}`])
      })
    )
  )

  it.effect("is not bound to the account that the provider opened for another customer, of whichever tenant", () =>
    run(
      Effect.gen(function* () {
        const tenants = [yield* payer(), yield* payer()]
        const [tenant, elsewhere] = tenants
        if (tenant === undefined || elsewhere === undefined) return assert.fail("there is no tenant")
        const iban = "PT50000201239876543210156"
        const told = state("ACTIVE", { providerAccountId: "va_1", iban })
        const one = yield* submit(tenant, ask((yield* newCustomer(tenant)).id))
        const first = yield* submit(tenant, recordAccount(one, told))
        assert.deepInclude(first?.account, { status: "ACTIVE", providerAccountId: "va_1" })
        for (const each of tenants) {
          const two = yield* submit(each, ask((yield* newCustomer(each)).id))
          const second = yield* submit(each, recordAccount(two, told))
          assert.deepInclude(second, { _tag: "Another", account: two, owner: one.id })
          assert.include(yield* waiting, two.id)
          // it is opened once the provider answers with its own
          const own = yield* submit(each, recordAccount(two, state("ACTIVE", { providerAccountId: `va-${two.id}` })))
          assert.strictEqual(own?.account.status, "ACTIVE")
        }
        const again = yield* submit(tenant, recordAccount(one, told))
        assert.strictEqual(again?._tag, "Taken")
        const named = yield* (yield* Queries).record(tenant, AccountNumber, iban)
        assert.deepStrictEqual(named?.accountIds, [one.id])
        assert.deepStrictEqual([yield* wrong(tenant), yield* wrong(elsewhere)], [[], []])
        return undefined
      })
    )
  )

  it.effect("that was bound with another before an account was one's only is its whose it was told of first", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const own = (account: FiatAccount): FiatAccount => ({ ...account, providerAccountId: "va_1", status: "ACTIVE" })
        const one = own(yield* submit(tenant, ask((yield* newCustomer(tenant)).id)))
        const two = own(yield* submit(tenant, ask((yield* newCustomer(tenant)).id)))
        yield* submit(
          tenant,
          writing(() => [putRecord(FiatAccount, one), putRecord(FiatAccount, two)])
        )
        const told = state("ACTIVE", { providerAccountId: "va_1" })
        assert.strictEqual((yield* submit(tenant, recordAccount(one, told)))?._tag, "Taken")
        const other = yield* submit(tenant, recordAccount(two, told))
        assert.deepInclude(other, { _tag: "Another", account: two, owner: one.id })
      })
    )
  )

  it.effect("is found by its numbers, spaces or not, and a number of two accounts names both", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id: customer } = yield* newCustomer(tenant)
        const one = yield* submit(tenant, ask(customer, "GBP"))
        const two = yield* submit(tenant, ask(customer, "GBP"))
        yield* submit(tenant, recordAccount(one, state("ACTIVE", { iban: "GB 1", accountNumber: "1234 5678" })))
        yield* submit(
          tenant,
          recordAccount(two, state("ACTIVE", { providerAccountId: "acc2", accountNumber: "12345678" }))
        )
        const queries = yield* Queries
        assert.deepStrictEqual((yield* queries.record(tenant, AccountNumber, "GB1"))?.accountIds, [one.id])
        assert.deepStrictEqual((yield* queries.record(tenant, AccountNumber, "12345678"))?.accountIds, [one.id, two.id])
      })
    )
  )
})

describe("money that arrives on an account", () => {
  it.effect("is more than nothing, and its customer's", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const customer = yield* newCustomer(tenant)
        const account = yield* newAccount(tenant, customer.id)
        const book = (units: bigint) =>
          submit(
            tenant,
            recordIncoming(
              account,
              {
                id: `p${units}`,
                providerAccountId: "acc",
                amount: of(units, "EUR"),
                description: "",
                arrivedAt: 0
              },
              defaultCurrencies
            )
          )
        for (const units of [0n, -1n]) assert.strictEqual((yield* book(units))._tag, "Known")
        assert.strictEqual((yield* book(1n))._tag, "Booked")
        const booked = yield* (yield* Queries).record(tenant, BookedIncoming, "acc|p1")
        const operation = yield* (yield* Queries).operation(tenant, booked?.operationId ?? "")
        assert.deepInclude(operation, {
          customerId: customer.id,
          actsFor: "CUSTOMER",
          amount: of(1n, "EUR"),
          status: "SETTLED"
        })
        assert.strictEqual(yield* balanceOf(tenant, `account:${account.id}`), 1n)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is booked whatever the bank writes of it and of the account, as it can be stored", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const account = yield* newAccount(tenant, (yield* newCustomer(tenant)).id)
        const { providerAccountId: own } = account
        const names = { providerAccountId: own ?? "", holderName: "Rui\u0000", bankName: "half \ud83d" }
        const named = yield* submit(tenant, recordAccount(account, state("ACTIVE", names)))
        assert.deepInclude(named?.account.details, { holderName: "Rui\uFFFD", bankName: "half \uFFFD" })
        const numbers = {
          iban: "PT5\u0000",
          accountNumber: "1".repeat(idLengthMax + 1),
          sortCode: "\ud83d",
          bic: "x\u0000"
        }
        const odd = yield* submit(tenant, recordAccount(account, state("CLOSED", { ...names, ...numbers })))
        const none = { iban: null, accountNumber: null, sortCode: null, bic: null }
        assert.deepInclude(odd?.account.details, none, "a number that was changed would be another account's")
        assert.strictEqual(odd?.account.status, "CLOSED")
        const payment = { id: "p", providerAccountId: "acc", amount: of(1n, "EUR"), arrivedAt: 0 }
        yield* submit(tenant, recordIncoming(account, { ...payment, description: "rent\u0000" }, defaultCurrencies))
        const queries = yield* Queries
        const booked = yield* queries.record(tenant, BookedIncoming, "acc|p")
        const operation = yield* queries.operation(tenant, booked?.operationId ?? "")
        assert.strictEqual(operation?.details.description, "rent\uFFFD")
      })
    )
  )

  it.effect("is not booked under an id that cannot be stored", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const account = yield* newAccount(tenant, (yield* newCustomer(tenant)).id)
        const payment = { providerAccountId: "acc", amount: of(1n, "EUR"), description: "", arrivedAt: 0 }
        const book = (id: string) =>
          Effect.map(submit(tenant, recordIncoming(account, { ...payment, id }, defaultCurrencies)), ({ _tag }) => _tag)
        const longest = "p".repeat(idLengthMax)
        for (const id of ["p\u0000", "\ud83d", `${longest}p`]) assert.strictEqual(yield* book(id), "UnstorableId")
        assert.strictEqual(yield* book(longest), "Booked")
      })
    )
  )

  it.effect("is not bound to an account whose id cannot be stored, and is asked for again", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const asked = yield* submit(tenant, ask((yield* newCustomer(tenant)).id))
        for (const providerAccountId of ["acc\u0000", "acc\ud83d", "a".repeat(idLengthMax + 1)]) {
          const told = state("ACTIVE", { providerAccountId })
          const after = yield* submit(tenant, recordAccount(asked, told))
          assert.strictEqual(after?._tag, "Unread")
          assert.deepInclude(after?.account, { status: "PENDING", providerAccountId: null })
        }
        assert.deepStrictEqual((yield* waiting).length, 1)
      })
    )
  )

  it.effect("is booked once for each payment, beside the float, and elsewhere where it is of another currency", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const account = yield* newAccount(tenant, (yield* newCustomer(tenant)).id)
        const other = yield* newAccount(tenant, (yield* newCustomer(tenant)).id)
        const arrived = (id: string, currency = "EUR") => ({
          id,
          providerAccountId: account.providerAccountId ?? "",
          amount: of(700n, currency),
          description: "rent",
          arrivedAt: 0
        })
        const book = (to: typeof account, id: string, currency?: string) =>
          Effect.map(
            submit(tenant, recordIncoming(to, arrived(id, currency), defaultCurrencies)),
            ({ _tag }) => _tag === "Booked"
          )
        assert.isTrue(yield* book(account, "p-1"))
        assert.isFalse(yield* book(account, "p-1"))
        assert.isTrue(yield* book(account, "p-2"))
        assert.isFalse(yield* book(other, "p-1"), "whichever of our accounts asks")
        assert.isTrue(yield* book(account, "p-3", "USD"))
        assert.isFalse(yield* book(account, "p-3", "USD"))
        const queries = yield* Queries
        const lines = yield* queries.accountLines(tenant, {
          account: `account:${account.id}`,
          currency: "EUR",
          limit: 9
        })
        assert.deepStrictEqual(
          lines.map(({ leg }) => leg.balance),
          [1_400n, 700n]
        )
        assert.strictEqual((yield* queries.record(tenant, FiatAccount, account.id))?.lastIncoming, "p-3")
        assert.deepStrictEqual(yield* float(tenant), [100_000n, 0n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is not booked in a currency that the table lacks, and holds neither itself nor what comes after it", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const account = yield* newAccount(tenant, (yield* newCustomer(tenant)).id)
        const book = (id: string, currency: string, table = defaultCurrencies) => {
          const payment = { id, providerAccountId: "acc", amount: of(700n, currency), description: "", arrivedAt: 0 }
          return Effect.map(submit(tenant, recordIncoming(account, payment, table)), ({ _tag }) => _tag)
        }
        const queries = yield* Queries
        const before = yield* queries.register(tenant, { limit: 10 })
        assert.strictEqual(yield* book("p-1", "XXX"), "UnknownCurrency")
        assert.deepStrictEqual(yield* queries.register(tenant, { limit: 10 }), before)
        assert.isNull((yield* queries.record(tenant, FiatAccount, account.id))?.lastIncoming ?? null)
        assert.strictEqual(yield* book("p-2", "EUR"), "Booked")
        // once the table has it
        const euro = defaultCurrencies.byCode("EUR") ?? assert.fail("no euro")
        const other = { ...euro, code: "XXX" }
        const table = {
          ...defaultCurrencies,
          byCode: (code: string) => (code === "XXX" ? other : defaultCurrencies.byCode(code))
        }
        assert.strictEqual(yield* book("p-1", "XXX", table), "Booked")
        assert.strictEqual(yield* book("p-1", "XXX"), "Known")
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )
})
