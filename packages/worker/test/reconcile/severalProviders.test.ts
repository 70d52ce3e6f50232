import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Custodian } from "@bursar/core/port/Custodian"
import { EarlierCustodians } from "@bursar/core/port/EarlierProviders"
import { ProviderError } from "@bursar/core/port/ProviderError"
import type { ToldLine } from "@bursar/core/port/ProviderStatement"
import { judgeOpen } from "@bursar/core/reconciliation/recordObservation"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { StatementLine } from "@bursar/core/reconciliation/statement/StatementLine"
import { Queries } from "@bursar/core/store/Queries"
import { putRecord } from "@bursar/core/engine/Records"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import * as fc from "fast-check"
import type { Finding } from "../../src/reconcile/Finding.ts"
import {
  custodianKeeper,
  type Keeper,
  observeProvider,
  observeProviders,
  together
} from "../../src/reconcile/observeProvider.ts"
import { begin, oneProcess, ticks, until } from "../watch/world.ts"
import { observationOf, reconciling, shownBreaks, untilBreaks } from "./world.ts"

/** Dollars, which some custodians hold as one on both networks: six decimals on ethereum, eighteen on bsc. */
const dollars = ["USDT_ETH", "USDT_BSC"] as const

const million = 1_000_000n

const custodian = (name: string, holds: ReadonlyMap<string, bigint>, pooled: boolean) =>
  Custodian.of({
    ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, name, "LIVE").provider,
    assets: Effect.succeed(
      dollars.map((currency) => ({ currency, withdrawable: true, pool: pooled ? "dollars" : currency }))
    ),
    balances: Effect.sync(() => holds)
  })

/** All that is apart at some places, in units of bsc. */
const apart = (findings: ReadonlyArray<Finding>): bigint =>
  findings.reduce((sum, { currency, found }) => {
    if (found === null) return sum
    const { difference } = judgeOpen(found, [])
    return sum + (currency === "USDT_ETH" ? difference * 10n ** 12n : difference)
  }, 0n)

const fund = Effect.fnUntraced(function* (units: bigint, currency: string) {
  const { id } = yield* newTenant()
  yield* (yield* Writer).submit(
    id,
    adjustFloat({ amount: of(units, currency), against: "custodian", reason: "funded" })
  )
})

const units = fc.bigInt({ min: 0n, max: 10n ** 12n })

const named = (name: string, holds: ReadonlyMap<string, bigint>, pooled = true): Keeper =>
  custodianKeeper(custodian(name, holds, pooled))

/** What a custodian tells that holds so much of a dollar: each currency of a pool shows all of it. */
const telling = (sixDecimals: bigint) =>
  new Map([
    ["USDT_BSC", sixDecimals * 10n ** 12n],
    ["USDT_ETH", sixDecimals]
  ])

describe("several custodians in one environment", () => {
  it.effect("together differ from the books by what is truly missing, wherever the coins stand", () =>
    Effect.gen(function* () {
      const total = 500_000n * million
      yield* fund(total, "USDT_ETH")
      const some = fc.sample(fc.record({ old: units, older: units, lost: fc.bigInt({ min: -9n, max: 9n }) }), 100)
      for (const { lost, old, older } of some) {
        const rest = total - old - older - lost
        const keepers = together([
          named("new", telling(rest)),
          named("old", telling(old)),
          named("older", telling(older))
        ])
        assert.lengthOf(keepers, 1)
        for (const one of keepers) {
          const findings = yield* observeProviders(one, defaultCurrencies, 0)
          assert.strictEqual(apart(findings), lost * 10n ** 12n)
          // at those that take no new orders nothing is apart, so each loss is one break
          const wrong = findings.filter(({ found }) => found !== null && judgeOpen(found, []).difference !== 0n)
          assert.deepStrictEqual(
            wrong.map(({ place }) => place.name),
            lost === 0n ? [] : ["custodian:new"]
          )
        }
      }
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("are compared where one holds as one what another tells apart", () =>
    Effect.gen(function* () {
      yield* fund(70n * million, "USDT_ETH")
      yield* fund(30n * 10n ** 18n, "USDT_BSC")
      const old = new Map([
        ["USDT_ETH", 25n * million],
        ["USDT_BSC", 5n * 10n ** 18n]
      ])
      const one = { current: named("new", telling(70n * million)), earlier: [named("old", old, false)] }
      const findings = yield* observeProviders(one, defaultCurrencies, 0)
      assert.strictEqual(apart(findings), 0n)
      assert.sameDeepMembers(
        findings.map(({ currency, ledger, place }) => [place.name, currency, ledger]),
        [
          ["custodian:old", "USDT_BSC", 5n * 10n ** 18n],
          ["custodian:old", "USDT_ETH", 25n * million],
          ["custodian:new", "USDT_BSC", 70n * 10n ** 18n]
        ]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("are not compared by halves: where one tells no balance nobody knows what the other should hold", () =>
    Effect.gen(function* () {
      yield* fund(70n * million, "USDT_ETH")
      const silent: Keeper = { ...named("old", telling(0n)), balances: undefined }
      const findings = yield* observeProviders(
        { current: named("new", telling(60n * million)), earlier: [silent] },
        defaultCurrencies,
        0
      )
      assert.isTrue(findings.every(({ found }) => found === null))
      const alone = yield* observeProvider(named("new", telling(60n * million)), defaultCurrencies, 0)
      assert.strictEqual(apart(alone), 10n ** 19n)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("show no break once the custodian is changed and coins move over, and one where some do not arrive", () =>
    Effect.gen(function* () {
      yield* begin
      yield* fund(500n * million, "USDT_ETH")
      const [old, fresh] = [telling(500n * million), telling(0n)]
      const set = (holds: Map<string, bigint>, sixDecimals: bigint) =>
        telling(sixDecimals).forEach((value, key) => void holds.set(key, value))
      yield* Effect.forkScoped(
        reconciling([]).pipe(
          Effect.provideService(Custodian, custodian("new", fresh, true)),
          Effect.provideService(EarlierCustodians, [custodian("old", old, true)])
        )
      )
      const seen = (place: string) => Effect.map(observationOf(place, "USDT_BSC"), (found) => found?.observed ?? null)
      yield* until(
        "the old one was looked at",
        Effect.map(seen("custodian:old"), (observed) => observed === 500n * 10n ** 18n)
      )
      set(old, 0n)
      set(fresh, 500n * million)
      yield* until(
        "the new one was looked at",
        Effect.map(seen("custodian:new"), (observed) => observed === 500n * 10n ** 18n)
      )
      assert.deepStrictEqual(yield* shownBreaks, [])
      set(fresh, 499n * million)
      yield* untilBreaks(1)
      assert.deepStrictEqual(yield* shownBreaks, [
        { place: "custodian:new", currency: "USDT_BSC", units: 10n ** 18n, open: true }
      ])
    }).pipe(Effect.provide(oneProcess()))
  )

  /** What a loss opens that the current one's statement tells, beside an earlier one that answers or is gone. */
  const toldLoss = (earlier: Custodian["Service"], lists: Effect.Effect<void, ProviderError> = Effect.void) =>
    Effect.gen(function* () {
      yield* begin
      yield* fund(1_000n * million, "USDT_ETH")
      const lines: Array<ToldLine> = []
      const whole = custodian("new", telling(1_000n * million), true)
      yield* Effect.forkScoped(
        reconciling([], { statementGraceMs: 30_000 }).pipe(
          Effect.provideService(
            Custodian,
            Custodian.of({
              ...whole,
              assets: Effect.andThen(lists, whole.assets),
              statement: (since, before) => Effect.sync(() => lines.filter(({ at }) => at >= since && at < before))
            })
          ),
          Effect.provideService(EarlierCustodians, [earlier])
        )
      )
      yield* ticks(15)
      const at = yield* Clock.currentTimeMillis
      lines.push({ id: "L1", at, currency: "USDT_ETH", units: -400n * million, references: [], text: "a thief" })
      yield* ticks(200)
    })

  const gone = (name: string) => new ProviderError({ provider: name, doing: "reading its markets", detail: "410 gone" })

  it.effect("show what the statement of the current one tells, also where an earlier one is gone", () =>
    Effect.gen(function* () {
      yield* toldLoss({ ...custodian("old", telling(0n), true), assets: Effect.fail(gone("old")) })
      const all = yield* shownBreaks
      assert.isTrue(
        all.some(({ place, units }) => place === "custodian:new" && units === 400n * 10n ** 18n),
        "the loss is no break"
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("keep the lines of a statement also while the list of assets cannot be read", () =>
    Effect.gen(function* () {
      yield* toldLoss(custodian("old", telling(0n), true), Effect.fail(gone("new")))
      const { records } = yield* Queries
      const kept = yield* records(fleetTenantId, StatementLine)
      assert.deepStrictEqual(
        kept.map(({ units }) => units),
        [-400n * million]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("count a loss once that a statement of the earlier one has shown", () =>
    Effect.gen(function* () {
      yield* fund(500n * million, "USDT_ETH")
      const lost: ReconciliationBreak = {
        id: crypto.randomUUID(),
        place: "custodian:old",
        currency: "USDT_BSC",
        units: 10n ** 18n,
        since: 0,
        sinceBlock: null,
        candidates: [],
        about: { kind: "statement_line", id: "a fee" },
        explanation: null,
        alarmedAt: null,
        toldAt: null,
        closedAt: null
      }
      yield* (yield* Writer).submit(fleetTenantId, {
        name: "TellBreak",
        reads: [],
        decide: () => Result.succeed({ changes: [putRecord(ReconciliationBreak, lost)], reply: null })
      })
      const one = { current: named("new", telling(400n * million)), earlier: [named("old", telling(99n * million))] }
      const findings = yield* observeProviders(one, defaultCurrencies, 0)
      const differences = findings.map(({ found }) => (found === null ? null : judgeOpen(found, []).difference))
      assert.isTrue(differences.every((difference) => difference === 0n))
    }).pipe(Effect.provide(oneProcess()))
  )
})
