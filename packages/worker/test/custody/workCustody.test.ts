import { checkTenant } from "@bursar/core/checker/checkTenant"
import type { Command } from "@bursar/core/engine/Command"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Operation } from "@bursar/core/operation/Operation"
import { waitsOf } from "@bursar/core/operation/waits"
import { makeNetworks } from "@bursar/core/port/Networks"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { Prices } from "@bursar/core/port/Prices"
import { ProviderCalls } from "@bursar/core/port/ProviderCalls"
import { done, refused } from "@bursar/core/port/ProviderResult"
import { approveResolution, proposeResolution } from "@bursar/core/resolution/resolutionCommands"
import { createSwap } from "@bursar/core/swap/createSwap"
import { toCurrencyOf } from "@bursar/core/swap/toCurrencyOf"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { createWithdrawal } from "@bursar/core/withdrawal/createWithdrawal"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { emptyState } from "@bursar/memory"
import { type CustodianScript, makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { workCustody } from "../../src/custody/workCustody.ts"
import { delivering } from "../deliver/world.ts"
import { ticks } from "../watch/world.ts"

const one = { price: { units: 1n, decimals: 0 }, source: "test" }

/** What the market gives for each whole unit, whatever is asked: hundredths, or nobody knows. */
const marketAt = (hundredths: bigint | null) =>
  Effect.provideService(
    Prices,
    Prices.of({
      usd: () => Effect.succeed(null),
      rate: () =>
        Effect.map(Clock.currentTimeMillis, (observedAt) =>
          hundredths === null ? null : { price: { units: hundredths, decimals: 2 }, source: "test", observedAt }
        )
    })
  )

const float = 1_000_000n

const feeRule = {
  id: "00000000-0000-7000-8000-000000000001",
  product: null,
  currency: null,
  rail: null,
  percent: { units: 1n, decimals: 0 },
  minimumFee: { units: 0n, decimals: 0 },
  priority: 1,
  effectiveFrom: 0,
  createdAt: 0,
  retiredAt: null
}

interface Order {
  readonly kind: "swap" | "quoted" | "withdrawal"
  readonly units: bigint
  readonly script: CustodianScript
}

const begin = Effect.gen(function* () {
  const writer = yield* Writer
  const { id } = yield* newTenant({
    policy: { ...defaultPolicy, destinationCoolingHours: 0, payoutMinimums: { USDC_BASE: "0" } }
  })
  const address = "0x00000000000000000000000000000000000000aa"
  const proposal = { currency: "USDC_BASE", network: "base", address, memo: null, label: "t", by: "ann" } as const
  const destination = yield* writer.submit(id, proposeDestination(proposal))
  yield* writer.submit(id, verifyDestination(destination.id, "bob"))
  yield* writer.submit(id, adjustFloat({ amount: of(float, "USDC_BASE"), against: "custodian", reason: "funded" }))
  return id
})

/** Submits as a request would, under a key of its own, and gives the operation. */
const keyed = Effect.fnUntraced(function* (
  tenantId: Effect.Success<typeof begin>,
  endpoint: string,
  command: Command<Operation>
) {
  const writer = yield* Writer
  const queries = yield* Queries
  const resourceId = ({ id }: Operation) => id
  const key = crypto.randomUUID()
  const fingerprint = "a".repeat(64)
  yield* writer.submit(
    tenantId,
    idempotent({ key, endpoint, fingerprint, render: ({ id }) => ({ id }), resourceId, command })
  )
  const idempotencyRecord = yield* queries.idempotencyRecord(tenantId, key)
  const operation = yield* queries.operation(tenantId, idempotencyRecord?.resourceId ?? "")
  return operation ?? assert.fail("the operation was not accepted")
})

const accept = Effect.fnUntraced(function* (tenantId: Effect.Success<typeof begin>, { kind, units }: Order) {
  const writer = yield* Writer
  const observedAt = yield* Clock.currentTimeMillis
  const shared = {
    amount: of(units, "USDC_BASE"),
    defaultFees: [feeRule],
    currencies: defaultCurrencies,
    provider: { name: "fake", environment: "LIVE" } as const
  }
  const partnerReference = null
  if (kind === "withdrawal")
    return yield* keyed(
      tenantId,
      "POST /v1/withdrawals",
      createWithdrawal({ ...shared, madeBy: "maker", partnerReference, usd: { ...one, observedAt } })
    )
  const swap = {
    ...shared,
    toCurrency: "USDT_ETH",
    customerId: null,
    partnerReference,
    pair: { minimum: null, step: null },
    rate: { ...one, observedAt, price: { units: 2n, decimals: 0 } }
  }
  if (kind === "swap")
    return yield* keyed(tenantId, "POST /v1/swaps", createSwap({ madeBy: "maker", ...swap, quoteId: null }))
  const quote = yield* writer.submit(
    tenantId,
    createQuote({
      ...swap,
      provider: "fake",
      product: "SWAP",
      rail: null,
      country: null,
      networkFee: null,
      lifetimeMs: 60_000
    })
  )
  return yield* keyed(tenantId, "POST /v1/swaps", createSwap({ madeBy: "maker", ...swap, quoteId: quote.id }))
})

const script: fc.Arbitrary<CustodianScript> = fc.record({
  order: fc.constantFrom("settled", "pending", "failed", "refused", "taken-silent", "lost"),
  unreadable: fc.nat(3),
  pending: fc.nat(3),
  end: fc.constantFrom("settled", "failed")
})

const order: fc.Arbitrary<Order> = fc.record({
  kind: fc.constantFrom("swap", "quoted", "withdrawal"),
  units: fc.bigInt(2n, 10_000n), // the network's fee is one unit, and something is left of what it is taken from
  script
})

/** Where an order must end by what the custodian did with it. */
const endOf = ({ script: { end, order: first } }: Order): string =>
  first === "settled" ? "SETTLED" : first === "pending" || first === "taken-silent" ? end.toUpperCase() : "FAILED"

describe("the custodian's work", () => {
  it("sends every order once and books what became of it, whatever is lost and however often the process dies", async () => {
    const worlds = fc.record({ orders: fc.array(order, { minLength: 1, maxLength: 6 }), deaths: fc.nat(4) })
    await fc.assert(
      fc.asyncProperty(worlds, ({ deaths, orders }) => {
        const scripts = new Map<string, CustodianScript>()
        const custodian = makeFakeCustodian((reference) => {
          const found = scripts.get(reference)
          if (found === undefined) throw new Error("an order that nobody made")
          return found
        })
        const story = Effect.gen(function* () {
          const queries = yield* Queries
          const ledger = yield* LedgerSnapshot
          const tenantId = yield* begin
          const accepted = yield* Effect.forEach(orders, (each) =>
            Effect.tap(accept(tenantId, each), ({ id }) => Effect.sync(() => scripts.set(id, each.script)))
          )
          for (let life = 0; life <= deaths; life += 1) {
            const process = yield* Effect.forkChild(
              workCustody({
                currencies: defaultCurrencies,
                networks: makeNetworks([]),
                custodians: [custodian.provider]
              })
            )
            yield* ticks(life === deaths ? 300 : 1)
            yield* Fiber.interrupt(process)
          }
          let expected = float
          for (const [index, { id, customerFee }] of accepted.entries()) {
            const request = orders[index]
            const operation = yield* queries.operation(tenantId, id)
            if (request === undefined || operation === undefined) return assert.fail("an operation is missing")
            assert.strictEqual(operation.status, endOf(request))
            assert.isFalse(operation.unresolved)
            assert.strictEqual(custodian.ordered.get(id), 1)
            assert.strictEqual(custodian.carriedOut.has(id), operation.status === "SETTLED")
            if (operation.status === "SETTLED") expected -= request.units + customerFee.units
          }
          const balances = yield* queries.float(tenantId)
          const units = (account: string, currency: string) =>
            balances.find((balance) => balance.account === account && balance.currency === currency)?.units ?? 0n
          assert.strictEqual(units("float:available", "USDC_BASE"), expected)
          assert.strictEqual(units("float:held", "USDC_BASE"), 0n)
          const results = yield* ledger.snapshot(tenantId, checkTenant)
          assert.deepStrictEqual(
            results.flatMap(({ firstWrong, invariant }) =>
              firstWrong === null ? [] : [`${invariant}: ${firstWrong}`]
            ),
            []
          )
        })
        return Effect.runPromise(
          story.pipe(
            marketAt(200n),
            Effect.provide(delivering(emptyState())),
            Effect.provide(TestClock.layer()),
            Effect.scoped
          )
        )
      }),
      { numRuns: 60 }
    )
  })
})

describe("what a custodian was asked and answered", () => {
  it.effect("is noted with the operation, the order first and then what became of it", () =>
    Effect.gen(function* () {
      const tenantId = yield* begin
      const script: CustodianScript = { order: "taken-silent", unreadable: 2, pending: 1, end: "settled" }
      const custodian = makeFakeCustodian(() => script)
      const { id } = yield* accept(tenantId, { kind: "withdrawal", units: 900_000n, script })
      const other = yield* accept(tenantId, { kind: "swap", units: 100n, script })
      const work = yield* Effect.forkChild(
        workCustody({ currencies: defaultCurrencies, networks: makeNetworks([]), custodians: [custodian.provider] })
      )
      yield* ticks(300)
      yield* Fiber.interrupt(work)
      const calls = yield* ProviderCalls
      const noted = (yield* calls.callsOf(tenantId, id, 100)).toReversed()
      assert.deepStrictEqual(
        noted.map(({ answered, call, outcome, times }) => [call, outcome, answered.state, times]),
        [
          ["withdraw", "Unknown", undefined, 1],
          ["withdrawal", "Unknown", undefined, 2],
          ["withdrawal", "Done", "Pending", 1],
          ["withdrawal", "Done", "Settled", 1]
        ]
      )
      assert.deepStrictEqual(noted[0]?.asked, {
        reference: id,
        amount: "0.9 USDC_BASE",
        network: "base",
        address: "0x00000000000000000000000000000000000000aa"
      })
      assert.strictEqual((yield* calls.callsOf(tenantId, other.id, 100)).at(-1)?.asked.to, "USDT_ETH")
    }).pipe(Effect.provide(delivering(emptyState())))
  )
})

describe("an order that operators have stated under an id that the custodian does not know", () => {
  const known = { order: "pending", unreadable: 0, pending: 1_000, end: "settled" } as const
  for (const [what, script, ids, said] of [
    [
      "by that one and by the custodian's own, so that it is heard what becomes of it",
      known,
      (own: string) => ["ticket-7", own],
      (own: string) => `it says that the order is on its way, under the id ${own}`
    ],
    // it finds by our reference what may be another operation's
    [
      "by that one alone where the custodian had told none",
      { ...known, order: "taken-silent", unreadable: 1_000 },
      () => ["ticket-7"],
      () => undefined
    ]
  ] as const)
    it.effect(`is asked about ${what}`, () =>
      Effect.gen(function* () {
        const [queries, writer] = [yield* Queries, yield* Writer]
        const tenantId = yield* begin
        const custodian = makeFakeCustodian(() => script)
        const asked: Array<string | null> = []
        const provider: typeof custodian.provider = {
          ...custodian.provider,
          withdrawal: (order, by) => {
            asked.push(by)
            return by === "ticket-7"
              ? Effect.succeed(refused("no such withdrawal"))
              : custodian.provider.withdrawal(order, by)
          }
        }
        const { id } = yield* accept(tenantId, { kind: "withdrawal", units: 900_000n, script })
        const work = workCustody({ currencies: defaultCurrencies, networks: makeNetworks([]), custodians: [provider] })
        yield* Effect.forkChild(work)
        yield* ticks(5)
        const operation = (yield* queries.operation(tenantId, id)) ?? assert.fail("it is gone")
        const statement = {
          outcome: "FAILED",
          basis: "PROVIDER",
          reference: "Ticket 7",
          source: "Their support",
          text: "It was given up.",
          providerReference: "ticket-7",
          txHash: null,
          received: null,
          networkFee: null
        } as const
        const shared = { operation, currencies: defaultCurrencies }
        const resolution = yield* writer.submit(tenantId, proposeResolution({ ...shared, statement, by: "anna" }))
        yield* writer.submit(tenantId, approveResolution({ ...shared, resolution, by: "ben", proof: null }))
        asked.length = 0
        yield* ticks(300)
        assert.deepStrictEqual([...new Set(asked)], ids(`w-${id}`))
        const after = yield* queries.operation(tenantId, id)
        assert.deepInclude(after, { status: "FAILED", providerReference: "ticket-7" })
        assert.strictEqual(after?.details.contradiction?.said, said(`w-${id}`))
      }).pipe(Effect.provide(delivering(emptyState())))
    )
})

describe("an order that operators have stated under another id", () => {
  it.effect("is asked about by each of its ids, so that it is heard that it was settled twice", () =>
    Effect.gen(function* () {
      const [queries, writer] = [yield* Queries, yield* Writer]
      const tenantId = yield* begin
      const script = { order: "pending", unreadable: 0, pending: 1_000, end: "settled" } as const
      const custodian = makeFakeCustodian(() => script)
      let isStated = false
      const provider: typeof custodian.provider = {
        ...custodian.provider,
        withdrawal: (order, by) =>
          isStated && by !== null
            ? Effect.succeed(done({ _tag: "Settled", providerReference: by, txHash: null, networkFee: null } as const))
            : custodian.provider.withdrawal(order, by)
      }
      const { id } = yield* accept(tenantId, { kind: "withdrawal", units: 900_000n, script })
      yield* Effect.forkChild(
        workCustody({ currencies: defaultCurrencies, networks: makeNetworks([]), custodians: [provider] })
      )
      yield* ticks(5)
      const operation = (yield* queries.operation(tenantId, id)) ?? assert.fail("it is gone")
      const statement = {
        outcome: "SETTLED",
        basis: "PROVIDER",
        reference: "Ticket 7",
        source: "Their support",
        text: "Paid.",
        providerReference: "ticket-7",
        txHash: null,
        received: null,
        networkFee: null
      } as const
      const shared = { operation, currencies: defaultCurrencies }
      const resolution = yield* writer.submit(tenantId, proposeResolution({ ...shared, statement, by: "anna" }))
      yield* writer.submit(tenantId, approveResolution({ ...shared, resolution, by: "ben", proof: null }))
      isStated = true
      yield* ticks(300)
      const after = yield* queries.operation(tenantId, id)
      assert.deepInclude(after, { status: "SETTLED", providerReference: "ticket-7", unresolved: false })
      assert.strictEqual(after?.details.contradiction?.said, `it says that the order is settled, under the id w-${id}`)
    }).pipe(Effect.provide(delivering(emptyState())))
  )
})

describe("a swap with a quote", () => {
  const script: CustodianScript = { order: "settled", unreadable: 0, pending: 0, end: "settled" }
  // two were promised for each
  for (const [what, hundredths, fee, status, reason] of [
    ["is sent where the market still gives what was promised", 200n, 0n, "SETTLED", undefined],
    ["goes before people where the market gives less", 190n, 0n, "IN_REVIEW", "quote_overtaken"],
    ["goes before people where the custodian keeps more than it did", 200n, 5n, "IN_REVIEW", "quote_overtaken"],
    ["waits while nobody knows the rate", null, 0n, "ACCEPTED", "price_unavailable"]
  ] as const)
    it.effect(what, () =>
      Effect.gen(function* () {
        const tenantId = yield* begin
        const custodian = makeFakeCustodian(
          () => script,
          [],
          () => ({ units: fee, decimals: 2 })
        )
        const { id } = yield* accept(tenantId, { kind: "quoted", units: 10_000n, script })
        const work = yield* Effect.forkChild(
          workCustody({ currencies: defaultCurrencies, networks: makeNetworks([]), custodians: [custodian.provider] })
        )
        yield* ticks(5)
        yield* Fiber.interrupt(work)
        const found = yield* (yield* Queries).operation(tenantId, id)
        assert.deepStrictEqual([found?.status, found && waitsOf(found)?.reason], [status, reason])
        assert.strictEqual(custodian.ordered.get(id), status === "SETTLED" ? 1 : undefined)
      }).pipe(marketAt(hundredths), Effect.provide(delivering(emptyState())))
    )
})

describe("a swap of which the custodian tells several fees", () => {
  it.effect("has them held against the price of what they come to, though each of them is small", () =>
    Effect.gen(function* () {
      const tenantId = yield* begin
      const script: CustodianScript = { order: "settled", unreadable: 0, pending: 0, end: "settled" }
      const custodian = makeFakeCustodian(() => script)
      const feesBeside = Array.from({ length: 3 }, () => of(100n, "USDC_BASE"))
      const received = of(2_000n, "USDT_ETH")
      const convert = () =>
        Effect.succeed(done({ _tag: "Settled", providerReference: "c-1", received, feesBeside } as const))
      const { id } = yield* accept(tenantId, { kind: "swap", units: 1_000n, script })
      const work = yield* Effect.forkChild(
        workCustody({
          currencies: defaultCurrencies,
          networks: makeNetworks([]),
          custodians: [{ ...custodian.provider, convert }]
        })
      )
      yield* ticks(5)
      yield* Fiber.interrupt(work)
      const found = yield* (yield* Queries).operation(tenantId, id)
      assert.deepStrictEqual([found?.status, found?.unresolved], ["SETTLED", false])
    }).pipe(
      Effect.provideService(
        Prices,
        Prices.of({
          usd: () => Effect.map(Clock.currentTimeMillis, (observedAt) => ({ ...one, observedAt })),
          rate: () => Effect.map(Clock.currentTimeMillis, (observedAt) => ({ ...one, observedAt }))
        })
      ),
      Effect.provide(delivering(emptyState()))
    )
  )
})

describe("an operation whose kind somebody has written", () => {
  for (const kind of ["DEPOSIT", "ON_RAMP", "BANK_TRANSFER", "INTERNAL_TRANSFER", "ADJUSTMENT"] as const)
    it.effect(`is ordered of no custodian as a ${kind}`, () =>
      Effect.gen(function* () {
        const tenantId = yield* begin
        const script: CustodianScript = { order: "settled", unreadable: 0, pending: 0, end: "settled" }
        const custodian = makeFakeCustodian(() => script)
        const { id } = yield* accept(tenantId, { kind: "withdrawal", units: 100n, script })
        yield* (yield* Writer).submit(tenantId, {
          name: "WriteKind",
          reads: [readRecord(Operation, id)],
          decide: (view) => {
            const found = view.get(Operation, id) ?? assert.fail("it is gone")
            const details = { ...found.details, destination: { address: `0x${"ee".repeat(20)}`, memo: null } }
            const written = { ...found, kind, details } as Operation // a row may say anything
            return Result.succeed({ changes: [putRecord(Operation, written)], reply: undefined })
          }
        })
        const work = yield* Effect.forkChild(
          workCustody({ currencies: defaultCurrencies, networks: makeNetworks([]), custodians: [custodian.provider] })
        )
        yield* ticks(5)
        yield* Fiber.interrupt(work)
        assert.isUndefined(custodian.ordered.get(id))
        const held = yield* (yield* Queries).operation(tenantId, id)
        assert.strictEqual(held && waitsOf(held)?.reason, "not_granted")
      }).pipe(Effect.provide(delivering(emptyState())))
    )
})

describe("a swap in whose row somebody has written what was promised", () => {
  it("is ordered in the currency that was asked for, which is what was signed and what people approve", () => {
    const to = { details: { to_currency: "USDT_ETH" }, toAmountQuoted: of(1n, "EUR") } as Operation // all that is looked at
    assert.strictEqual(toCurrencyOf(to), "USDT_ETH")
  })
})

describe("an order that the custodian shows for two operations", () => {
  it.effect("counts for the first; the second stays unresolved, and nothing of it moves", () =>
    Effect.gen(function* () {
      const queries = yield* Queries
      const writer = yield* Writer
      const tenantId = yield* begin
      const request: Order = {
        kind: "withdrawal",
        units: 100n,
        script: { order: "lost", unreadable: 0, pending: 0, end: "settled" }
      }
      const first = yield* accept(tenantId, request)
      const second = yield* accept(tenantId, request)
      const networkFeeBorneBy = "RECEIVER" as const
      const report = (operation: Operation) =>
        recordWithdrawal({
          operation,
          answer: done({ _tag: "Settled", providerReference: "w-1", txHash: "0x1", networkFee: null }),
          networkFeeBorneBy,
          currencies: defaultCurrencies
        })
      yield* writer.submit(tenantId, report(first))
      yield* writer.submit(tenantId, report(second))
      const [one, other] = [yield* queries.operation(tenantId, first.id), yield* queries.operation(tenantId, second.id)]
      assert.deepStrictEqual([one?.status, one?.unresolved], ["SETTLED", false])
      assert.deepStrictEqual([other?.status, other?.unresolved], ["ACCEPTED", true])
      const held = (yield* queries.float(tenantId)).find(({ account }) => account === "float:held")
      assert.strictEqual(held?.units, second.amount.units + second.customerFee.units)
    }).pipe(Effect.provide(delivering(emptyState())))
  )
})
