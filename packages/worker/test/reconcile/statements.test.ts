import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { Custodian } from "@bursar/core/port/Custodian"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import type { ToldLine } from "@bursar/core/port/ProviderStatement"
import { explainBreak } from "@bursar/core/reconciliation/explainBreak"
import { recordPart } from "@bursar/core/reconciliation/statement/recordLines"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { begin, oneProcess, ticks, until } from "../watch/world.ts"
import { allBreaks, observationOf, observedAgain, reconciling, shownBreaks, told, untilBreaks } from "./world.ts"

const kraken = "custodian:kraken"
const bridge = "bank:bridge"

const graceMs = 30_000

/** A provider whose books a test writes: what it holds is what its lines come to. */
const makeBooks = () => {
  const lines: Array<ToldLine> = []
  let made = 0
  const holds = (currency: string) =>
    lines.filter((line) => line.currency === currency).reduce((sum, { units }) => sum + units, 0n)
  return {
    lines,
    holds,
    write: (units: bigint, references: ReadonlyArray<string> = [], currency = "BTC") =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        made += 1
        const line: ToldLine = { id: `L${made}`, at, currency, units, references, text: "" }
        lines.push(line)
        return line
      }),
    statement: (since: number, before: number) =>
      Effect.sync(() => lines.filter(({ at }) => at >= since && at < before))
  }
}

type Books = ReturnType<typeof makeBooks>

const nothingOrdered = () => assert.fail("nothing is ordered")

const custodianOf = ({ holds, statement }: Books, currencies: ReadonlyArray<string> = ["BTC"]) =>
  Custodian.of({
    ...makeFakeCustodian(nothingOrdered, [], undefined, "kraken").provider,
    assets: Effect.succeed(currencies.map((currency) => ({ currency, withdrawable: true, pool: currency }))),
    balances: Effect.sync(() => new Map(currencies.map((currency) => [currency, holds(currency)]))),
    statement
  })

/** Books an order with the provider that is over. */
const order = Effect.fnUntraced(function* (id: TenantId, units: bigint, more: Partial<Operation> = {}) {
  const status = more.status ?? "SETTLED"
  const written = yield* (yield* Writer).submit(
    id,
    writing(
      (view) => {
        const operation = bareOperation(view, {
          kind: "WITHDRAWAL",
          provider: "kraken",
          amount: of(units < 0n ? -units : units, "BTC"),
          status,
          settledAt: status === "PROCESSING" ? null : view.now,
          ...more
        })
        const leg = { currency: "BTC", units: units < 0n ? -units : units, what: "principal" } as const
        const [from, to] = units < 0n ? (["custodian", "suspense"] as const) : (["suspense", "custodian"] as const)
        return [
          putRecord(Operation, operation),
          ...(status === "SETTLED"
            ? [
                {
                  _tag: "Posted",
                  operationId: operation.id,
                  happened: true,
                  legs: [
                    { ...leg, account: to, direction: "DEBIT" },
                    { ...leg, account: from, direction: "CREDIT" }
                  ]
                } as const
              ]
            : [])
        ]
      },
      (["custodian", "suspense:custodian", "suspense"] as const).map(
        (account) => ({ _tag: "Balance", account, currency: "BTC" }) as const
      )
    )
  )
  return (
    written.flatMap((change) => ("record" in change ? [change.record] : []))[0] ?? assert.fail("nothing was written")
  )
})

/** A custodian that the service has had 1 000 at since before its first statement, and that is looked at. */
const opened = Effect.fnUntraced(function* (
  more: Parameters<typeof reconciling>[1] = {},
  networkFeeBorneBy: Custodian["Service"]["networkFeeBorneBy"] = "RECEIVER"
) {
  yield* begin
  const books = makeBooks()
  const { id } = yield* newTenant()
  yield* (yield* Writer).submit(id, adjustFloat({ amount: of(1_000n, "BTC"), against: "custodian", reason: "funded" }))
  yield* books.write(1_000n, ["funding"])
  yield* ticks(2)
  const custodian = Custodian.of({ ...custodianOf(books), networkFeeBorneBy })
  yield* Effect.forkScoped(
    Effect.provideService(reconciling([], { statementGraceMs: graceMs, ...more }), Custodian, custodian)
  )
  yield* observedAgain(kraken, "BTC")
  yield* ticks(2)
  return { books, id }
})

const openOnes = Effect.map(allBreaks, (all) => all.filter(({ closedAt }) => closedAt === null))

const untilNoneOpen = until(
  "no break is open",
  Effect.map(openOnes, (open) => open.length === 0)
)

/** Lets all pass for which a statement is waited. */
const afterGrace = ticks(graceMs / 1_000 + 15)

describe("a custodian that tells its own books", () => {
  it.effect("whose lines are those of the orders gives no break, however they are split", () =>
    Effect.gen(function* () {
      const { books, id } = yield* opened()
      for (const reference of ["one", "two"]) {
        yield* order(id, -40n, { providerReference: reference })
        yield* books.write(-37n, [reference])
        yield* books.write(-3n, [reference])
      }
      const own = yield* order(id, 25n)
      yield* books.write(25n, [`deposit ${own.id}`])
      // it names nothing, and is the adjustment of its amount
      yield* books.write(9n)
      yield* (yield* Writer).submit(id, adjustFloat({ amount: of(9n, "BTC"), against: "custodian", reason: "more" }))
      yield* ticks(3)
      yield* afterGrace
      assert.deepStrictEqual(yield* allBreaks, [])
      assert.strictEqual((yield* observationOf(kraken, "BTC"))?.observed, 954n)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("and books a withdrawal twice is one break of that order, until it books it back", () =>
    Effect.gen(function* () {
      const { books, id } = yield* opened()
      const { id: about } = yield* order(id, -40n, { providerReference: "w" })
      yield* books.write(-40n, ["w"])
      yield* ticks(10)
      yield* books.write(-40n, ["w"])
      yield* untilBreaks(1)
      const [first] = yield* allBreaks
      assert.deepStrictEqual([first?.units, first?.about], [40n, null])
      yield* afterGrace
      // what was found by the balance first is the same break: now it is known what it is about
      const [broken, ...others] = yield* allBreaks
      assert.deepStrictEqual(others, [])
      assert.strictEqual(broken?.id, first?.id)
      assert.deepInclude(broken, { units: 40n, about: { kind: "operation", id: about, tenantId: id } })
      assert.strictEqual(broken?.candidates[0]?.id, about)
      yield* books.write(40n, ["w"])
      yield* untilNoneOpen
      yield* afterGrace
      assert.strictEqual((yield* allBreaks).length, 1)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("and charges a fee that it did not announce is one break of that line, until it is booked", () =>
    Effect.gen(function* () {
      const { books, id } = yield* opened()
      const { id: line } = yield* books.write(-3n)
      yield* untilBreaks(1)
      yield* afterGrace
      const [broken, ...others] = yield* allBreaks
      assert.deepStrictEqual(others, [])
      assert.deepInclude(broken, { units: 3n, about: { kind: "statement_line", id: line } })
      const fee = { amount: of(-3n, "BTC"), against: "custodian", reason: "a listing fee" } as const
      yield* (yield* Writer).submit(id, adjustFloat(fee))
      yield* untilNoneOpen
      yield* afterGrace
      assert.strictEqual((yield* allBreaks).length, 1)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("and takes a withdrawal that it denies is one break of that order", () =>
    Effect.gen(function* () {
      const { books, id } = yield* opened()
      const { id: about } = yield* order(id, -40n, { providerReference: "w", status: "FAILED" })
      yield* books.write(-40n, ["w"])
      yield* afterGrace
      assert.deepStrictEqual(
        (yield* allBreaks).map((one) => [one.units, one.about?.id]),
        [[40n, about]]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("and never carried out what it says it did is one break of that order", () =>
    Effect.gen(function* () {
      const { id } = yield* opened()
      const { id: about } = yield* order(id, -40n, { providerReference: "w" })
      yield* afterGrace
      assert.deepStrictEqual(
        (yield* allBreaks).map((one) => [one.units, one.about?.id]),
        [[-40n, about]]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("and books two mistakes that make up for each other has two breaks, which its balance hides", () =>
    Effect.gen(function* () {
      const { books } = yield* opened()
      const [less, more] = [yield* books.write(-5n, ["?"]), yield* books.write(5n, ["??"])]
      yield* afterGrace
      const open = yield* openOnes
      assert.sameDeepMembers(
        open.map(({ about, units }) => [units, about?.id]),
        [
          [5n, less.id],
          [-5n, more.id]
        ]
      )
      assert.strictEqual((yield* observationOf(kraken, "BTC"))?.difference, 0n)
      yield* ticks(30)
      assert.strictEqual((yield* allBreaks).length, 2)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("has none for an order that is under way, before it is told and after", () =>
    Effect.gen(function* () {
      const { books, id } = yield* opened()
      const under = yield* order(id, -40n, { providerReference: "w", status: "PROCESSING" })
      yield* ticks(10)
      yield* books.write(-40n, ["w"])
      yield* afterGrace
      assert.deepStrictEqual(yield* allBreaks, [])
      // it fails after all, long after its line
      yield* (yield* Writer).submit(
        id,
        writing((view) => [putRecord(Operation, { ...under, status: "FAILED", settledAt: view.now })])
      )
      yield* afterGrace
      assert.deepStrictEqual(
        (yield* allBreaks).map((one) => [one.units, one.about?.id]),
        [[40n, under.id]]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  const bearers: ReadonlyArray<readonly ["RECEIVER" | "SERVICE", ReadonlyArray<bigint>]> = [
    ["SERVICE", []],
    ["RECEIVER", [43n]]
  ]
  for (const [networkFeeBorneBy, units] of bearers)
    it.effect(
      `has ${units.length === 0 ? "none" : "one"} for a line that tells the network's fee of a withdrawal under way where the ${networkFeeBorneBy} bears it`,
      () =>
        Effect.gen(function* () {
          const { books, id } = yield* opened({}, networkFeeBorneBy)
          yield* order(id, -40n, { providerReference: "w", status: "PROCESSING" })
          yield* ticks(10)
          yield* books.write(-43n, ["w"])
          yield* afterGrace
          assert.deepStrictEqual(
            (yield* openOnes).map((one) => one.units),
            units
          )
        }).pipe(Effect.provide(oneProcess()))
    )

  it.effect("and tells a line otherwise than before is told of, and what it told first stands", () => {
    const events: Array<string> = []
    return Effect.gen(function* () {
      const { books, id } = yield* opened()
      yield* order(id, -40n, { providerReference: "w" })
      const line = yield* books.write(-40n, ["w"])
      yield* ticks(10)
      books.lines.splice(books.lines.indexOf(line), 1, { ...line, units: -400n })
      yield* ticks(10)
      assert.include(events, "reconciliation.line_changed")
      // what it holds shows the rest
      yield* afterGrace
      assert.deepStrictEqual(
        (yield* openOnes).map(({ about, units }) => [units, about]),
        [[360n, null]]
      )
    }).pipe(Effect.provide([oneProcess(), told(events)]))
  })

  it.effect("and loses as much again as somebody has explained has a break of its own, which alarms", () => {
    const events: Array<string> = []
    return Effect.gen(function* () {
      yield* begin
      const books = makeBooks()
      const { id } = yield* newTenant()
      const { submit } = yield* Writer
      yield* submit(id, adjustFloat({ amount: of(1_000n, "BTC"), against: "custodian", reason: "funded" }))
      // from before its first statement the custodian has 7 less than the books
      yield* books.write(993n, ["funding"])
      const start = yield* Clock.currentTimeMillis
      yield* ticks(2)
      yield* Effect.forkScoped(
        Effect.provideService(reconciling([], { statementGraceMs: graceMs }), Custodian, custodianOf(books))
      )
      yield* untilBreaks(1)
      const [first] = yield* allBreaks
      assert.deepStrictEqual([first?.units, first?.about], [7n, null])
      yield* submit(fleetTenantId, explainBreak(first?.id ?? "", "the bank sent it on Friday", "alice"))
      yield* ticks(10)
      // it comes, with the date of Friday; and the custodian books another withdrawal twice
      const { id: about } = yield* order(id, -7n, { providerReference: "w" })
      yield* books.write(-7n, ["w"])
      books.lines.push({ id: "late", at: start - 10_000, currency: "BTC", units: 7n, references: [], text: "" })
      yield* books.write(-7n, ["w"])
      yield* afterGrace
      yield* ticks(300)
      const open = yield* openOnes
      assert.deepStrictEqual(
        open.map((one) => [one.units, one.about?.id, one.explanation]),
        [[7n, about, null]]
      )
      assert.include(events, "reconciliation.alarm")
    }).pipe(Effect.provide([oneProcess(), told(events)]))
  })
})

describe("a bank that tells nothing", () => {
  const start = Effect.gen(function* () {
    yield* begin
    const { id } = yield* newTenant()
    yield* (yield* Writer).submit(id, adjustFloat({ amount: of(50n, "EUR"), against: "bank", reason: "funded" }))
    const { provider } = makeFakeFiat(nothingOrdered, "bridge")
    yield* Effect.forkScoped(
      Effect.provideService(reconciling([], { statementGraceMs: graceMs }), FiatProvider, provider)
    )
    yield* observedAgain(bridge, "EUR")
    return id
  })

  const statement = (from: number, to: number) => ({
    place: bridge,
    id: "2023-11",
    currencies: ["EUR"],
    from,
    to,
    parts: 2,
    digest: "d"
  })

  const line = (id: string, at: number, units: bigint): ToldLine & { readonly about: null } => ({
    id,
    at,
    currency: "EUR",
    units,
    references: [],
    text: "",
    about: null
  })

  it.effect("is compared with a statement that was imported, once all of it is there, and alarms", () => {
    const events: Array<string> = []
    return Effect.gen(function* () {
      yield* start
      const { submit } = yield* Writer
      const now = yield* Clock.currentTimeMillis
      const header = statement(now - 86_400_000, now + 3_600_000)
      const booked = now - 5_000
      yield* submit(fleetTenantId, recordPart(header, { index: 0, lines: [line("1", booked, 50n)] }, "alice"))
      yield* ticks(120)
      assert.deepStrictEqual(yield* allBreaks, [])
      yield* submit(fleetTenantId, recordPart(header, { index: 1, lines: [line("2", booked, -7n)] }, "alice"))
      yield* untilBreaks(1)
      assert.deepStrictEqual(
        (yield* allBreaks).map(({ about, currency, units }) => [currency, units, about]),
        [["EUR", 7n, { kind: "statement_line", id: "2" }]]
      )
      yield* until(
        "it is an alarm",
        Effect.sync(() => events.includes("reconciliation.alarm"))
      )
      assert.strictEqual((yield* observationOf(bridge, "EUR"))?.observation, "unsupported")
    }).pipe(Effect.provide([oneProcess(), told(events)]))
  })

  it.effect("says what is missing on a statement of the time, and nothing of another time", () =>
    Effect.gen(function* () {
      const id = yield* start
      const { submit } = yield* Writer
      const now = yield* Clock.currentTimeMillis
      yield* submit(id, adjustFloat({ amount: of(-8n, "EUR"), against: "bank", reason: "never happened" }))
      yield* afterGrace
      // the funding was before it: nothing is said of that
      const header = { ...statement(now, now + 3_600_000), parts: 1 }
      yield* submit(fleetTenantId, recordPart(header, { index: 0, lines: [] }, "alice"))
      yield* untilBreaks(1)
      assert.deepStrictEqual(
        (yield* shownBreaks).map(({ currency, place, units }) => [place, currency, units]),
        [[bridge, "EUR", -8n]]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is missing a booking for good: a later statement that does not touch the first one explains nothing", () =>
    Effect.gen(function* () {
      const id = yield* start
      const { submit } = yield* Writer
      const now = yield* Clock.currentTimeMillis
      // credited on Friday, and the bank never got it
      yield* submit(id, adjustFloat({ amount: of(8n, "EUR"), against: "bank", reason: "credited, and it never came" }))
      yield* afterGrace
      const friday = { ...statement(now, now + graceMs + 5_000), id: "friday", parts: 1 }
      yield* submit(fleetTenantId, recordPart(friday, { index: 0, lines: [] }, "alice"))
      yield* untilBreaks(1)
      yield* ticks(60)
      assert.deepStrictEqual(
        (yield* openOnes).map(({ units }) => units),
        [8n]
      )
      // banks make no statements at weekends
      const monday = { ...statement(now + graceMs + 20_000, now + 2 * graceMs + 20_000), id: "monday", parts: 1 }
      yield* submit(fleetTenantId, recordPart(monday, { index: 0, lines: [] }, "alice"))
      yield* ticks(120)
      assert.deepStrictEqual(
        (yield* openOnes).map(({ units }) => units),
        [8n]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "says what is missing shortly before the end of a statement once the next one is there, though they do not touch",
    () =>
      Effect.gen(function* () {
        const id = yield* start
        const { submit } = yield* Writer
        const now = yield* Clock.currentTimeMillis
        yield* submit(id, adjustFloat({ amount: of(-8n, "EUR"), against: "bank", reason: "never happened" }))
        yield* ticks(3)
        // it ends less than the time that the bank may take after the booking
        const friday = { ...statement(now - 86_400_000, now + graceMs / 2), id: "friday", parts: 1 }
        yield* submit(fleetTenantId, recordPart(friday, { index: 0, lines: [line("1", now - 5_000, 50n)] }, "alice"))
        yield* ticks(60)
        const monday = { ...statement(now + graceMs, now + 10_800_000), id: "monday", parts: 1 }
        yield* submit(fleetTenantId, recordPart(monday, { index: 0, lines: [] }, "alice"))
        yield* ticks(200)
        assert.deepStrictEqual(
          (yield* openOnes).map(({ units }) => units),
          [-8n]
        )
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is compared with no part of a statement before all of it is there, though another is whole", () =>
    Effect.gen(function* () {
      const id = yield* start
      const { submit } = yield* Writer
      const now = yield* Clock.currentTimeMillis
      // booked, and the bank never did it
      const made = yield* submit(id, adjustFloat({ amount: of(-8n, "EUR"), against: "bank", reason: "never happened" }))
      yield* afterGrace
      const whole = { ...statement(now, now + 3_600_000), id: "whole", parts: 1 }
      yield* submit(fleetTenantId, recordPart(whole, { index: 0, lines: [] }, "alice"))
      yield* untilBreaks(1)
      yield* ticks(60)
      assert.deepStrictEqual(
        (yield* openOnes).map(({ units }) => units),
        [-8n]
      )
      // the first of two parts of another, which never becomes whole
      const half = { ...statement(now, now + 3_600_000), id: "half", parts: 2 }
      const about = { operationId: made.id, tenantId: id }
      yield* submit(
        fleetTenantId,
        recordPart(half, { index: 0, lines: [{ ...line("x", now + 1_000, -8n), about }] }, "alice")
      )
      yield* ticks(120)
      assert.deepStrictEqual(
        (yield* openOnes).map(({ units }) => units),
        [-8n]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("alarms of no line of a part before all of its statement is there, though another is whole", () =>
    Effect.gen(function* () {
      yield* start
      const { submit } = yield* Writer
      const now = yield* Clock.currentTimeMillis
      const whole = { ...statement(now, now + 3_600_000), id: "whole", parts: 1 }
      yield* submit(fleetTenantId, recordPart(whole, { index: 0, lines: [] }, "alice"))
      const half = { ...statement(now, now + 3_600_000), id: "half", parts: 2 }
      yield* submit(fleetTenantId, recordPart(half, { index: 0, lines: [line("x", now + 1_000, -9n)] }, "alice"))
      yield* ticks(200)
      assert.deepStrictEqual(
        (yield* openOnes).map(({ units }) => units),
        []
      )
    }).pipe(Effect.provide(oneProcess()))
  )
})
