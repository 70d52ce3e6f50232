import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Command } from "@bursar/core/engine/Command"
import { Writer } from "@bursar/core/engine/Writer"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Rate } from "@bursar/core/money/Rate"
import { Operation } from "@bursar/core/operation/Operation"
import { Custodian } from "@bursar/core/port/Custodian"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import type { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import { createSwap } from "@bursar/core/swap/createSwap"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import { createWithdrawal } from "@bursar/core/withdrawal/createWithdrawal"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { type ControlRoute, SandboxCustodian, SandboxFiat, SandboxPrices, SandboxStore } from "@bursar/sandbox"
import { putRecord } from "@bursar/core/engine/Records"
import { makeNetworks } from "@bursar/core/port/Networks"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { payee, somebody } from "@bursar/testkit/fixtures/people"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { workCustody } from "../../src/custody/workCustody.ts"
import { workFiat } from "../../src/fiat/workFiat.ts"
import { begin, ledgerHolds, oneProcess, ticks, until } from "../watch/world.ts"
import { allBreaks, observedAgain, reconciling, untilBreaks } from "./world.ts"

const custodianPlace = "custodian:sandbox"
const bankPlace = "bank:sandbox"

const graceMs = 20_000
const afterGrace = ticks(graceMs / 1_000 + 15)

/** Presses a control of the sandbox, as its HTTP server does. */
const press = (
  routes: ReadonlyArray<ControlRoute>,
  path: string,
  body: unknown,
  named: Record<string, string> = {}
) => {
  const route = routes.find((one) => one.method === "POST" && one.path === path)
  return route === undefined ? Effect.die(new Error(`no ${path}`)) : Effect.orDie(route.handle({ path: named, body }))
}

/** The sandbox with what a tenant has there by the books, workers that carry its orders, and the reconciler. */
const opened = Effect.gen(function* () {
  yield* begin
  const store = SandboxStore.memory()
  const { prices } = yield* SandboxPrices.make({ store })
  const payer = {
    pay: () => Effect.sync(() => ({ txHash: `0x${crypto.randomUUID()}` })),
    confirmed: () => Effect.succeed(true)
  }
  const stock = { USDC_BASE: "1000", ETH: "10" }
  const { custodian, routes: custodianRoutes } = yield* SandboxCustodian.make({ store, prices, payer, stock })
  const { provider, routes: bankRoutes } = yield* SandboxFiat.make({ store, stock: { EUR: "1000" } })
  const live = {
    custodian: Custodian.of({ ...custodian, environment: "LIVE" }),
    bank: FiatProvider.of({ ...provider, environment: "LIVE" })
  }
  const { id } = yield* newTenant({ policy: { ...defaultPolicy, destinationCoolingHours: 0 } })
  const submit = <A>(command: Command<A>) => Effect.flatMap(Writer, (writer) => writer.submit(id, command))
  for (const [amount, against] of [
    [of(1_000_000_000n, "USDC_BASE"), "custodian"],
    [of(10n ** 19n, "ETH"), "custodian"],
    [of(100_000n, "EUR"), "bank"]
  ] as const)
    yield* submit(adjustFloat({ amount, against, reason: "funded" }))
  const proposal = { currency: "USDC_BASE", network: "base", memo: null, label: "t", by: "ann" } as const
  const destination = yield* submit(
    proposeDestination({ ...proposal, address: "0x00000000000000000000000000000000000000aa" })
  )
  yield* submit(verifyDestination(destination.id, "bob"))
  yield* ticks(2)
  const carrying = Effect.all(
    [
      workCustody({ currencies: defaultCurrencies, networks: makeNetworks([]), custodians: [live.custodian] }),
      workFiat({ currencies: defaultCurrencies, fiats: [live.bank], identities: [] })
    ],
    { concurrency: "unbounded", discard: true }
  )
  const comparing = reconciling([], { statementGraceMs: graceMs }).pipe(
    Effect.provideService(Custodian, live.custodian),
    Effect.provideService(FiatProvider, live.bank)
  )
  const workers = [yield* Effect.forkScoped(carrying), yield* Effect.forkScoped(comparing)]
  yield* observedAgain(custodianPlace, "USDC_BASE")
  yield* observedAgain(bankPlace, "EUR")
  return { id, submit, carrying, comparing, workers, prices, custodianRoutes, bankRoutes, bank: live.bank }
})

type Opened = Effect.Success<typeof opened>

const ordered = Effect.fnUntraced(function* (id: TenantId, endpoint: string, command: Command<Operation>) {
  const [writer, queries] = [yield* Writer, yield* Queries]
  const key = crypto.randomUUID()
  yield* writer.submit(
    id,
    idempotent({
      key,
      endpoint,
      fingerprint: "a".repeat(64),
      render: (operation: Operation) => ({ id: operation.id }),
      resourceId: (operation: Operation) => operation.id,
      command
    })
  )
  const found = yield* queries.idempotencyRecord(id, key)
  return found?.resourceId ?? assert.fail("it was not accepted")
})

const shared = {
  defaultFees: [],
  currencies: defaultCurrencies,
  provider: { name: "sandbox", environment: "LIVE" } as const,
  partnerReference: null
}

const rate: Effect.Effect<Rate> = Effect.map(Clock.currentTimeMillis, (observedAt) => ({
  price: { units: 1n, decimals: 0 },
  source: "test",
  observedAt
}))

const ended = Effect.fnUntraced(function* (tenantId: TenantId, id: string, status: string) {
  const queries = yield* Queries
  yield* until(
    `it is ${status}`,
    Effect.map(queries.operation(tenantId, id), (one) => one?.status === status)
  )
  const operation = yield* queries.operation(tenantId, id)
  return operation ?? assert.fail("it is gone")
})

const withdraw = Effect.fnUntraced(function* ({ id }: Opened, units: bigint, status = "SETTLED") {
  const usd = yield* rate
  const command = createWithdrawal({ ...shared, amount: of(units, "USDC_BASE"), madeBy: "maker", usd })
  return yield* ended(id, yield* ordered(id, "POST /v1/withdrawals", command), status)
})

const pay = Effect.fnUntraced(function* ({ id }: Opened, units: bigint, status = "SETTLED") {
  const command = createTransfer({
    ...shared,
    amount: of(units, "EUR"),
    kind: "BANK_TRANSFER",
    usd: yield* rate,
    madeBy: "maker",
    toCurrency: "EUR",
    payee,
    rail: null,
    quoteId: null,
    customerId: null,
    actsFor: "TENANT"
  })
  return yield* ended(id, yield* ordered(id, "POST /v1/transfers", command), status)
})

const swap = Effect.fnUntraced(function* ({ id, prices }: Opened, units: bigint) {
  const command = createSwap({
    madeBy: "maker",
    ...shared,
    amount: of(units, "USDC_BASE"),
    toCurrency: "ETH",
    customerId: null,
    quoteId: null,
    pair: { minimum: null, step: null },
    rate: yield* prices.rate("USDC_BASE", "ETH")
  })
  return yield* ended(id, yield* ordered(id, "POST /v1/swaps", command), "SETTLED")
})

/** What an operator sees of the breaks: where, how much, and what it is about. */
const seen = Effect.map(allBreaks, (all) =>
  all.map(({ about, closedAt, currency, place, units }) => ({
    place,
    currency,
    units,
    about: about?.id,
    open: closedAt === null
  }))
)

const story = <A, E>(test: Effect.Effect<A, E, Effect.Services<typeof opened> | LedgerSnapshot>) =>
  test.pipe(Effect.provide(oneProcess()))

describe("providers that do what they say", () => {
  it.effect("give no break, whatever becomes of their orders", () =>
    story(
      Effect.gen(function* () {
        const world = yield* opened
        const { bankRoutes, custodianRoutes } = world
        yield* withdraw(world, 5_000_000n)
        yield* press(custodianRoutes, "/custodian/next", { operation: "withdrawal", outcome: "fail" })
        yield* withdraw(world, 6_000_000n, "FAILED")
        yield* press(custodianRoutes, "/custodian/next", { operation: "withdrawal", outcome: "timeout_then_settle" })
        yield* withdraw(world, 7_000_000n)
        yield* swap(world, 30_000_000n)
        yield* pay(world, 1_000n)
        yield* press(bankRoutes, "/fiat/next", { outcome: "fail" })
        yield* pay(world, 2_000n, "FAILED")
        yield* press(bankRoutes, "/fiat/next", { outcome: "return" })
        yield* pay(world, 3_000n, "RETURNED")
        yield* afterGrace
        const open = (yield* allBreaks).filter(({ closedAt }) => closedAt === null)
        assert.deepStrictEqual(open, [])
        yield* ledgerHolds(world.id)
      })
    )
  )
})

describe("a payer who names somebody's transfer in his words", () => {
  it.effect("gives no break, though the bank tells of his payment before the service has booked it", () =>
    story(
      Effect.gen(function* () {
        const world = yield* opened
        const { id: victim } = yield* pay(world, 4_000n)
        const person = yield* world.bank.register({ reference: "his", isBusiness: false, identity: somebody })
        const { providerCustomerId } = person._tag === "Done" ? person.value : assert.fail(person._tag)
        const order = { reference: "his", providerCustomerId, currency: "EUR", country: "PT" }
        const account = yield* world.bank.openAccount(order)
        const { providerAccountId } = account._tag === "Done" ? account.value : assert.fail(account._tag)
        yield* ticks(60)
        const body = { account: providerAccountId, amount: "5.00", description: `for ${victim}` }
        yield* press(world.bankRoutes, "/fiat/incoming", body)
        yield* observedAgain(bankPlace, "EUR")
        yield* ticks(8)
        assert.deepStrictEqual(yield* seen, [])
        const [told] = yield* world.bank.incoming(providerAccountId, null)
        yield* world.submit(
          writing(
            (view) => {
              const reference = { provider: "sandbox", providerReference: told?.id ?? "" }
              const common = { kind: "ADJUSTMENT", status: "SETTLED", settledAt: view.now } as const
              const operation = bareOperation(view, { ...common, ...reference, amount: of(500n, "EUR") })
              const leg = { currency: "EUR", units: 500n, what: "principal" } as const
              const legs = [
                { ...leg, account: "bank", direction: "DEBIT" },
                { ...leg, account: "suspense", direction: "CREDIT" }
              ] as const
              return [putRecord(Operation, operation), { _tag: "Posted", operationId: operation.id, legs } as const]
            },
            (["bank", "suspense:bank", "suspense"] as const).map(
              (account) => ({ _tag: "Balance", account, currency: "EUR" }) as const
            )
          )
        )
        yield* afterGrace
        yield* afterGrace
        assert.deepStrictEqual(yield* seen, [])
      })
    )
  )
})

describe("a provider that does something else gives exactly its own break", () => {
  const place = custodianPlace
  const currency = "USDC_BASE"

  it.effect("where it loses a withdrawal", () =>
    story(
      Effect.gen(function* () {
        const world = yield* opened
        yield* press(world.custodianRoutes, "/custodian/next", { operation: "withdrawal", outcome: "fail" })
        const { id, providerReference: reference } = yield* withdraw(world, 5_000_000n, "FAILED")
        // it says that it has given up, and the money is gone
        yield* press(world.custodianRoutes, "/custodian/book", { currency, amount: "-5", reference })
        yield* untilBreaks(1)
        yield* afterGrace
        assert.deepStrictEqual(yield* seen, [{ place, currency, units: 5_000_000n, about: id, open: true }])
      })
    )
  )

  it.effect("where it books a withdrawal twice", () =>
    story(
      Effect.gen(function* () {
        const world = yield* opened
        const { id, providerReference: reference } = yield* withdraw(world, 5_000_000n)
        yield* press(world.custodianRoutes, "/custodian/book", { currency, amount: "-5", reference })
        yield* untilBreaks(1)
        yield* afterGrace
        assert.deepStrictEqual(yield* seen, [{ place, currency, units: 5_000_000n, about: id, open: true }])
        yield* press(world.custodianRoutes, "/custodian/book", {
          currency,
          amount: "5",
          reference,
          text: "our mistake"
        })
        yield* afterGrace
        assert.deepStrictEqual(yield* seen, [{ place, currency, units: 5_000_000n, about: id, open: false }])
      })
    )
  )

  it.effect("where it charges a fee that nobody announced", () =>
    story(
      Effect.gen(function* () {
        const world = yield* opened
        yield* withdraw(world, 5_000_000n)
        yield* press(world.custodianRoutes, "/custodian/book", { currency, amount: "-0.25", text: "custody fee" })
        yield* untilBreaks(1)
        yield* afterGrace
        const [broken, ...others] = yield* allBreaks
        assert.deepStrictEqual(others, [])
        assert.deepInclude(broken, { place, currency, units: 250_000n })
        assert.strictEqual(broken?.about?.kind, "statement_line")
        const fee = { amount: of(-250_000n, currency), against: "custodian", reason: "custody fee" } as const
        yield* world.submit(adjustFloat(fee))
        yield* afterGrace
        assert.deepStrictEqual(
          (yield* seen).map(({ open, units }) => [units, open]),
          [[250_000n, false]]
        )
      })
    )
  )

  it.effect("where it returns a transfer a week later, until the service has booked the return", () =>
    story(
      Effect.gen(function* () {
        const world = yield* opened
        const { id } = yield* pay(world, 4_000n)
        yield* afterGrace
        assert.deepStrictEqual(yield* seen, [])
        // nothing works for a week: so many rounds would only take time
        yield* Effect.forEach(world.workers, Fiber.interrupt)
        yield* TestClock.adjust("7 days")
        yield* press(world.bankRoutes, "/fiat/transfers/{reference}", { outcome: "return" }, { reference: id })
        yield* TestClock.adjust("10 seconds")
        yield* Effect.forkScoped(world.comparing)
        yield* untilBreaks(1)
        yield* afterGrace
        assert.deepStrictEqual(yield* seen, [
          { place: bankPlace, currency: "EUR", units: -4_000n, about: id, open: true }
        ])
        yield* Effect.forkScoped(world.carrying)
        yield* ended(world.id, id, "RETURNED")
        yield* until(
          "it is closed",
          Effect.map(seen, ([one]) => one?.open === false)
        )
        yield* afterGrace
        assert.strictEqual((yield* seen).length, 1)
        yield* ledgerHolds(world.id)
      })
    )
  )
})
