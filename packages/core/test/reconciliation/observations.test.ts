import { fleetTenantId } from "@bursar/core/grant/Grant"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { candidatesMax, candidatesOf } from "@bursar/core/reconciliation/candidates"
import { type Alarmed, raiseAlarms } from "@bursar/core/reconciliation/raiseAlarms"
import { explainBreak } from "@bursar/core/reconciliation/explainBreak"
import type { Comparison } from "@bursar/core/reconciliation/judgeDifference"
import { exactly, type Movement } from "@bursar/core/reconciliation/Movement"
import { noteTold } from "@bursar/core/reconciliation/noteTold"
import { payoutWallets, providerPlace } from "@bursar/core/reconciliation/Place"
import {
  dayOf,
  observationsOfDay,
  PastObservation,
  PlaceObservation
} from "@bursar/core/reconciliation/PlaceObservation"
import { type Observed, recordObservation } from "@bursar/core/reconciliation/recordObservation"
import { type Candidate, ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { showObservation } from "@bursar/core/reconciliation/showObservation"
import { Queries } from "@bursar/core/store/Queries"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import { NetworkSwitch } from "@bursar/core/port/NetworkSwitches"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { refusalOf, store, submit } from "../transfer/world.ts"

const place = payoutWallets("ethereum")

/** When the books were compared with the place. */
const at = 1_000_000

const found = (missing: bigint): Comparison => ({ ledger: 100n, observed: 100n - missing, inFlight: exactly(0n) })

const candidate = (id: string): Candidate => ({ kind: "operation", id, tenantId: "t", at: 1, reason: "it may be" })

/** Records that so much is missing of 100 ETH units in the wallets. */
const look = (missing: bigint, more: Partial<Observed> = {}) =>
  submit(
    fleetTenantId,
    recordObservation({
      place,
      currency: "ETH",
      at,
      block: { number: 7, hash: "h7" },
      found: found(missing),
      ledger: 100n,
      look: "steady",
      candidates: [],
      explaining: new Map(),
      rule: { tolerance: 0n, afterMs: 500, stops: false, movable: 0n },
      ...more
    })
  )

const breaks = Effect.flatMap(Queries, (queries) =>
  queries.records(fleetTenantId, ReconciliationBreak, `${place.name}|ETH`)
)

const breakOf = (id: string) =>
  Effect.flatMap(Queries, (queries) => queries.record(fleetTenantId, ReconciliationBreak, id))

describe("what is observed at a place", () => {
  it.effect("is kept as the newest of its currency and for the history of its day", () =>
    Effect.gen(function* () {
      const queries = yield* Queries
      const { observation } = yield* look(40n, {
        found: { ledger: 100n, observed: 60n, inFlight: { least: 5n, most: 15n } }
      })
      assert.deepStrictEqual(observation, {
        place: "chain:ethereum:payouts",
        kind: "payout_wallets",
        currency: "ETH",
        observation: "observed",
        ledger: 100n,
        observed: 60n,
        inFlight: 15n,
        inFlightLeast: 5n,
        inFlightMost: 15n,
        difference: 25n,
        block: { number: 7, hash: "h7" },
        at
      })
      assert.deepStrictEqual(
        yield* queries.record(fleetTenantId, PlaceObservation, "chain:ethereum:payouts|ETH"),
        observation
      )
      assert.strictEqual(dayOf(Date.UTC(2026, 10, 23, 23, 59)), "2026-11-23")
      const day = observationsOfDay("chain:ethereum:payouts", "ETH", dayOf(at))
      const past = yield* queries.records(fleetTenantId, PastObservation, day)
      assert.deepStrictEqual(
        past.map(({ id, ...one }) => [typeof id, one]),
        [["string", observation]]
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("is nothing where whoever keeps the place tells no balance, and then breaks stay as they are", () =>
    Effect.gen(function* () {
      const bank = providerPlace("bank", "bridge")
      yield* look(40n)
      const { closed, observation, open, opened } = yield* look(0n, { found: null, block: null })
      assert.deepStrictEqual([closed, opened, open.map(({ units }) => units)], [[], null, [40n]])
      assert.deepInclude(observation, {
        observation: "unsupported",
        ledger: 100n,
        observed: null,
        inFlight: 0n,
        inFlightLeast: 0n,
        inFlightMost: 0n,
        difference: null
      })
      const beside = yield* look(3n, { place: bank, block: null })
      assert.deepInclude(beside.opened, { place: "bank:bridge", units: 3n, sinceBlock: null })
    }).pipe(Effect.provide(store))
  )

  it.effect("opens a break for what nothing explains, and closes it when the difference has gone", () =>
    Effect.gen(function* () {
      const first = yield* look(40n, { candidates: [candidate("op-1")] })
      const { opened } = first
      assert.deepStrictEqual(opened, {
        id: opened?.id ?? "",
        place: place.name,
        currency: "ETH",
        units: 40n,
        since: at,
        sinceBlock: 7,
        candidates: [candidate("op-1")],
        about: null,
        explanation: null,
        alarmedAt: null,
        toldAt: null,
        closedAt: null
      })
      assert.deepStrictEqual(yield* breaks, first.open)
      const again = yield* look(40n, { at: at + 100 })
      assert.deepStrictEqual([again.opened, again.closed, again.alarmed], [null, [], []])
      assert.deepStrictEqual(again.open, first.open)
      const more = yield* look(45n, { at: at + 200 })
      assert.strictEqual(more.opened?.units, 5n)
      const back = yield* look(5n, { at: at + 300 })
      assert.deepStrictEqual(
        back.closed.map(({ closedAt, units }) => [units, closedAt]),
        [[40n, at + 300]]
      )
      assert.deepStrictEqual(
        back.open.map(({ units }) => units),
        [5n]
      )
      assert.strictEqual((yield* breakOf(opened?.id ?? ""))?.closedAt, at + 300)
      assert.deepStrictEqual((yield* look(0n)).open, [])
      assert.deepStrictEqual(yield* breaks, [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is only noted while it changes as it is looked at", () =>
    Effect.gen(function* () {
      const moving = yield* look(40n, { look: "moving" })
      assert.deepStrictEqual([moving.opened, moving.open, moving.observation.difference], [null, [], 40n])
      yield* look(40n)
      const gone = yield* look(0n, { look: "moving" })
      assert.deepStrictEqual([gone.closed, gone.open.map(({ units }) => units)], [[], [40n]])
    }).pipe(Effect.provide(store))
  )

  it.effect("closes the oldest of breaks that are as large", () =>
    Effect.gen(function* () {
      const old = yield* look(40n, { at: at + 1 })
      yield* look(80n, { at })
      assert.deepStrictEqual(
        (yield* look(40n, { at: at + 2 })).closed.map(({ since }) => since),
        [at]
      )
      assert.deepStrictEqual(
        (yield* breaks).map(({ id }) => id),
        [old.opened?.id]
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("puts what is left of too much in the place of its break: as old, and explained and told by nobody", () =>
    Effect.gen(function* () {
      const rule = { tolerance: 0n, afterMs: 500, stops: true, movable: 0n }
      const whole = (yield* look(-100n, { rule })).opened?.id ?? ""
      yield* submit(fleetTenantId, explainBreak(whole, "two payments that nobody has booked", "anna"))
      const rest = yield* look(-40n, {
        ...{ rule, at: at + 500, block: { number: 9, hash: "h9" } },
        candidates: [candidate("op-1")]
      })
      assert.deepStrictEqual(
        rest.closed.map(({ closedAt, explanation, id, units }) => [id, units, closedAt, explanation?.by]),
        [[whole, -100n, at + 500, "anna"]]
      )
      assert.deepInclude(rest.opened, { units: -40n, since: at, sinceBlock: 7, candidates: [candidate("op-1")] })
      assert.deepInclude(rest.opened, { explanation: null, toldAt: null, closedAt: null })
      // it is an alarm at once, and stops nothing
      assert.deepStrictEqual(
        rest.alarmed.map(({ alarmedAt, units }) => [units, alarmedAt]),
        [[-40n, at + 500]]
      )
      assert.isNull(rest.stopped)
      // what leaves beyond it is missing, and as old as it is
      const beyond = yield* look(7n, { rule, at: at + 600 })
      assert.deepStrictEqual(
        beyond.closed.map(({ units }) => units),
        [-40n]
      )
      assert.deepInclude(beyond.opened, { units: 7n, since: at + 600 })
      assert.deepStrictEqual([beyond.alarmed, beyond.stopped], [[], null])
      assert.strictEqual((yield* look(7n, { rule, at: at + 1_100 })).stopped?.network, "ethereum")
    }).pipe(Effect.provide(store))
  )

  it.effect("names by now who could explain a break, and writes nothing where these are the same", () =>
    Effect.gen(function* () {
      const { opened } = yield* look(40n, { candidates: [candidate("op-1")] })
      const id = opened?.id ?? ""
      const naming = (...ids: ReadonlyArray<string>) => ({ explaining: new Map([[id, ids.map(candidate)]]) })
      const named = (result: { readonly open: ReadonlyArray<ReconciliationBreak> }) =>
        result.open.map(({ candidates }) => candidates.map((one) => one.id))
      assert.deepStrictEqual(named(yield* look(40n)), [["op-1"]])
      assert.deepStrictEqual(named(yield* look(40n, naming("op-1", "op-2"))), [["op-1", "op-2"]])
      assert.deepStrictEqual(
        (yield* breakOf(id))?.candidates.map((one) => one.id),
        ["op-1", "op-2"]
      )
      const same = { explaining: new Map([[id, [{ ...candidate("op-1"), at: 2 }, candidate("op-2")]]]) }
      assert.strictEqual((yield* look(40n, same)).open[0]?.candidates[0]?.at, 1)
      assert.deepStrictEqual(named(yield* look(40n, naming())), [[]])
    }).pipe(Effect.provide(store))
  )
})

describe("an alarm over a break", () => {
  it.effect("stops its place in the commit that raises it, and once only: what a person resumed stays resumed", () =>
    Effect.gen(function* () {
      const rule = { tolerance: 0n, afterMs: 500, stops: true, movable: 0n }
      const stop = Effect.flatMap(Queries, ({ record }) => record(fleetTenantId, NetworkSwitch, "ethereum"))
      yield* look(40n, { rule })
      assert.isUndefined(yield* stop)
      const { stopped } = yield* look(40n, { rule, at: at + 500 })
      assert.deepStrictEqual([stopped?.network, stopped?.payoutsOff, stopped?.changedAt], ["ethereum", true, at + 500])
      assert.deepStrictEqual(yield* stop, stopped)
      yield* submit(fleetTenantId, switchNetwork("ethereum", null, "anna"))
      assert.isNull((yield* look(40n, { rule, at: at + 600 })).stopped)
      assert.strictEqual((yield* stop)?.payoutsOff, false)
      // the next loss is another alarm
      yield* look(50n, { rule, at: at + 700 })
      assert.isNotNull((yield* look(50n, { rule, at: at + 1_200 })).stopped)
      // also where it is stopped already, so that whoever has approved to resume it looks again
      yield* look(60n, { rule, at: at + 1_300 })
      const again = yield* look(60n, { rule, at: at + 1_800 })
      assert.deepStrictEqual([again.alarmed.length, again.stopped?.changedAt], [1, at + 1_800])
      const still = yield* look(60n, { rule, at: at + 1_900 })
      assert.deepStrictEqual([still.alarmed, still.stopped], [[], null])
    }).pipe(Effect.provide(store))
  )

  it.effect("stops nothing over what is too much, nor over what tenants may have moved; all beyond it stops", () =>
    Effect.gen(function* () {
      const rule = { tolerance: 0n, afterMs: 0, stops: true, movable: 40n }
      const seen = ({ alarmed, stopped }: Alarmed) => [alarmed.map(({ units }) => units), stopped?.network]
      assert.deepStrictEqual(seen(yield* look(-7n, { rule })), [[-7n], undefined])
      assert.deepStrictEqual(seen(yield* look(40n, { rule })), [[40n], undefined])
      const beyond = yield* look(41n, { rule })
      assert.deepStrictEqual(seen(beyond), [[1n], "ethereum"])
      assert.include(beyond.stopped?.reason, beyond.opened?.id)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "stops nothing while what is too much makes up for it, and stops once that goes, unless it was resumed",
    () =>
      Effect.gen(function* () {
        // most of what a tenant took it brought back to a retired address, and a sweep took that from what it can move
        const rule = (movable: bigint) => ({ rule: { tolerance: 0n, afterMs: 500, stops: true, movable } })
        const stopOf = (missing: bigint, movable: bigint, after: number) =>
          Effect.map(look(missing, { ...rule(movable), at: at + after }), ({ alarmed, stopped }) => [
            alarmed.map(({ units }) => units),
            stopped?.network
          ])
        assert.deepStrictEqual(yield* stopOf(90n, 90n, 0), [[], undefined])
        assert.deepStrictEqual(yield* stopOf(1n, 90n, 100), [[], undefined])
        assert.deepStrictEqual(yield* stopOf(1n, 1n, 500), [[90n], undefined])
        // it takes all away again: that is as much as was taken from others
        assert.deepStrictEqual(yield* stopOf(2n, 1n, 510), [[], "ethereum"])
        yield* TestClock.setTime(at + 520)
        yield* submit(fleetTenantId, switchNetwork("ethereum", null, "anna"))
        assert.deepStrictEqual(yield* stopOf(3n, 1n, 530), [[], undefined])
      }).pipe(Effect.provide(store))
  )

  it.effect(
    "stops anew a place that a person had stopped before, once what is too much no longer makes up for it",
    () =>
      Effect.gen(function* () {
        const looked = (missing: bigint, movable: bigint, after: number) =>
          look(missing, { rule: { tolerance: 0n, afterMs: 500, stops: true, movable }, at: at + after })
        yield* TestClock.setTime(at - 100)
        yield* submit(fleetTenantId, switchNetwork("ethereum", "upgrade of the node", "anna"))
        yield* looked(90n, 90n, 0)
        yield* looked(1n, 90n, 100)
        assert.isNull((yield* looked(1n, 1n, 500)).stopped)
        // whoever proposed to resume it until now did not know that anything is missing
        const gone = yield* looked(90n, 1n, 510)
        assert.deepStrictEqual([gone.stopped?.changedBy, gone.stopped?.changedAt], ["reconciliation", at + 510])
        assert.isNull((yield* looked(90n, 1n, 520)).stopped, "once only")
      }).pipe(Effect.provide(store))
  )

  it.effect("stops a place that was resumed before the alarm was recorded, once what is too much has gone", () =>
    Effect.gen(function* () {
      const looked = (missing: bigint, movable: bigint, after: number) =>
        look(missing, { rule: { tolerance: 0n, afterMs: 500, stops: true, movable }, at: at + after })
      yield* looked(90n, 90n, 0)
      yield* looked(1n, 90n, 100)
      // between the look and its record: whoever resumes it knows of no alarm
      yield* TestClock.setTime(at + 605)
      yield* submit(fleetTenantId, switchNetwork("ethereum", "upgrade of the node", "anna"))
      yield* submit(fleetTenantId, switchNetwork("ethereum", null, "anna"))
      yield* TestClock.setTime(at + 610)
      const hidden = yield* looked(1n, 1n, 600)
      assert.deepStrictEqual(
        hidden.alarmed.map(({ alarmedAt, units }) => [units, alarmedAt]),
        [
          [90n, at + 610],
          [-89n, at + 610]
        ]
      )
      assert.isNull(hidden.stopped)
      yield* TestClock.setTime(at + 700)
      assert.strictEqual((yield* looked(90n, 1n, 700)).stopped?.changedBy, "reconciliation")
    }).pipe(Effect.provide(store))
  )

  it.effect("that is new stops its place anew beside an older one that stopped nothing, whichever comes first", () =>
    Effect.gen(function* () {
      const rule = (movable: bigint) => ({ rule: { tolerance: 0n, afterMs: 500, stops: true, movable } })
      yield* look(90n, { ...rule(95n), at: at - 300 })
      yield* TestClock.setTime(at - 200)
      yield* submit(fleetTenantId, switchNetwork("ethereum", "upgrade of the node", "anna"))
      yield* look(95n, { ...rule(95n), at })
      yield* look(1n, { ...rule(95n), at: at + 100 })
      assert.deepStrictEqual(
        (yield* look(1n, { ...rule(95n), at: at + 300 })).alarmed.map(({ units }) => units),
        [90n]
      )
      const due = yield* look(95n, { ...rule(1n), at: at + 500 })
      assert.deepStrictEqual([due.alarmed.map(({ units }) => units), due.stopped?.changedAt], [[5n], at + 500])
    }).pipe(Effect.provide(store))
  )

  it.effect("stops its place whatever is too much beside it, where tenants can have moved nothing", () =>
    Effect.gen(function* () {
      const rule = { tolerance: 0n, afterMs: 500, stops: true, movable: 0n }
      yield* look(90n, { rule })
      yield* look(1n, { rule, at: at + 100 })
      assert.strictEqual((yield* look(1n, { rule, at: at + 500 })).stopped?.network, "ethereum")
    }).pipe(Effect.provide(store))
  )

  it.effect("is raised, and stops the place, also when nobody can look at it", () =>
    Effect.gen(function* () {
      const rule = { tolerance: 0n, afterMs: 500, stops: true, movable: 0n }
      const raise = submit(fleetTenantId, raiseAlarms(place.name, "ETH", rule))
      yield* TestClock.setTime(at)
      const { opened } = yield* look(40n, { rule })
      const young = yield* raise
      assert.deepStrictEqual([young.alarmed, young.stopped], [[], null])
      yield* TestClock.adjust(500)
      const due = yield* raise
      assert.deepStrictEqual(
        due.alarmed.map(({ id }) => id),
        [opened?.id]
      )
      assert.strictEqual(due.stopped?.network, "ethereum")
      assert.deepStrictEqual(yield* breaks, due.open)
      assert.deepStrictEqual((yield* raise).alarmed, [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is raised once, when it is old enough, and told once", () =>
    Effect.gen(function* () {
      const id = (yield* look(40n)).opened?.id ?? ""
      yield* submit(fleetTenantId, noteTold(id))
      assert.isNull((yield* breakOf(id))?.toldAt, "nobody was to be told of it")
      assert.deepStrictEqual((yield* look(40n, { at: at + 499 })).alarmed, [])
      const alarmed = yield* look(40n, { at: at + 500 })
      assert.deepStrictEqual(
        alarmed.alarmed.map((one) => [one.id, one.alarmedAt]),
        [[id, at + 500]]
      )
      assert.deepStrictEqual(alarmed.open, alarmed.alarmed)
      assert.deepStrictEqual(yield* breaks, alarmed.open)
      assert.deepStrictEqual((yield* look(40n, { at: at + 600 })).alarmed, [])
      for (const [now, toldAt] of [
        [5_000, 5_000],
        [6_000, 5_000]
      ] as const) {
        yield* TestClock.setTime(now)
        yield* submit(fleetTenantId, noteTold(id))
        assert.strictEqual((yield* breakOf(id))?.toldAt, toldAt)
      }
      yield* submit(fleetTenantId, noteTold("nothing"))
    }).pipe(Effect.provide(store))
  )

  it.effect("is not raised over what an operator has explained, until its difference has gone", () =>
    Effect.gen(function* () {
      const id = (yield* look(40n)).opened?.id ?? ""
      yield* TestClock.setTime(9_000)
      const explained = yield* submit(fleetTenantId, explainBreak(id, "a fee", "alice"))
      assert.deepStrictEqual(explained.explanation, { by: "alice", note: "a fee", at: 9_000 })
      assert.deepStrictEqual(yield* breakOf(id), explained)
      assert.deepStrictEqual((yield* look(40n, { at: at + 500 })).alarmed, [])
      yield* look(0n)
      assert.strictEqual(yield* refusalOf(fleetTenantId, explainBreak(id, "late", "alice")), "state_conflict")
      assert.strictEqual(yield* refusalOf(fleetTenantId, explainBreak("nothing", "a fee", "alice")), "not_found")
    }).pipe(Effect.provide(store))
  )
})

describe("what could explain a break", () => {
  const movement = (id: string, least: bigint, most: bigint, moment: number): Movement => ({
    place: place.name,
    currency: "ETH",
    inFlight: { least, most },
    cause: { kind: "transaction", id, tenantId: TenantId("t"), at: moment }
  })
  const line = (operationId: string, moment: number) => ({ operationId, tenantId: "t", at: moment, what: "payout" })

  it("is what is in flight of its amount either way, and what was booked with it, the nearest in time first", () => {
    const found = candidatesOf(-40n, 100, {
      movements: [
        movement("least", -40n, 0n, 130),
        movement("most", 0n, 40n, 60),
        movement("other", -39n, 41n, 100),
        movement("both", 40n, 40n, 101)
      ],
      lines: [line("booked", 90), line("both", 500)]
    })
    assert.deepStrictEqual(
      found.map(({ at: moment, id, kind }) => [id, kind, moment]),
      [
        ["both", "transaction", 101],
        ["booked", "operation", 90],
        ["least", "transaction", 130],
        ["most", "transaction", 60]
      ]
    )
  })

  it("is named up to a number", () => {
    const lines = Array.from({ length: candidatesMax + 5 }, (_, index) => line(`op-${index}`, 1_000 - index))
    const found = candidatesOf(1n, 1_000, { movements: [], lines })
    assert.deepStrictEqual(
      found.map(({ id }) => id),
      lines.slice(0, candidatesMax).map(({ operationId }) => operationId)
    )
  })
})

describe("an observation as metrics", () => {
  const shown = Effect.map(
    Metric.snapshot,
    (all) =>
      new Map(
        all.flatMap(({ attributes, id, state }) =>
          attributes?.["place"] === "shown" && "value" in state ? [[id, Number(state.value)] as const] : []
        )
      )
  )

  it.effect("tells the difference in whole units, the age of the oldest break, and when it was made", () =>
    Effect.gen(function* () {
      const observation = {
        ...(yield* look(0n)).observation,
        place: "shown",
        currency: "USDT_ETH",
        difference: 2_500_000n
      }
      const one = { ...(yield* look(40n)).opened } as ReconciliationBreak // so much is missing
      const explanation = { by: "alice", note: "a fee", at: 1 }
      const open = [
        { ...one, since: at - 90_000 },
        { ...one, since: at - 30_000 },
        { ...one, since: 1, explanation }
      ]
      yield* showObservation(observation, open, defaultCurrencies)
      assert.deepStrictEqual([...(yield* shown)].toSorted(), [
        ["reconciliation_difference", 2.5],
        ["reconciliation_last_observation", 1_000],
        ["reconciliation_oldest_break_seconds", 90]
      ])
      const silent = { ...observation, difference: null, at: at + 10_000 }
      yield* showObservation(silent, open, defaultCurrencies)
      assert.strictEqual((yield* shown).get("reconciliation_difference"), 2.5, "what was not observed is not shown")
      assert.strictEqual((yield* shown).get("reconciliation_last_observation"), 1_000, "and that stands still")
      assert.strictEqual((yield* shown).get("reconciliation_oldest_break_seconds"), 100)
      yield* showObservation({ ...observation, difference: 0n }, [], defaultCurrencies)
      assert.strictEqual((yield* shown).get("reconciliation_oldest_break_seconds"), 0)
      assert.strictEqual((yield* shown).get("reconciliation_difference"), 0)
    }).pipe(Effect.provide(store))
  )
})
