import { createAccount } from "@bursar/core/account/createAccount"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import { unschedule } from "@bursar/core/engine/Job"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import type { Command } from "@bursar/core/engine/Command"
import { Writer } from "@bursar/core/engine/Writer"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Operation } from "@bursar/core/operation/Operation"
import { waitsOf } from "@bursar/core/operation/waits"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import type { FiatProvider, TransferOrder, TransferState } from "@bursar/core/port/FiatProvider"
import { Queries } from "@bursar/core/store/Queries"
import { Prices } from "@bursar/core/port/Prices"
import { done, type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { approveResolution, proposeResolution } from "@bursar/core/resolution/resolutionCommands"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import { recordTransfer } from "@bursar/core/transfer/recordTransfer"
import { payeeOfSender } from "@bursar/core/transfer/sender"
import { payeeDetails } from "@bursar/core/transfer/transferOrder"
import type { ProvidedKind } from "@bursar/core/transfer/Transfer"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import { emptyState } from "@bursar/memory"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { fakeSender, type FiatScript, makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { applicantOf, approved, makeFakeIdentity } from "@bursar/testkit/fixtures/FakeIdentity"
import { payee } from "@bursar/testkit/fixtures/people"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, type Layer, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { workFiat } from "../../src/fiat/workFiat.ts"
import { processOver, ticks } from "../watch/world.ts"
import { FiatAccount } from "@bursar/core/account/FiatAccount"
import { Customer } from "@bursar/core/customer/Customer"

const float = 1_000_000n

interface Order {
  readonly kind: ProvidedKind
  readonly units: bigint
  readonly script: FiatScript
}

/** Limits that need a price of nothing. */
const unlimited = {
  ...defaultPolicy,
  payoutLimitUsd: null,
  payoutDailyLimitUsd: null,
  payoutNewAddressLimitUsd: null,
  payoutReviewUsd: null
}

/** A tenant with 10,000 EUR and a fee of one percent. */
const begin = Effect.gen(function* () {
  const writer = yield* Writer
  const { id } = yield* newTenant({ policy: unlimited })
  yield* writer.submit(id, adjustFloat({ amount: of(float, "EUR"), against: "bank", reason: "funded" }))
  yield* writer.submit(
    id,
    addFeeRule({
      product: null,
      currency: null,
      rail: null,
      percent: { units: 1n, decimals: 0 },
      minimumFee: { units: 0n, decimals: 0 },
      priority: 1,
      effectiveFrom: null
    })
  )
  return id
})

/** Submits as a request would, under a key of its own, and gives the operation. */
const keyed = Effect.fnUntraced(function* (tenantId: TenantId, command: Command<Operation>) {
  const writer = yield* Writer
  const queries = yield* Queries
  const [key, fingerprint] = [crypto.randomUUID(), "a".repeat(64)]
  const resourceId = ({ id }: Operation) => id
  yield* writer.submit(
    tenantId,
    idempotent({ key, endpoint: "POST /v1/transfers", fingerprint, render: ({ id }) => ({ id }), resourceId, command })
  )
  const idempotencyRecord = yield* queries.idempotencyRecord(tenantId, key)
  return (yield* queries.operation(tenantId, idempotencyRecord?.resourceId ?? "")) ?? assert.fail("it was not accepted")
})

/** An ON_RAMP that came from a known account, to be paid back. */
const paidIn = Effect.fnUntraced(function* (tenantId: TenantId, units: bigint) {
  const writer = yield* Writer
  const operation: Operation = yield* accept(tenantId, { kind: "ON_RAMP", units })
  const answer = done<TransferState>({
    providerReference: `t-${operation.id}`,
    status: "SETTLED",
    received: operation.amount,
    returned: null,
    sender: fakeSender,
    reason: null
  })
  yield* writer.submit(tenantId, recordTransfer({ operation, answer, currencies: defaultCurrencies }))
  yield* writer.submit(tenantId, forget(operation.id))
  return operation.id
})

/** Two operators state that an order was carried out, under the id of the bank, by which the provider does not know it. */
const statedByTheBank = Effect.fnUntraced(function* (tenantId: TenantId, id: string, units: bigint) {
  const writer = yield* Writer
  const operation = (yield* (yield* Queries).operation(tenantId, id)) ?? assert.fail("it is gone")
  const statement = {
    outcome: "SETTLED",
    basis: "PROVIDER",
    reference: "Ticket 7",
    source: "The bank",
    text: "It was carried out.",
    providerReference: ofTheBank,
    txHash: null,
    received: of(units, "EUR"),
    networkFee: null
  } as const
  const shared = { operation, currencies: defaultCurrencies }
  const resolution = yield* writer.submit(tenantId, proposeResolution({ ...shared, statement, by: "anna" }))
  yield* writer.submit(tenantId, approveResolution({ ...shared, resolution, by: "ben", proof: null }))
})

const ofTheBank = "E2E-4711"

const carriedOut = (providerReference: string, { amount }: TransferOrder): TransferState => ({
  providerReference,
  status: "SETTLED",
  received: amount,
  returned: null,
  sender: null,
  reason: null
})

/** A provider that knows an order by its own id and by our reference, and by no other. */
const knowingItsOwn = (provider: FiatProvider["Service"]): FiatProvider["Service"] => ({
  ...provider,
  transfer: (order, by) =>
    by === null || by === `t-${order.reference}`
      ? provider.transfer(order, by)
      : Effect.succeed(unknown(`there is no transfer ${by}`))
})

/** Takes a transfer out of its queue: nobody asks about it any more. */
const forget = (id: string): Command<void> => ({
  name: "Forget",
  reads: [],
  decide: () => Result.succeed({ changes: [unschedule(transferQueue, id)], reply: undefined })
})

const accept = (
  tenantId: TenantId,
  { kind, units }: Pick<Order, "kind" | "units">,
  provider = "fake",
  refundOf: string | null = null,
  toCurrency = "EUR"
) =>
  keyed(
    tenantId,
    createTransfer({
      kind,
      refund: { refundOf, name: "" },
      amount: of(units, "EUR"),
      toCurrency,
      payee: kind === "ON_RAMP" ? null : payee,
      rail: null,
      quoteId: null,
      partnerReference: null,
      customerId: null,
      actsFor: "TENANT",
      provider: { name: provider, environment: "LIVE" },
      usd: null,
      madeBy: "maker",
      defaultFees: [],
      currencies: defaultCurrencies
    })
  )

const wrong = Effect.fnUntraced(function* (tenantId: TenantId) {
  const results = yield* (yield* LedgerSnapshot).snapshot(tenantId, checkTenant)
  return results.flatMap(({ firstWrong, invariant }) => (firstWrong === null ? [] : [`${invariant}: ${firstWrong}`]))
})

/** Runs a story over a store of its own, with a clock that the story moves. */
const run = <A, E>(story: Effect.Effect<A, E, Layer.Success<ReturnType<typeof processOver>> | Scope.Scope>) =>
  Effect.runPromise(
    story.pipe(Effect.provide(processOver(emptyState())), Effect.provide(TestClock.layer()), Effect.scoped)
  )

/** Lets a process work for some seconds, and ends it. */
const working = Effect.fnUntraced(function* <R>(work: Effect.Effect<never, never, R>, seconds: number) {
  const process = yield* Effect.forkChild(work)
  yield* ticks(seconds)
  yield* Fiber.interrupt(process)
})

const status: fc.Arbitrary<TransferState["status"]> = fc.constantFrom(
  "AWAITING_FUNDS",
  "IN_REVIEW",
  "PROCESSING",
  "SENT",
  "SETTLED",
  "SETTLED",
  "FAILED",
  "RETURNED",
  "UNRESOLVED"
)

const order: fc.Arbitrary<Order> = fc.record({
  kind: fc.constantFrom("OFF_RAMP", "BANK_TRANSFER", "REFUND", "ON_RAMP"),
  units: fc.bigInt(200n, 10_000n),
  script: fc.record({
    order: fc.constantFrom("told", "refused", "taken-silent", "lost"),
    unreadable: fc.nat(2),
    course: fc.array(status, { minLength: 1, maxLength: 5 })
  })
})

type End = "open" | "SETTLED" | "FAILED" | "RETURNED" | "BACK"

/** Where a transfer must end by what the provider did with its order and said of it. */
const endOf = ({ script: { course, order: first } }: Order): End =>
  first === "refused" || first === "lost"
    ? "FAILED"
    : course.reduce<End>((now, said) => {
        if (now === "open") return said === "SETTLED" || said === "FAILED" || said === "RETURNED" ? said : now
        return now === "SETTLED" && said === "RETURNED" ? "BACK" : now
      }, "open")

describe("the fiat provider's work", () => {
  it("sends every order once and books what became of it, whatever is lost and however often the process dies", async () => {
    const worlds = fc.record({ orders: fc.array(order, { minLength: 1, maxLength: 5 }), deaths: fc.nat(4) })
    await fc.assert(
      fc.asyncProperty(worlds, ({ deaths, orders }) => {
        const scripts = new Map<string, FiatScript>()
        const fiat = makeFakeFiat((reference) => {
          const found = scripts.get(reference)
          if (found === undefined) throw new Error("an order that nobody made")
          return found
        })
        return run(
          Effect.gen(function* () {
            const queries = yield* Queries
            const tenantId = yield* begin
            const accepted = yield* Effect.forEach(
              orders,
              Effect.fnUntraced(function* (each) {
                const source = each.kind === "REFUND" ? yield* paidIn(tenantId, each.units) : null
                if (source !== null) fiat.payers.set(source, fakeSender)
                const operation = yield* accept(tenantId, each, "fake", source)
                scripts.set(operation.id, each.script)
                return operation
              })
            )
            for (let life = 0; life <= deaths; life += 1) {
              const work = workFiat({ currencies: defaultCurrencies, fiats: [fiat.provider], identities: [] })
              const process = yield* Effect.forkChild(work)
              yield* ticks(life === deaths ? 240 : 1)
              yield* Fiber.interrupt(process)
            }
            let [free, held] = [float, 0n]
            // what is paid back was paid in before, less its fee
            for (const { kind, units } of orders) if (kind === "REFUND") free += units - (units + 99n) / 100n
            for (const [index, { customerFee: fee, id }] of accepted.entries()) {
              const request = orders[index]
              const operation = yield* queries.operation(tenantId, id)
              if (request === undefined || operation === undefined) return assert.fail("an operation is missing")
              const end = endOf(request)
              assert.strictEqual(fiat.ordered.get(id), 1)
              if (end !== "open") assert.strictEqual(operation.status, end === "BACK" ? "RETURNED" : end)
              if (request.kind === "ON_RAMP") {
                if (end === "SETTLED") free += request.units - fee.units
              } else {
                if (end === "open" || end === "SETTLED") free -= request.units + fee.units
                if (end === "BACK") free -= fee.units
                if (end === "open") held += request.units + fee.units
              }
            }
            const balances = yield* queries.float(tenantId)
            const units = (account: string) => balances.find((balance) => balance.account === account)?.units ?? 0n
            assert.deepStrictEqual([units("float:available"), units("float:held")], [free, held])
            assert.deepStrictEqual(yield* wrong(tenantId), [])
          })
        )
      }),
      { numRuns: 40 }
    )
  })

  it("never asks a provider about an order that another one has", () => {
    const fiat = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: ["SETTLED"] }))
    return run(
      Effect.gen(function* () {
        const queries = yield* Queries
        const tenantId = yield* begin
        const { id } = yield* accept(tenantId, { kind: "BANK_TRANSFER", units: 500n }, "another")
        yield* Effect.forkChild(workFiat({ currencies: defaultCurrencies, fiats: [fiat.provider], identities: [] }))
        yield* ticks(20)
        assert.isFalse(fiat.ordered.has(id))
        const operation = yield* queries.operation(tenantId, id)
        // it never left, so its outcome is known: it waits, and says for whom
        assert.deepStrictEqual([operation?.status, operation?.unresolved], ["ACCEPTED", false])
        assert.strictEqual(operation && waitsOf(operation)?.reason, "provider_not_configured")
      })
    )
  })

  it("books no payout that nobody has promised until a price tells what it is worth, where prices are asked", () => {
    const fiat = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: ["SETTLED"] }))
    let known = false
    const seen = Effect.map(Clock.currentTimeMillis, (observedAt) =>
      known ? { price: { units: 1n, decimals: 0 }, source: "test", observedAt } : null
    )
    return run(
      Effect.gen(function* () {
        const queries = yield* Queries
        const tenantId = yield* begin
        const { id } = yield* accept(tenantId, { kind: "OFF_RAMP", units: 500n }, "fake", null, "GBP")
        const work = workFiat({ currencies: defaultCurrencies, fiats: [fiat.provider], identities: [] })
        yield* Effect.forkChild(Effect.provideService(work, Prices, { usd: () => seen, rate: () => seen }))
        yield* ticks(20)
        const waiting = yield* queries.operation(tenantId, id)
        assert.match(waiting?.details.unresolved_because ?? "", /no fresh price of EUR is known/u)
        known = true
        yield* ticks(600)
        assert.strictEqual((yield* queries.operation(tenantId, id))?.status, "SETTLED")
      })
    )
  })

  it("books what such a payout has paid where a part of it comes back, by what prices tell then", () => {
    const amounts = () => ({ received: of(400n, "GBP"), returned: of(100n, "EUR") })
    const fiat = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: ["RETURNED"], amounts }))
    const par = { price: { units: 1n, decimals: 0 }, source: "test" }
    const seen = Effect.map(Clock.currentTimeMillis, (observedAt) => ({ ...par, observedAt }))
    return run(
      Effect.gen(function* () {
        const queries = yield* Queries
        const tenantId = yield* begin
        const { id } = yield* accept(tenantId, { kind: "OFF_RAMP", units: 500n }, "fake", null, "GBP")
        const work = workFiat({ currencies: defaultCurrencies, fiats: [fiat.provider], identities: [] })
        yield* Effect.forkChild(Effect.provideService(work, Prices, { usd: () => seen, rate: () => seen }))
        yield* ticks(20)
        const after = yield* queries.operation(tenantId, id)
        assert.deepStrictEqual([after?.status, after?.unresolved], ["RETURNED", false])
      })
    )
  })

  it("hears of the return of what operators have stated under an id that the provider does not know", () => {
    const script: { -readonly [K in keyof FiatScript]: FiatScript[K] } = {
      order: "told",
      unreadable: 0,
      course: ["UNRESOLVED"]
    }
    const fiat = makeFakeFiat(() => script)
    return run(
      Effect.gen(function* () {
        const queries = yield* Queries
        const tenantId = yield* begin
        const { id } = yield* accept(tenantId, { kind: "BANK_TRANSFER", units: 500n })
        const provider = knowingItsOwn(fiat.provider)
        const work = workFiat({ currencies: defaultCurrencies, fiats: [provider], identities: [] })
        yield* working(work, 3)
        yield* statedByTheBank(tenantId, id, 500n)
        const settled = yield* queries.operation(tenantId, id)
        assert.deepInclude(settled, { status: "SETTLED", providerReference: ofTheBank })
        script.course = ["RETURNED"]
        yield* working(work, 60)
        const after = yield* queries.operation(tenantId, id)
        assert.deepInclude(after, { status: "SETTLED", providerReference: ofTheBank })
        const said = `it says RETURNED of 5 EUR, under the id t-${id}`
        assert.deepInclude(after?.details.contradiction, { said })
        assert.deepStrictEqual(yield* wrong(tenantId), [])
      })
    )
  })

  it("is not asked by our reference about an order that operators have stated, so that each look leaves one answer", () =>
    run(
      Effect.gen(function* () {
        const fiat = makeFakeFiat(() => ({ order: "lost", unreadable: 9, course: [] }))
        const queries = yield* Queries
        const tenantId = yield* begin
        const { id } = yield* accept(tenantId, { kind: "BANK_TRANSFER", units: 500n })
        const asked: Array<string | null> = []
        let denied = false
        const provider: FiatProvider["Service"] = {
          ...fiat.provider,
          transfer: (order, by) => {
            asked.push(by)
            if (by === ofTheBank) return Effect.succeed(done(carriedOut(ofTheBank, order)))
            return Effect.succeed(denied ? refused("never taken") : unknown("503"))
          }
        }
        const work = workFiat({ currencies: defaultCurrencies, fiats: [provider], identities: [] })
        yield* working(work, 3)
        yield* statedByTheBank(tenantId, id, 500n)
        const told = Effect.map(queries.events(tenantId, 0, 500), (events) => events.length)
        const before = yield* told
        denied = true
        asked.length = 0
        yield* working(work, 60)
        assert.deepStrictEqual([...new Set(asked)], [ofTheBank])
        assert.strictEqual(yield* told, before)
        assert.deepInclude(yield* queries.operation(tenantId, id), { status: "SETTLED", unresolved: false })
      })
    ))

  for (const [what, isKnown] of [
    ["denies: what it says under its own is noted, and flags nothing", false],
    ["knows: that money has moved under its own, too, is noted", true]
  ] as const)
    it(`looks at an order that operators have stated under an id that the provider ${what}`, () =>
      run(
        Effect.gen(function* () {
          const fiat = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: ["UNRESOLVED"] }))
          const queries = yield* Queries
          const tenantId = yield* begin
          const { id } = yield* accept(tenantId, { kind: "BANK_TRANSFER", units: 500n })
          const own = `t-${id}`
          const asked: Array<string | null> = []
          const provider: FiatProvider["Service"] = {
            ...fiat.provider,
            transfer: (order, by) => {
              asked.push(by)
              const known = isKnown || by === own ? done(carriedOut(by ?? own, order)) : refused("no such order")
              return Effect.succeed(known)
            }
          }
          yield* working(workFiat({ currencies: defaultCurrencies, fiats: [fiat.provider], identities: [] }), 1)
          yield* statedByTheBank(tenantId, id, 500n)
          const told = Effect.map(queries.events(tenantId, 0, 500), (events) => events.length)
          const before = yield* told
          yield* working(workFiat({ currencies: defaultCurrencies, fiats: [provider], identities: [] }), 60)
          assert.deepStrictEqual([...new Set(asked)], [ofTheBank, own])
          assert.strictEqual(yield* told, before)
          const after = yield* queries.operation(tenantId, id)
          assert.deepInclude(after, { status: "SETTLED", unresolved: false })
          assert.strictEqual(
            after?.details.contradiction?.said,
            `it says SETTLED with 500 base units of EUR, under the id ${own}`
          )
        })
      ))

  it("learns of a return by a hint long before it would have asked", () => {
    const script: { -readonly [K in keyof FiatScript]: FiatScript[K] } = {
      order: "told",
      unreadable: 0,
      course: ["SETTLED"]
    }
    const fiat = makeFakeFiat(() => script)
    return run(
      Effect.gen(function* () {
        const queries = yield* Queries
        const jobQueue = yield* JobQueue
        const tenantId = yield* begin
        const { id } = yield* accept(tenantId, { kind: "BANK_TRANSFER", units: 500n })
        const status = Effect.map(queries.operation(tenantId, id), (operation) => operation?.status)
        const work = workFiat({ currencies: defaultCurrencies, fiats: [fiat.provider], identities: [] })
        yield* working(work, 3)
        yield* TestClock.adjust("20 days")
        yield* working(work, 3)
        assert.strictEqual(yield* status, "SETTLED")
        script.course = ["RETURNED"]
        yield* working(work, 30)
        assert.strictEqual(yield* status, "SETTLED", "after twenty days it is seldom asked")
        for (let times = 0; times < 3; times += 1)
          yield* jobQueue.expedite(transferQueue, id, yield* Clock.currentTimeMillis)
        yield* working(work, 3)
        assert.strictEqual(yield* status, "RETURNED")
        assert.deepStrictEqual(yield* wrong(tenantId), [])
      })
    )
  })
})

describe("accounts", () => {
  const open = Effect.fnUntraced(function* (tenantId: TenantId, customerId: string, currency = "EUR") {
    const writer = yield* Writer
    const request = {
      customerId,
      currency,
      country: null,
      provider: { name: "fake", environment: "LIVE" } as const,
      currencies: defaultCurrencies
    }
    return yield* writer.submit(tenantId, createAccount(request))
  })

  it("are opened, read, and credited with every payment once, however often it is told and the process dies", () => {
    const fiat = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: [] }))
    return run(
      Effect.gen(function* () {
        const queries = yield* Queries
        const tenantId = yield* begin
        const { id: customer } = yield* newCustomer(tenantId)
        const { id } = yield* open(tenantId, customer)
        const { id: refused } = yield* open(tenantId, customer, "USD")
        const work = workFiat({ currencies: defaultCurrencies, fiats: [fiat.provider], identities: [] })
        const first = yield* Effect.forkChild(work)
        yield* ticks(5)
        const opened = fiat.accounts.get(id) ?? assert.fail("nothing was opened")
        fiat.accounts.set(id, { ...opened, status: "ACTIVE", iban: "DE89370400440532013000" })
        yield* ticks(5)
        yield* Fiber.interrupt(first)
        for (const [index, units] of [500n, 700n, 0n].entries())
          fiat.arrivals.push({
            id: `pay-${index}`,
            providerAccountId: opened.providerAccountId,
            amount: of(units, "EUR"),
            description: `payment ${index}`,
            arrivedAt: index
          })
        for (let life = 0; life < 4; life += 1) {
          const process = yield* Effect.forkChild(work)
          yield* ticks(life === 3 ? 60 : 3)
          yield* Fiber.interrupt(process)
        }
        const account = yield* queries.record(tenantId, FiatAccount, id)
        assert.deepStrictEqual([account?.status, account?.details.iban], ["ACTIVE", "DE89370400440532013000"])
        assert.strictEqual((yield* queries.record(tenantId, FiatAccount, refused))?.status, "REJECTED")
        const lines = yield* queries.accountLines(tenantId, { account: `account:${id}`, currency: "EUR", limit: 9 })
        assert.deepStrictEqual(
          lines.map(({ leg }) => leg.balance),
          [1_200n, 500n]
        )
        assert.deepStrictEqual(yield* wrong(tenantId), [])
      })
    )
  })
})

describe("identity checks", () => {
  it("are followed from approval to rejection, and through times when they cannot be read", () => {
    const identity = makeFakeIdentity()
    return run(
      Effect.gen(function* () {
        const queries = yield* Queries
        const tenantId = yield* begin
        const { id } = yield* newCustomer(tenantId, { check: approved(0, { status: "PENDING" }), registered: false })
        const work = workFiat({ currencies: defaultCurrencies, fiats: [], identities: [identity.provider] })
        const status = Effect.map(queries.record(tenantId, Customer, id), (found) => found?.verification?.status)
        identity.down = true
        yield* working(work, 70)
        assert.strictEqual(yield* status, "PENDING")
        assert.isAbove(identity.read.get(applicantOf(id)) ?? 0, 0)
        identity.down = false
        identity.states.set(id, approved(10))
        yield* working(work, 70)
        assert.strictEqual(yield* status, "APPROVED")
        identity.states.set(id, approved(20, { status: "REJECTED" }))
        yield* TestClock.adjust("1 day")
        yield* working(work, 3)
        assert.strictEqual(yield* status, "REJECTED")
        identity.states.set(id, approved(15))
        yield* TestClock.adjust("1 day")
        yield* working(work, 3)
        assert.strictEqual(yield* status, "REJECTED", "what was decided earlier is told late")
      })
    )
  })
})

describe("a refund", () => {
  const thief = { ...fakeSender, name: "A Thief", iban: "DE89370400440532013000" }

  /** Writes another account into a row, as whoever writes to the database can. */
  const redirected = (tenantId: TenantId, id: string, as: "payee" | "sender") =>
    Effect.flatMap(Writer, (writer) =>
      writer.submit(tenantId, {
        name: "Redirect",
        reads: [readRecord(Operation, id)],
        decide: (view) => {
          const found = view.get(Operation, id)
          if (found === undefined) return Result.succeed({ changes: [], reply: undefined })
          const details = { ...found.details, [as]: payeeDetails(payeeOfSender(thief)) }
          return Result.succeed({
            changes: [putRecord(Operation, { ...found, details } as Operation)],
            reply: undefined
          }) // as a thief writes it
        }
      })
    )

  const story = (changed: boolean) =>
    run(
      Effect.gen(function* () {
        const queries = yield* Queries
        const fiat = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: ["SETTLED"] }))
        const tenantId = yield* begin
        const source = yield* paidIn(tenantId, 5_000n)
        fiat.payers.set(source, fakeSender)
        const { id } = yield* accept(tenantId, { kind: "REFUND", units: 4_000n }, "fake", source)
        if (changed) {
          yield* redirected(tenantId, source, "sender")
          yield* redirected(tenantId, id, "payee")
        }
        yield* Effect.forkChild(workFiat({ currencies: defaultCurrencies, fiats: [fiat.provider], identities: [] }))
        yield* ticks(130)
        return {
          order: fiat.orders.get(id),
          operation: (yield* queries.operation(tenantId, id)) ?? assert.fail("it is gone")
        }
      })
    )

  it("goes to the account that the provider says the money came from", async () => {
    const { operation, order } = await story(false)
    assert.strictEqual(order?.payee?.iban, fakeSender.iban)
    assert.strictEqual(operation.status, "SETTLED")
  })

  const state = {
    providerReference: ofTheBank,
    status: "SETTLED",
    received: of(5_000n, "EUR"),
    returned: null,
    sender: fakeSender,
    reason: null
  } as const
  const told = (more: Partial<TransferState> = {}) => done<TransferState>({ ...state, ...more })
  const back = { status: "RETURNED", returned: of(5_000n, "EUR") } as const
  const under = (providerReference: string, answer: ProviderResult<TransferState>) =>
    answer._tag === "Done" && answer.value.providerReference !== "anothers"
      ? told({ ...answer.value, providerReference })
      : answer

  for (const [what, byStated, byItsOwn, isSent] of [
    ["does not know", unknown("?"), told(), true],
    ["denies", refused("no such order"), told(), true],
    ["knows, too", told(), told(), true],
    ["knows, and which it denies under its own", told(), refused("no such order"), true],
    ["denies, as it does its own", refused("no such order"), refused("no such order"), false],
    ["knows, while it cannot be read under its own", told(), unknown("503"), false],
    ["knows, and says under its own that all went back", told(), told(back), false],
    ["says went back, and not under its own", told(back), told(), false],
    ["knows, and tells that less came under its own", told(), told({ received: of(3_999n, "EUR") }), false],
    ["knows, and tells another payer under its own", told(), told({ sender: thief }), false],
    [
      "knows, and says under its own that it went back, and not how much",
      told(),
      told({ status: "RETURNED", received: null }),
      false
    ],
    [
      "knows, and says under its own that it is on its way back",
      told(),
      told({ status: "UNRESOLVED", received: null }),
      false
    ],
    [
      "says to be on its way back, and not under its own",
      told({ status: "UNRESOLVED", received: null }),
      told(),
      false
    ],
    ["knows, and says under its own that it failed", told(), told({ status: "FAILED", received: null }), false],
    [
      "knows, and answers with another order when asked by its own",
      told(),
      told({ providerReference: "anothers" }),
      false
    ],
    ["knows, while it tells no amount as zero under its own", told(), told({ received: of(0n, "EUR") }), true]
  ] as const)
    it(`is ${isSent ? "" : "not "}sent where operators have named its ON_RAMP by an id that the provider ${what}`, () =>
      run(
        Effect.gen(function* () {
          const [queries, writer] = [yield* Queries, yield* Writer]
          const fiat = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: ["SETTLED"] }))
          const tenantId = yield* begin
          const source = yield* paidIn(tenantId, 5_000n)
          const own = `t-${source}`
          const operation = (yield* queries.operation(tenantId, source)) ?? assert.fail("it is gone")
          const answer = told({ providerReference: own, received: of(4_999n, "EUR") })
          yield* writer.submit(tenantId, recordTransfer({ operation, answer, currencies: defaultCurrencies }))
          yield* statedByTheBank(tenantId, source, 5_000n)
          const { id } = yield* accept(tenantId, { kind: "REFUND", units: 4_000n }, "fake", source)
          const provider: FiatProvider["Service"] = {
            ...fiat.provider,
            transfer: (order, by) =>
              order.reference === source
                ? Effect.succeed(by === own ? under(own, byItsOwn) : byStated)
                : fiat.provider.transfer(order, by)
          }
          yield* Effect.forkChild(workFiat({ currencies: defaultCurrencies, fiats: [provider], identities: [] }))
          yield* ticks(130)
          assert.strictEqual(fiat.orders.has(id), isSent)
          const refund = yield* queries.operation(tenantId, id)
          assert.strictEqual(refund?.status, isSent ? "SETTLED" : "ACCEPTED")
        })
      ))

  it("is not sent where somebody has written another account into its row and that of its ON_RAMP", async () => {
    const { operation, order } = await story(true)
    assert.isUndefined(order)
    assert.deepStrictEqual([operation.status, waitsOf(operation)?.reason], ["ACCEPTED", "payer_not_confirmed"])
  })
})
