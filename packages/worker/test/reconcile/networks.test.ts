import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { of } from "@bursar/core/money/Amount"
import { explainBreak } from "@bursar/core/reconciliation/explainBreak"
import { newAddress } from "@bursar/testkit/fixtures/deposits"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Egress, EgressError } from "../../src/egress/Egress.ts"
import { TestClock } from "effect/testing"
import { begin, caughtUp, ethereum, oneProcess, ticks, until } from "../watch/world.ts"
import {
  allBreaks,
  gaugeOf,
  mineFrom,
  newWallet,
  observationOf,
  observedAgain,
  reconciling,
  shownBreaks,
  start,
  thief,
  told,
  untilBreaks,
  wallet,
  wallets
} from "./world.ts"

/** A wallet that holds 1 000 by the books and on the chain, and is looked at. */
const funded = Effect.fnUntraced(function* (more: Parameters<typeof start>[1] = {}) {
  yield* begin
  const chain = ethereum()
  const id = yield* newWallet
  yield* start(chain, more)
  yield* caughtUp(chain)
  mineFrom(chain, "0x00000000000000000000000000000000000000F0", wallet, 1_000n)
  yield* until(
    "the wallet is in the books",
    Effect.map(observationOf(wallets, "ETH"), (found) => found?.ledger === 1_000n)
  )
  return { chain, id }
})

describe("what the worker observes of a network", () => {
  it.effect("of clean books it finds no difference, from the first sight of a transfer until it is booked", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      yield* newWallet
      yield* start(chain)
      yield* caughtUp(chain)
      for (let arrived = 1n; arrived <= 5n; arrived++) {
        chain.mine([transferTo(wallet, 100n)])
        yield* observedAgain(wallets, "ETH")
        const found = yield* observationOf(wallets, "ETH")
        assert.deepStrictEqual(
          [found?.observed, (found?.ledger ?? 0n) - (found?.inFlight ?? 0n)],
          [arrived * 100n, arrived * 100n]
        )
      }
      chain.mineMany(3)
      yield* until(
        "all is booked",
        Effect.map(observationOf(wallets, "ETH"), (found) => found?.ledger === 500n)
      )
      assert.deepStrictEqual(yield* allBreaks, [])
      const found = yield* observationOf(wallets, "ETH")
      assert.deepStrictEqual([found?.difference, found?.block?.hash], [0n, chain.latest().hash])
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "a coin that was spent behind the service's back is one break of that place and amount, until it is back",
    () => {
      const events: Array<string> = []
      return Effect.gen(function* () {
        const { chain, id } = yield* funded()
        mineFrom(chain, wallet, thief, 1_000n)
        yield* untilBreaks(1)
        const [broken] = yield* allBreaks
        assert.deepStrictEqual(yield* shownBreaks, [{ place: wallets, currency: "ETH", units: 1_000n, open: true }])
        // of the same amount at the same place: what the wallet was given
        assert.deepStrictEqual(
          broken?.candidates.map(({ kind }) => kind),
          ["operation"]
        )
        assert.isAtMost(broken?.sinceBlock ?? Infinity, chain.latest().number)
        assert.strictEqual(yield* gaugeOf("reconciliation_difference", wallets, "ETH"), 1_000 / 1e18)
        assert.isNotTrue(events.includes("reconciliation.alarm"))
        yield* TestClock.adjust("1 minute")
        yield* until(
          "it is an alarm",
          Effect.map(allBreaks, ([one]) => one?.alarmedAt !== null)
        )
        assert.isAtLeast((yield* gaugeOf("reconciliation_oldest_break_seconds", wallets, "ETH")) ?? 0, 60)
        yield* ticks(30)
        assert.strictEqual(events.filter((one) => one === "reconciliation.alarm").length, 1)
        assert.strictEqual((yield* allBreaks).length, 1)

        // what comes back is booked as what comes from outside: the break names it, and closes when an operator books it away
        mineFrom(chain, thief, wallet, 1_000n)
        const before = broken?.candidates.map((one) => one.id) ?? []
        yield* until(
          "it names what came back",
          Effect.map(allBreaks, ([one]) => one?.candidates.some((candidate) => !before.includes(candidate.id)) ?? false)
        )
        yield* ticks(30)
        assert.strictEqual((yield* allBreaks)[0]?.closedAt, null)
        const move = {
          amount: of(1_000n, "ETH"),
          from: wallets,
          against: "suspense",
          reason: "The coin is back"
        } as const
        yield* (yield* Writer).submit(id, adjustFloat(move))
        yield* until(
          "it is closed",
          Effect.map(shownBreaks, (all) => all.every(({ open }) => !open))
        )
        assert.strictEqual((yield* allBreaks).length, 1)
        assert.strictEqual(yield* gaugeOf("reconciliation_difference", wallets, "ETH"), 0)
        assert.strictEqual(yield* gaugeOf("reconciliation_oldest_break_seconds", wallets, "ETH"), 0)
      }).pipe(Effect.provide([oneProcess(), told(events)]))
    }
  )

  it.effect("a theft whose block is replaced is no break any more, and one that nobody mined was none", () =>
    Effect.gen(function* () {
      const { chain } = yield* funded()
      chain.mine([transferTo(thief, 400n, { from: wallet })])
      yield* untilBreaks(1)
      chain.reorg(1, [[], []])
      yield* until(
        "it is closed",
        Effect.map(shownBreaks, (all) => all.every(({ open }) => !open))
      )
      yield* observedAgain(wallets, "ETH")
      assert.deepStrictEqual(yield* shownBreaks, [{ place: wallets, currency: "ETH", units: 400n, open: false }])
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("what is seen once and not a second time is no break", () =>
    Effect.gen(function* () {
      const { chain } = yield* funded()
      // between the first look and the second the block of the theft is gone
      chain.mine([transferTo(thief, 400n, { from: wallet })])
      yield* until(
        "it was seen",
        Effect.sync(() => chain.asked("holdings") > 0)
      )
      const asked = chain.asked("holdings")
      yield* until(
        "it was looked at once",
        Effect.sync(() => chain.asked("holdings") > asked)
      )
      chain.reorg(1, [[], []])
      yield* ticks(30)
      assert.deepStrictEqual(yield* allBreaks, [])
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("each loss is a break of its own", () =>
    Effect.gen(function* () {
      const { chain } = yield* funded()
      mineFrom(chain, wallet, thief, 7n)
      yield* untilBreaks(1)
      mineFrom(chain, wallet, thief, 5n)
      yield* untilBreaks(2)
      assert.deepStrictEqual(
        (yield* allBreaks).map(({ units }) => units),
        [7n, 5n]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("coins of an issued address are another place, and a tenant's own addresses are none", () =>
    Effect.gen(function* () {
      const { chain, id } = yield* funded()
      const own = yield* newAddress(id)
      mineFrom(chain, "0x00000000000000000000000000000000000000F0", own.address, 55n)
      yield* observedAgain(wallets, "ETH")
      mineFrom(chain, own.address, thief, 55n)
      yield* ticks(30)
      assert.deepStrictEqual(yield* allBreaks, [])
      assert.strictEqual((yield* observationOf("chain:ethereum:deposits", "ETH"))?.observed, 0n)
    }).pipe(Effect.provide(oneProcess()))
  )

  for (const reason of ["unreachable", "inconsistent"] as const) {
    it.effect(`of a node that is ${reason} nothing is concluded, and it is told`, () => {
      const events: Array<string> = []
      return Effect.gen(function* () {
        const { chain } = yield* funded()
        chain.mineMany(1)
        yield* observedAgain(wallets, "ETH")
        const before = yield* observationOf(wallets, "ETH")
        chain.fail(reason, 1_000, "holdings")
        chain.mine([transferTo(thief, 400n, { from: wallet })])
        yield* ticks(30)
        assert.deepStrictEqual(yield* observationOf(wallets, "ETH"), before)
        assert.include(events, "reconciliation.not_observed")
        chain.heal()
        yield* untilBreaks(1)
      }).pipe(Effect.provide([oneProcess(), told(events)]))
    })
  }

  it.effect("nothing is compared with blocks that the watcher has not read", () => {
    const events: Array<string> = []
    return Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      yield* newWallet
      mineFrom(chain, "0x00000000000000000000000000000000000000F0", wallet, 1_000n)
      // no watcher runs: what is on the chain is in no books, and no break either
      yield* Effect.forkScoped(reconciling([chain]))
      yield* ticks(30)
      assert.deepStrictEqual([yield* observationOf(wallets, "ETH"), yield* allBreaks], [undefined, []])
      assert.include(events, "reconciliation.not_observed")
    }).pipe(Effect.provide([oneProcess(), told(events)]))
  })
})

describe("an alarm over a network", () => {
  const switchOf = Effect.map(
    Effect.flatMap(NetworkSwitches, ({ all }) => all),
    ([one]) => one
  )

  it.effect("stops its payouts where policy says so, once: what a person resumes stays resumed", () =>
    Effect.gen(function* () {
      const { chain } = yield* funded({ onAlarm: "stop_payouts", alarmAfterMs: 0 })
      mineFrom(chain, wallet, thief, 400n)
      yield* until(
        "payouts are off",
        Effect.map(switchOf, (one) => one?.payoutsOff === true)
      )
      const [broken] = yield* allBreaks
      assert.include((yield* switchOf)?.reason, broken?.id)
      assert.strictEqual((yield* switchOf)?.changedBy, "reconciliation")
      yield* (yield* Writer).submit(fleetTenantId, switchNetwork("ethereum", null, "alice"))
      yield* ticks(30)
      assert.isFalse((yield* switchOf)?.payoutsOff)
      // the next loss is another alarm
      mineFrom(chain, wallet, thief, 5n)
      yield* until(
        "payouts are off again",
        Effect.map(switchOf, (one) => one?.payoutsOff === true)
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "stops nothing where policy does not, and is none below the tolerance or where somebody has explained it",
    () => {
      const events: Array<string> = []
      return Effect.gen(function* () {
        const { chain } = yield* funded({ tolerances: new Map([["ETH", 10n]]), alarmAfterMs: 20_000 })
        mineFrom(chain, wallet, thief, 10n)
        yield* untilBreaks(1)
        yield* ticks(40)
        assert.notInclude(events, "reconciliation.alarm")
        const explainAll = Effect.gen(function* () {
          for (const { id } of yield* allBreaks)
            yield* (yield* Writer).submit(fleetTenantId, explainBreak(id, "it is known", "alice"))
        })
        yield* explainAll
        mineFrom(chain, wallet, thief, 400n)
        yield* untilBreaks(2)
        yield* explainAll
        yield* ticks(40)
        assert.notInclude(events, "reconciliation.alarm")
        assert.strictEqual(yield* gaugeOf("reconciliation_oldest_break_seconds", wallets, "ETH"), 0)
        mineFrom(chain, wallet, thief, 11n)
        yield* untilBreaks(3)
        yield* until(
          "it is an alarm",
          Effect.sync(() => events.includes("reconciliation.alarm"))
        )
        assert.isUndefined(yield* switchOf)
      }).pipe(Effect.provide([oneProcess(), told(events)]))
    }
  )

  it.effect("is posted to the operators' URL until that takes it, and then no more", () => {
    const posted: Array<{ readonly url: string; readonly body: string | null }> = []
    const statuses = [500, 302, 204]
    const egress = Layer.succeed(
      Egress,
      Egress.of({
        send: ({ body, chosenBy, url }) =>
          Effect.suspend(() => {
            assert.strictEqual(chosenBy, "operator")
            posted.push({ url, body })
            const status = statuses.shift()
            return status === undefined
              ? Effect.fail(new EgressError({ reason: "unreachable", detail: "nobody is there" }))
              : Effect.succeed({ status, headers: new Map(), body: new Uint8Array(), truncated: false })
          })
      })
    )
    return Effect.gen(function* () {
      const { chain } = yield* funded({ alarmAfterMs: 0, alarmUrl: "https://ops.example/alarms" })
      mineFrom(chain, wallet, thief, 400n)
      yield* until(
        "it is taken",
        Effect.map(allBreaks, ([one]) => one?.toldAt != null)
      )
      yield* ticks(30)
      assert.strictEqual(posted.length, 3)
      assert.isTrue(posted.every(({ body, url }) => url === "https://ops.example/alarms" && body === posted[0]?.body))
      const [broken] = yield* allBreaks
      assert.deepInclude(JSON.parse(posted[0]?.body ?? ""), {
        event: "reconciliation.alarm",
        break: broken?.id,
        place: wallets,
        currency: "ETH",
        difference: "0.0000000000000004",
        about: null
      })
      // the next one finds nobody there: nothing else stops for that
      mineFrom(chain, wallet, thief, 5n)
      yield* untilBreaks(2)
      yield* ticks(20)
      assert.isAbove(posted.length, 4)
      assert.deepStrictEqual(
        (yield* allBreaks).map(({ toldAt }) => toldAt === null),
        [false, true]
      )
    }).pipe(Effect.provide([oneProcess(), egress]))
  })
})
