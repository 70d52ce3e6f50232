import type { Environment } from "@bursar/core/base/Environment"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { of } from "@bursar/core/money/Amount"
import { Custodian } from "@bursar/core/port/Custodian"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { explainBreak } from "@bursar/core/reconciliation/explainBreak"
import { positionKey } from "@bursar/core/reconciliation/Place"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries } from "@bursar/core/store/Queries"
import { writing } from "@bursar/testkit/fixtures/commands"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { begin, oneProcess, ticks, until } from "../watch/world.ts"
import { allBreaks, observationOf, observedAgain, reconciling, shownBreaks, told, untilBreaks } from "./world.ts"

/** What a provider of the tests holds by its own word; a test writes it. */
interface Holding {
  units: bigint
  failing: boolean
}

const tell = (holding: Holding, currencies: ReadonlyArray<string>) =>
  Effect.suspend(() =>
    holding.failing
      ? Effect.fail(new ProviderError({ provider: "fake", doing: "tell its balance", detail: "503" }))
      : Effect.succeed(new Map(currencies.map((currency) => [currency, holding.units] as const)))
  )

const custodianThat = (holding: Holding, currencies: ReadonlyArray<string>, environment: Environment = "LIVE") =>
  Custodian.of({
    ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "kraken", environment).provider,
    assets: Effect.succeed(currencies.map((currency) => ({ currency, withdrawable: true, pool: "dollars" }))),
    balances: tell(holding, currencies)
  })

const fund = Effect.fnUntraced(function* (
  units: bigint,
  currency: string,
  against: "bank" | "custodian" = "custodian",
  kind: Environment = "LIVE"
) {
  const { id } = yield* newTenant({ kind })
  yield* (yield* Writer).submit(id, adjustFloat({ amount: of(units, currency), against, reason: "funded" }))
  return id
})

const kraken = "custodian:kraken"

const watchingCustodian = (provider: Custodian["Service"]) =>
  Effect.forkScoped(Effect.provideService(reconciling([]), Custodian, provider))

describe("what the worker observes of providers", () => {
  it.effect("a look reads the open breaks of what it has found once", () =>
    Effect.gen(function* () {
      yield* begin
      yield* fund(500n, "BTC")
      const queries = yield* Queries
      const reads = { breaks: 0, looks: 0 }
      const counting = Queries.of({
        ...queries,
        records: (tenantId, of, group) => {
          if (of.name === ReconciliationBreak.name && group === positionKey(kraken, "BTC")) reads.breaks++
          return queries.records(tenantId, of, group)
        }
      })
      const custodian = custodianThat({ units: 500n, failing: false }, ["BTC"])
      const balances = Effect.suspend(() => {
        reads.looks++
        return custodian.balances
      })
      yield* watchingCustodian(Custodian.of({ ...custodian, balances })).pipe(Effect.provideService(Queries, counting))
      for (let looks = 0; looks < 3; looks++) yield* observedAgain(kraken, "BTC")
      assert.isAtLeast(reads.looks, 3)
      assert.strictEqual(reads.breaks, reads.looks)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "a custodian that holds what the books say has no break, and one that lost some has one until it is back",
    () =>
      Effect.gen(function* () {
        yield* begin
        yield* fund(500n, "BTC")
        // what tenants of another environment have is not there
        yield* fund(77n, "BTC", "custodian", "SANDBOX")
        const holding = { units: 500n, failing: false }
        yield* watchingCustodian(custodianThat(holding, ["BTC"]))
        yield* observedAgain(kraken, "BTC")
        yield* ticks(30)
        assert.deepStrictEqual([(yield* observationOf(kraken, "BTC"))?.difference, yield* allBreaks], [0n, []])
        holding.units = 460n
        yield* untilBreaks(1)
        holding.failing = true
        yield* ticks(30)
        holding.failing = false
        holding.units = 500n
        yield* until(
          "it is closed",
          Effect.map(shownBreaks, (all) => all.every(({ open }) => !open))
        )
        assert.deepStrictEqual(yield* shownBreaks, [{ place: kraken, currency: "BTC", units: 40n, open: false }])
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("a currency that a custodian has nothing of any more is shown as empty, and then not compared", () =>
    Effect.gen(function* () {
      yield* begin
      const tenant = yield* fund(500n, "BTC")
      const holding = { units: 500n, failing: false }
      yield* watchingCustodian(custodianThat(holding, ["BTC"]))
      yield* observedAgain(kraken, "BTC")
      holding.units = 0n
      const gone = adjustFloat({ amount: of(-500n, "BTC"), against: "custodian", reason: "taken out" })
      yield* (yield* Writer).submit(tenant, gone)
      yield* until(
        "it is shown as empty",
        Effect.map(observationOf(kraken, "BTC"), (one) => one?.ledger === 0n && one.observed === 0n)
      )
      const empty = yield* observationOf(kraken, "BTC")
      yield* ticks(60)
      assert.deepStrictEqual(yield* observationOf(kraken, "BTC"), empty)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "a break that somebody closes in the database, or makes smaller, is opened again by the next comparison",
    () =>
      Effect.gen(function* () {
        yield* begin
        yield* fund(500n, "BTC")
        yield* watchingCustodian(custodianThat({ units: 460n, failing: false }, ["BTC"]))
        yield* untilBreaks(1)
        const write = (one: ReconciliationBreak) =>
          Effect.flatMap(Writer, ({ submit }) =>
            submit(
              fleetTenantId,
              writing(() => [putRecord(ReconciliationBreak, one)])
            )
          )
        const [found] = yield* allBreaks
        if (found === undefined) return assert.fail("there is a break")
        yield* write({ ...found, closedAt: found.since })
        yield* untilBreaks(2)
        const open = Effect.map(allBreaks, (all) => all.filter(({ closedAt }) => closedAt === null))
        const sum = Effect.map(open, (all) => all.reduce((units, one) => units + one.units, 0n))
        assert.strictEqual(yield* sum, 40n)
        for (const one of yield* open) yield* write({ ...one, units: 1n })
        yield* untilBreaks(3)
        assert.strictEqual(yield* sum, 40n)
        return undefined
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("an alarm stops the place of that provider where policy says so, and no other", () =>
    Effect.gen(function* () {
      yield* begin
      yield* fund(500n, "BTC")
      yield* fund(20n, "EUR", "bank")
      const custodian = custodianThat({ units: 460n, failing: false }, ["BTC"])
      const bank = {
        ...makeFakeFiat(() => assert.fail("nothing is ordered"), "bridge").provider,
        balances: tell({ units: 20n, failing: false }, ["EUR"])
      }
      yield* Effect.forkScoped(
        reconciling([], { onAlarm: "stop_payouts", alarmAfterMs: 5_000 }).pipe(
          Effect.provideService(Custodian, custodian),
          Effect.provideService(FiatProvider, FiatProvider.of(bank))
        )
      )
      const stopped = Effect.map(
        Effect.flatMap(NetworkSwitches, ({ all }) => all),
        (all) => all.filter(({ payoutsOff }) => payoutsOff).map(({ changedBy, network }) => [network, changedBy])
      )
      yield* untilBreaks(1)
      assert.deepStrictEqual(yield* stopped, [])
      yield* until(
        "something is stopped",
        Effect.map(stopped, (all) => all.length > 0)
      )
      yield* ticks(30)
      assert.deepStrictEqual(yield* stopped, [[kraken, "reconciliation"]])
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("currencies of one pool are one holding: moving from one of them to the other is no difference", () =>
    Effect.gen(function* () {
      yield* begin
      // six decimals on ethereum, eighteen on bsc: one dollar each
      yield* fund(1_000_000n, "USDT_ETH")
      yield* fund(10n ** 18n, "USDT_BSC")
      const holding = { units: 2n * 10n ** 18n, failing: false }
      yield* watchingCustodian(custodianThat(holding, ["USDT_ETH", "USDT_BSC"]))
      yield* observedAgain(kraken, "USDT_BSC")
      yield* ticks(10)
      const found = yield* observationOf(kraken, "USDT_BSC")
      assert.deepStrictEqual([found?.ledger, found?.difference], [2n * 10n ** 18n, 0n])
      assert.isUndefined(yield* observationOf(kraken, "USDT_ETH"))
      holding.units -= 5n
      yield* untilBreaks(1)
      assert.deepStrictEqual(
        (yield* allBreaks).map(({ currency, units }) => [currency, units]),
        [["USDT_BSC", 5n]]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("a currency of more decimals that joins a holding leaves its breaks what they are, explained or not", () =>
    Effect.gen(function* () {
      yield* begin
      yield* fund(1_000_000n, "USDT_ETH")
      let dollars: ReadonlyArray<string> = ["USDT_ETH"]
      let missing = 10n
      const scale = 10n ** 12n
      yield* watchingCustodian(
        Custodian.of({
          ...custodianThat({ units: 0n, failing: false }, []),
          assets: Effect.sync(() => dollars.map((currency) => ({ currency, withdrawable: true, pool: "dollars" }))),
          balances: Effect.sync(() => {
            const units = (1_000_000n - missing) * (dollars.length === 1 ? 1n : scale)
            return new Map(dollars.map((currency) => [currency, units] as const))
          })
        })
      )
      yield* untilBreaks(1)
      const [first] = yield* allBreaks
      yield* (yield* Writer).submit(fleetTenantId, explainBreak(first?.id ?? "", "a listing fee", "anna"))
      missing = 13n
      yield* untilBreaks(2)
      dollars = ["USDT_ETH", "USDT_BSC"]
      yield* observedAgain(kraken, "USDT_BSC")
      yield* ticks(30)
      assert.deepStrictEqual(
        (yield* allBreaks).map(({ closedAt, currency, explanation, units }) => [
          ...[currency, units, closedAt],
          explanation?.by
        ]),
        [
          ["USDT_BSC", 10n * scale, null, "anna"],
          ["USDT_BSC", 3n * scale, null, undefined]
        ]
      )
      assert.strictEqual((yield* allBreaks)[0]?.id, first?.id)
      assert.strictEqual((yield* observationOf(kraken, "USDT_BSC"))?.difference, 13n * scale)
      // nothing stays shown of what is a part of that now
      assert.deepInclude(yield* observationOf(kraken, "USDT_ETH"), { ledger: 0n, observed: 0n, difference: 0n })
      missing = 0n
      yield* until(
        "they are closed",
        Effect.map(shownBreaks, (all) => all.every(({ open }) => !open))
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("a loss is found once, though its currency joins a holding just as that is looked at", () =>
    Effect.gen(function* () {
      yield* begin
      yield* fund(1_000_000n, "USDT_ETH")
      let dollars: ReadonlyArray<string> = ["USDT_ETH"]
      let next = dollars
      yield* watchingCustodian(
        Custodian.of({
          ...custodianThat({ units: 0n, failing: false }, []),
          // who asks first is still told what was so before: that is asked for the statement, and then for the look
          assets: Effect.sync(() => {
            const before = dollars
            dollars = next
            return before.map((currency) => ({ currency, withdrawable: true, pool: "dollars" }))
          }),
          balances: Effect.sync(() => {
            const units = 999_990n * (dollars.length === 1 ? 1n : 10n ** 12n)
            return new Map(dollars.map((currency) => [currency, units] as const))
          })
        })
      )
      yield* untilBreaks(1)
      const [first] = yield* allBreaks
      yield* (yield* Writer).submit(fleetTenantId, explainBreak(first?.id ?? "", "a listing fee", "anna"))
      next = ["USDT_ETH", "USDT_BSC"]
      yield* observedAgain(kraken, "USDT_BSC")
      yield* ticks(30)
      assert.deepStrictEqual(
        (yield* allBreaks).map(({ closedAt, explanation, id, units }) => [id, units, closedAt, explanation?.by]),
        [[first?.id, 10n ** 13n, null, "anna"]]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("what a provider holds that is in no books is a break, too", () =>
    Effect.gen(function* () {
      yield* begin
      const holding = { units: 9n, failing: false }
      yield* watchingCustodian(custodianThat(holding, ["BTC"]))
      yield* untilBreaks(1)
      assert.deepStrictEqual(yield* shownBreaks, [{ place: kraken, currency: "BTC", units: -9n, open: true }])
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("of a provider that cannot be read nothing is concluded, and the others are looked at all the same", () => {
    const events: Array<string> = []
    return Effect.gen(function* () {
      yield* begin
      yield* fund(500n, "BTC")
      yield* fund(20n, "EUR", "bank")
      const custodian = custodianThat({ units: 0n, failing: true }, ["BTC"])
      const bank = {
        ...makeFakeFiat(() => assert.fail("nothing is ordered"), "bridge").provider,
        balances: tell({ units: 20n, failing: false }, ["EUR"])
      }
      yield* Effect.forkScoped(
        reconciling([]).pipe(
          Effect.provideService(Custodian, custodian),
          Effect.provideService(FiatProvider, FiatProvider.of(bank))
        )
      )
      yield* observedAgain("bank:bridge", "EUR")
      yield* ticks(30)
      assert.deepStrictEqual([yield* observationOf(kraken, "BTC"), yield* allBreaks], [undefined, []])
      assert.strictEqual((yield* observationOf("bank:bridge", "EUR"))?.difference, 0n)
      assert.include(events, "reconciliation.not_observed")
    }).pipe(Effect.provide([oneProcess(), told(events)]))
  })

  it.effect(
    "a bank that holds too much holds less of it once a part is booked: nothing is missing, and nothing stops",
    () =>
      Effect.gen(function* () {
        yield* begin
        const id = yield* fund(1_000n, "EUR", "bank")
        const bank = {
          ...makeFakeFiat(() => assert.fail("nothing is ordered"), "bridge").provider,
          balances: tell({ units: 1_100n, failing: false }, ["EUR"])
        }
        yield* Effect.forkScoped(
          reconciling([], { alarmAfterMs: 5_000, onAlarm: "stop_payouts" }).pipe(
            Effect.provideService(FiatProvider, FiatProvider.of(bank))
          )
        )
        yield* untilBreaks(1)
        const came = adjustFloat({ amount: of(60n, "EUR"), against: "bank", reason: "one of two payments" })
        yield* (yield* Writer).submit(id, came)
        yield* ticks(60)
        assert.isEmpty((yield* (yield* NetworkSwitches).all).filter(({ payoutsOff }) => payoutsOff))
        const one = { place: "bank:bridge", currency: "EUR" }
        assert.deepStrictEqual(yield* shownBreaks, [
          { ...one, units: -100n, open: false },
          { ...one, units: -40n, open: true }
        ])
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("payments that a bank shows before they are booked open nothing beside a loss that was explained", () =>
    Effect.gen(function* () {
      yield* begin
      yield* fund(1_000n, "EUR", "bank")
      const holding = { units: 900n, failing: false }
      let asked = 0
      // another amount at each look, as they come all the time
      let lag = () => 0n
      const bank = {
        ...makeFakeFiat(() => assert.fail("nothing is ordered"), "bridge").provider,
        balances: Effect.suspend(() => tell({ ...holding, units: holding.units + lag() }, ["EUR"]))
      }
      yield* Effect.forkScoped(Effect.provideService(reconciling([]), FiatProvider, FiatProvider.of(bank)))
      yield* untilBreaks(1)
      const [known] = yield* allBreaks
      if (known === undefined) return assert.fail("there is a break")
      yield* (yield* Writer).submit(fleetTenantId, explainBreak(known.id, "a fee that is known", "anna"))
      lag = () => BigInt(1 + (asked++ % 7))
      yield* ticks(300)
      assert.isAbove(asked, 10)
      assert.deepStrictEqual(yield* shownBreaks, [{ place: "bank:bridge", currency: "EUR", units: 100n, open: true }])
      // a loss beyond the known one is found all the same
      holding.units = 850n
      yield* until(
        "it is found",
        Effect.map(allBreaks, (all) => all.length > 1 && all.slice(1).every(({ units }) => units > 0n))
      )
      return undefined
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("a bank that tells no balance is shown as one, and is no break", () =>
    Effect.gen(function* () {
      yield* begin
      yield* fund(20n, "EUR", "bank")
      const { provider } = makeFakeFiat(() => assert.fail("nothing is ordered"), "bridge")
      yield* Effect.forkScoped(Effect.provideService(reconciling([]), FiatProvider, provider))
      yield* observedAgain("bank:bridge", "EUR")
      const found = yield* observationOf("bank:bridge", "EUR")
      assert.deepStrictEqual(
        [found?.observation, found?.ledger, found?.observed, found?.difference],
        ["unsupported", 20n, null, null]
      )
      yield* ticks(30)
      assert.deepStrictEqual(yield* allBreaks, [])
    }).pipe(Effect.provide(oneProcess()))
  )
})
