import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import type { ToldLine } from "@bursar/core/port/ProviderStatement"
import { booksOf, nameLines } from "@bursar/core/reconciliation/statement/nameLines"
import { recordPart } from "@bursar/core/reconciliation/statement/recordLines"
import { Statements } from "@bursar/core/reconciliation/statement/Statements"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, observedAgain, reconciling } from "./world.ts"

const bridge = "bank:bridge"
const graceMs = 30_000
const grace = graceMs / 1_000

const accounts = ["bank", "suspense:bank", "suspense"] as const

/** Books an order with the bank that is over: above zero what came, below zero what left. */
const order = Effect.fnUntraced(function* (id: TenantId, units: bigint, more: Partial<Operation> = {}) {
  const written = yield* (yield* Writer).submit(
    id,
    writing(
      (view) => {
        const operation = bareOperation(view, {
          kind: units < 0n ? "BANK_TRANSFER" : "ON_RAMP",
          provider: "bridge",
          amount: of(units < 0n ? -units : units, "EUR"),
          status: "SETTLED",
          settledAt: view.now,
          ...more
        })
        return [putRecord(Operation, operation), posted(operation.id, units)]
      },
      accounts.map((account) => ({ _tag: "Balance", account, currency: "EUR" }) as const)
    )
  )
  const made = written.flatMap((change) => ("record" in change ? [change.record] : []))[0]
  return made ?? assert.fail("nothing was written")
})

const posted = (operationId: string, units: bigint) => {
  const leg = { currency: "EUR", units: units < 0n ? -units : units, what: "principal" } as const
  const [from, to] = units < 0n ? (["bank", "suspense"] as const) : (["suspense", "bank"] as const)
  return {
    _tag: "Posted",
    operationId,
    happened: true,
    legs: [
      { ...leg, account: to, direction: "DEBIT" },
      { ...leg, account: from, direction: "CREDIT" }
    ]
  } as const
}

/** Money that a payer has paid in on an account, as the service books it once the bank tells of it. */
const payment = (id: TenantId, units: bigint, providerReference: string) =>
  order(id, units, { kind: "ADJUSTMENT", providerReference })

/** Books more of an order: some of it has come back. */
const comesBack = (id: TenantId, one: Operation, units: bigint) =>
  Effect.flatMap(Writer, ({ submit }) =>
    submit(
      id,
      writing(
        (view) => [putRecord(Operation, { ...one, status: "RETURNED", settledAt: view.now }), posted(one.id, units)],
        accounts.map((account) => ({ _tag: "Balance", account, currency: "EUR" }) as const)
      )
    )
  )

/** An order that has booked nothing yet. */
const open = Effect.fnUntraced(function* (id: TenantId, more: Partial<Operation>) {
  const written = yield* (yield* Writer).submit(
    id,
    writing((view) => [putRecord(Operation, bareOperation(view, { provider: "bridge", ...more }))])
  )
  const made = written.flatMap((change) => ("record" in change ? [change.record] : []))[0]
  return made ?? assert.fail("nothing was written")
})

/** An order that nobody has paid yet. */
const unpaid = (id: TenantId) =>
  open(id, { kind: "ON_RAMP", amount: of(500n, "EUR"), status: "AWAITING_FUNDS", providerReference: "unpaid" })

/** A payout that the bank has, and of which it has not told yet how it ended. */
const underWay = (id: TenantId) =>
  open(id, { kind: "BANK_TRANSFER", amount: of(100n, "EUR"), status: "PROCESSING", providerReference: "out" })

/** A bank whose statements are imported, and the books of a tenant, before its first statement. Alarms stop places. */
const opened = Effect.gen(function* () {
  yield* begin
  const { id } = yield* newTenant()
  const { submit } = yield* Writer
  yield* submit(id, adjustFloat({ amount: of(900_000n, "EUR"), against: "bank", reason: "funded" }))
  const { provider } = makeFakeFiat(() => assert.fail("nothing is ordered"), "bridge")
  const limits = { statementGraceMs: graceMs, onAlarm: "stop_payouts", alarmAfterMs: 1_000 } as const
  yield* Effect.forkScoped(Effect.provideService(reconciling([], limits), FiatProvider, provider))
  yield* observedAgain(bridge, "EUR")
  const books = booksOf("bank", [provider])[0] ?? assert.fail("there is a bank")
  let from = yield* Clock.currentTimeMillis
  let made = 0
  const lines: Array<ToldLine> = []
  yield* ticks(2)
  return {
    id,
    /** The bank books something. */
    write: (
      units: bigint,
      said: { readonly id?: string; readonly references?: ReadonlyArray<string>; readonly text?: string } = {}
    ) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        made += 1
        lines.push({ id: `L${made}`, at, currency: "EUR", units, references: [], text: "", ...said })
        return `L${made}`
      }),
    /** Imports the statement of the time since the last one. */
    close: Effect.gen(function* () {
      const to = (yield* Clock.currentTimeMillis) + 1
      const named = yield* nameLines(books, lines.splice(0))
      const header = { place: bridge, id: `s${from}`, currencies: ["EUR"], from, to, parts: 1, digest: "d" }
      yield* submit(fleetTenantId, recordPart(header, { index: 0, lines: named }, "alice"))
      from = to
      yield* ticks(10)
    })
  }
})

/** All breaks that there ever were, and whether anything was stopped. */
const seen = Effect.gen(function* () {
  const switches = yield* (yield* NetworkSwitches).all
  const breaks = (yield* allBreaks).map(({ about, closedAt, units }) => [units, about?.id, closedAt === null])
  return { breaks, stopped: switches.some(({ payoutsOff }) => payoutsOff) }
})

const nothing = { breaks: [], stopped: false }

const story = <A, E>(test: Effect.Effect<A, E, Effect.Services<typeof opened> | NetworkSwitches>) =>
  test.pipe(Effect.provide(oneProcess()))

describe("whoever pays, with what words or references he likes,", () => {
  const ways: Readonly<Record<string, (victim: Operation) => Partial<ToldLine>>> = {
    "with another's operation in his words": ({ id }) => ({ text: `thanks ${id}` }),
    "with another's operation as his reference": ({ id }) => ({ references: [id.replaceAll("-", "")] }),
    "with the bank's reference of another's order": ({ providerReference }) => ({
      references: [providerReference ?? ""]
    })
  }

  for (const [way, words] of Object.entries(ways))
    it.effect(`makes nothing missing and stops nobody ${way}`, () =>
      story(
        Effect.gen(function* () {
          const { close, id, write } = yield* opened
          const victims = [
            yield* order(id, -4_000n, { providerReference: "out" }),
            yield* order(id, 70_000n, { providerReference: "in" })
          ]
          yield* write(-4_000n, { references: ["out"] })
          yield* write(70_000n, { references: ["in"] })
          for (const [at, victim] of victims.entries()) {
            // he may pay just as much as the other one
            for (const units of [BigInt(500 + at), 70_000n]) {
              yield* write(units, words(victim))
              yield* ticks(3)
              yield* payment(id, units, `paid-${at}-${units}`)
            }
          }
          yield* ticks(grace + 10)
          yield* close
          yield* ticks(grace + 60)
          yield* close
          yield* ticks(grace + 120)
          assert.deepStrictEqual(yield* seen, nothing)
        })
      )
    )

  it.effect("has the bank repeat them when it sends his money back, and makes nothing missing by that", () =>
    story(
      Effect.gen(function* () {
        const { close, id, write } = yield* opened
        const victim = yield* order(id, -4_000n, { providerReference: "out" })
        yield* write(-4_000n, { references: ["out"] })
        const own = yield* order(id, 9_000n, { providerReference: "in" })
        yield* write(9_000n, { references: ["in"] })
        yield* ticks(5)
        yield* comesBack(id, own, -9_000n)
        yield* write(-9_000n, { references: [victim.id] })
        yield* ticks(grace + 10)
        yield* close
        yield* ticks(grace + 60)
        yield* close
        yield* ticks(grace + 60)
        assert.deepStrictEqual(yield* seen, nothing)
      })
    )
  )

  it.effect("takes no line from a payment that the bank shows on a later statement", () =>
    story(
      Effect.gen(function* () {
        const { close, id, write } = yield* opened
        const own = yield* order(id, 50_000n, { providerReference: "in" })
        yield* write(50_000n, { text: own.id })
        yield* payment(id, 50_000n, "paid")
        yield* ticks(10)
        yield* close
        yield* ticks(grace - 15)
        yield* write(50_000n, { references: ["in"] })
        yield* ticks(3)
        yield* close
        yield* ticks(grace + 30)
        yield* close
        yield* ticks(grace + 30)
        assert.deepStrictEqual(yield* seen, nothing)
      })
    )
  )

  it.effect("or without any, takes no line from an order that the bank shows on a later statement by its id", () =>
    story(
      Effect.gen(function* () {
        const { close, id, write } = yield* opened
        yield* order(id, 50_000n, { providerReference: "in" })
        yield* write(50_000n)
        yield* ticks(1)
        yield* payment(id, 50_000n, "paid")
        yield* ticks(10)
        yield* close
        yield* ticks(grace - 5)
        yield* write(50_000n, { id: "in" })
        yield* ticks(3)
        yield* close
        for (let day = 0; day < 2; day += 1) {
          yield* ticks(grace + 30)
          yield* close
        }
        yield* ticks(grace + 90)
        assert.deepStrictEqual(yield* seen, nothing)
      })
    )
  )

  it.effect("hides no money that nobody ordered to leave, with an order that is not over", () =>
    story(
      Effect.gen(function* () {
        const { close, id, write } = yield* opened
        yield* order(id, 1n, { providerReference: "in" })
        yield* write(1n, { references: ["in"] })
        const stolen = yield* write(-90_000n, { text: (yield* unpaid(id)).id })
        yield* ticks(grace + 10)
        yield* close
        yield* ticks(grace + 60)
        yield* close
        yield* ticks(grace + 60)
        assert.deepStrictEqual(yield* seen, { breaks: [[90_000n, stolen, true]], stopped: true })
      })
    )
  )

  it.effect("hides no payout that the bank made twice: it is a break of that payout", () =>
    story(
      Effect.gen(function* () {
        const { close, id, write } = yield* opened
        const payout = yield* order(id, -4_000n, { providerReference: "out" })
        yield* write(-4_000n, { references: ["out"] })
        yield* write(-4_000n, { references: ["out"] })
        yield* payment(id, 4_000n, "paid")
        yield* write(4_000n, { text: payout.id })
        yield* ticks(grace + 10)
        yield* close
        yield* ticks(grace + 60)
        yield* close
        yield* ticks(grace + 60)
        assert.deepStrictEqual(yield* seen, { breaks: [[4_000n, payout.id, true]], stopped: true })
      })
    )
  )

  it.effect("hides none that never left, nor money that never came, however much he adds to it", () =>
    story(
      Effect.gen(function* () {
        const { close, id, write } = yield* opened
        const came = yield* order(id, 70_000n, { providerReference: "in" })
        const left = yield* order(id, -4_000n, { providerReference: "out" })
        for (const [at, { id: named }] of [came, left].entries()) {
          yield* payment(id, 65_000n + BigInt(at), `paid-${at}`)
          yield* write(65_000n + BigInt(at), { text: named })
        }
        yield* ticks(grace + 10)
        yield* close
        yield* ticks(grace + 60)
        yield* close
        yield* ticks(grace + 60)
        const { breaks, stopped } = yield* seen
        assert.sameDeepMembers(breaks, [
          [70_000n, came.id, true],
          [-4_000n, left.id, true]
        ])
        assert.isTrue(stopped)
      })
    )
  )
})

describe("lines that say nothing", () => {
  it.effect("wait for bookings that may have lines of their own, and no more of them than there are bookings", () =>
    story(
      Effect.gen(function* () {
        const { close, id, write } = yield* opened
        yield* payment(id, 500n, "paid")
        yield* write(500n)
        const beyond = yield* write(500n)
        yield* ticks(1)
        const later = yield* write(500n)
        yield* ticks(10)
        yield* close
        yield* ticks(grace + 10)
        const broken = [
          [-500n, beyond, true],
          [-500n, later, true]
        ]
        assert.sameDeepMembers((yield* seen).breaks, broken)
        yield* close
        yield* ticks(grace + 60)
        assert.sameDeepMembers((yield* seen).breaks, broken, "the booking has its line")
      })
    )
  )

  /** How often bookings are looked for where that many lines wait for theirs, as many each second. */
  const searches = (lines: number) =>
    story(
      Effect.gen(function* () {
        const statements = yield* Statements
        let count = 0
        const counting = Statements.of({
          ...statements,
          unshown: (...asked) =>
            Effect.suspend(() => {
              count += 1
              return statements.unshown(...asked)
            })
        })
        const { close, id, write } = yield* Effect.provideService(opened, Statements, counting)
        for (let second = 0; second < 2; second += 1) {
          for (let made = 0; made < lines; made += 1) {
            yield* payment(id, 500n, `paid-${second}-${made}`)
            yield* write(500n)
          }
          yield* ticks(1)
        }
        yield* ticks(10)
        yield* close
        yield* ticks(grace + 60)
        assert.deepStrictEqual(yield* seen, nothing)
        return count
      })
    )

  it.effect("are looked for at once where they are of one amount and time", () =>
    Effect.gen(function* () {
      const one = yield* searches(1)
      assert.isAbove(one, 0)
      assert.strictEqual(yield* searches(20), one)
    })
  )
})

describe("a line of an order that says it", () => {
  it.effect("and that is not over is no break as far as the order explains it, and more than that is one", () =>
    story(
      Effect.gen(function* () {
        const { close, id, write } = yield* opened
        yield* order(id, 1n, { providerReference: "in" })
        yield* write(1n, { references: ["in"] })
        const { id: named } = yield* unpaid(id)
        yield* write(200n, { text: named })
        yield* write(300n, { text: named })
        const beside = yield* write(7n, { text: named })
        yield* ticks(grace + 10)
        yield* close
        yield* ticks(grace + 60)
        yield* close
        yield* ticks(grace + 60)
        assert.deepStrictEqual((yield* seen).breaks, [[-7n, beside, true]])
      })
    )
  )

  for (const isBackFirst of [false, true])
    it.effect(
      `and that is not over is no break where it came back at once, and the bank says ${isBackFirst ? "that" : "that it left"} first`,
      () =>
        story(
          Effect.gen(function* () {
            const { close, id, write } = yield* opened
            yield* order(id, 1n, { providerReference: "in" })
            yield* write(1n, { references: ["in"] })
            const { id: text } = yield* underWay(id)
            for (const units of isBackFirst ? [100n, -100n] : [-100n, 100n]) yield* write(units, { text })
            yield* ticks(grace + 10)
            yield* close
            yield* ticks(grace + 60)
            yield* close
            yield* ticks(grace + 60)
            assert.deepStrictEqual(yield* seen, nothing)
          })
        )
    )

  it.effect("and that is not over is a break where as much came back before it left", () =>
    story(
      Effect.gen(function* () {
        const { close, id, write } = yield* opened
        yield* order(id, 1n, { providerReference: "in" })
        yield* write(1n, { references: ["in"] })
        const { id: text } = yield* underWay(id)
        const early = yield* write(100n, { text })
        yield* ticks(3)
        yield* write(-100n, { text })
        yield* ticks(grace + 10)
        yield* close
        yield* ticks(grace + 60)
        yield* close
        yield* ticks(grace + 60)
        assert.deepStrictEqual((yield* seen).breaks, [[-100n, early, true]])
      })
    )
  )

  it.effect("and is less than was booked is a break of that order, by what is missing", () =>
    story(
      Effect.gen(function* () {
        const { close, id, write } = yield* opened
        const own = yield* order(id, 10_000n, { providerReference: "in" })
        yield* write(9_990n, { references: ["in"] })
        yield* ticks(grace + 10)
        yield* close
        yield* ticks(grace + 60)
        yield* close
        yield* ticks(60)
        assert.deepStrictEqual((yield* seen).breaks, [[10n, own.id, true]])
      })
    )
  )

  it.effect("is its own though it is one of two, or what has come back, and somebody else pays as much", () =>
    story(
      Effect.gen(function* () {
        const { close, id, write } = yield* opened
        const split = yield* order(id, 10_000n, { providerReference: "in" })
        yield* write(6_000n, { references: ["in"] })
        yield* write(4_000n, { text: split.id })
        const returned = yield* order(id, -4_000n, { providerReference: "out" })
        yield* write(-4_000n, { references: ["out"] })
        yield* ticks(3)
        yield* comesBack(id, returned, 4_000n)
        yield* write(4_000n, { references: ["out"] })
        yield* payment(id, 4_000n, "paid")
        yield* write(4_000n)
        yield* ticks(grace + 10)
        yield* close
        yield* ticks(grace + 60)
        yield* close
        yield* ticks(grace + 60)
        assert.deepStrictEqual(yield* seen, nothing)
      })
    )
  )
})
