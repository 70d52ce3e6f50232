import type { Timestamp } from "@bursar/core/base/Timestamp"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { judgeLine, judgeOperation } from "@bursar/core/reconciliation/statement/judgeStatement"
import { booksOf, claimsOf, nameLines, namesIn } from "@bursar/core/reconciliation/statement/nameLines"
import { assignLines, noteChecked, recordPart, recordTold } from "@bursar/core/reconciliation/statement/recordLines"
import type { NamedLine } from "@bursar/core/reconciliation/statement/sortLines"
import { recordVerdicts } from "@bursar/core/reconciliation/statement/recordVerdicts"
import {
  comparableInAll,
  interfaceStatement,
  isAbout,
  isWhole,
  Statement,
  statementKey,
  toldFrom,
  uncompared,
  type StatementHeader
} from "@bursar/core/reconciliation/statement/Statement"
import {
  type AboutOperation,
  idInStatement,
  isTold,
  lineKey,
  linesAbout,
  StatementLine,
  unassignedLines
} from "@bursar/core/reconciliation/statement/StatementLine"
import { type Compared, type StatementBooks, Statements } from "@bursar/core/reconciliation/statement/Statements"
import { ReconciliationBreak, type Candidate } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { putRecord } from "@bursar/core/engine/Records"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { refusalOf, store, submit } from "../transfer/world.ts"

const place = "bank:bridge"
const tenantId = TenantId("t1")
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const about: AboutOperation = { operationId: "op-1", tenantId }

const line = (id: string, more: Partial<NamedLine> = {}): NamedLine => ({
  id,
  at: 10,
  currency: "EUR",
  units: 40n,
  references: [],
  text: "",
  about: null,
  ...more
})

const header: StatementHeader = {
  place,
  id: "november",
  currencies: null,
  from: 0,
  to: 100,
  parts: 2,
  digest: "d"
}

const part = (index: number, lines: ReadonlyArray<NamedLine>, more: Partial<StatementHeader> = {}) =>
  recordPart({ ...header, ...more }, { index, lines }, "alice")

const lineOf = (id: string) =>
  Effect.flatMap(Queries, (queries) => queries.record(fleetTenantId, StatementLine, lineKey(place, id)))

const statementOf = (id: string) =>
  Effect.flatMap(Queries, (queries) => queries.record(fleetTenantId, Statement, statementKey(place, id)))

const linesIn = (group: string) =>
  Effect.flatMap(Queries, (queries) => queries.records(fleetTenantId, StatementLine, group)).pipe(
    Effect.map((all) => all.map(({ id }) => id))
  )

describe("a statement that is imported", () => {
  it.effect("comes in parts, each kept once, and is whole when all are there", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(5_000)
      const first = yield* submit(fleetTenantId, part(0, [line("1"), line("2", { about })]))
      assert.deepStrictEqual(first.statement, {
        ...header,
        received: [0],
        checkedTo: 0,
        by: "alice",
        at: 5_000
      })
      assert.deepStrictEqual([first.added, first.known, first.changed], [2, 0, []])
      assert.isFalse(isWhole(first.statement))
      assert.deepStrictEqual(yield* lineOf("1"), { ...line("1"), place, statement: "november", alsoIn: [] })
      assert.deepStrictEqual(yield* linesIn(unassignedLines(place)), ["1"])
      assert.deepStrictEqual(yield* linesIn(linesAbout(place, "op-1")), ["2"])
      yield* TestClock.setTime(6_000)
      const again = yield* submit(fleetTenantId, part(0, [line("1"), line("2")]))
      assert.deepStrictEqual([again.added, again.known, again.statement], [0, 2, first.statement])
      assert.deepStrictEqual((yield* lineOf("2"))?.about, about, "what is known of a line stays")
      const whole = yield* submit(fleetTenantId, part(1, [line("3")]))
      assert.isTrue(isWhole(whole.statement))
      assert.deepStrictEqual(yield* statementOf("november"), whole.statement)
    }).pipe(Effect.provide(store))
  )

  it.effect("tells also what another one has told first", () =>
    Effect.gen(function* () {
      const told = Effect.map(lineOf("1"), (kept) => [kept?.statement, kept?.alsoIn, kept?.about])
      yield* submit(fleetTenantId, part(0, [line("1", { about })]))
      const other = { id: "december", parts: 1 }
      const { added, known } = yield* submit(fleetTenantId, part(0, [line("1"), line("2")], other))
      assert.deepStrictEqual([added, known], [1, 1])
      assert.deepStrictEqual(yield* told, ["november", ["december"], about])
      yield* submit(fleetTenantId, recordTold(place, { from: 0, to: 9, lines: [line("1"), line("2", { units: 3n })] }))
      yield* submit(fleetTenantId, recordTold(place, { from: 0, to: 9, lines: [line("1")] }))
      assert.deepStrictEqual(yield* told, ["november", ["december", interfaceStatement], about])
      assert.deepStrictEqual((yield* lineOf("2"))?.alsoIn, [], "the interface tells another one")
      const isTold1 = (...whole: ReadonlyArray<string>) =>
        isTold({ ...line("1"), place, statement: "a", alsoIn: ["b"] }, new Set(whole))
      assert.deepStrictEqual([isTold1(), isTold1("c"), isTold1("a"), isTold1("b", "c")], [false, false, true, true])
    }).pipe(Effect.provide(store))
  )

  it.effect("has lines of its own ids, and knows those that versions before kept under them", () =>
    Effect.gen(function* () {
      const own = (statement: string, id: string) => line(idInStatement(statement, id), { formerId: id })
      // as versions before kept it
      yield* submit(fleetTenantId, part(0, [line("1")], { parts: 1 }))
      const again = yield* submit(fleetTenantId, part(0, [own("november", "1")], { parts: 1 }))
      assert.deepStrictEqual([again.added, again.known, again.changed], [0, 1, []])
      const other = { id: "december", parts: 1 }
      const december = yield* submit(fleetTenantId, part(0, [own("december", "1")], other))
      assert.deepStrictEqual([december.added, december.known], [1, 0])
      assert.deepStrictEqual((yield* submit(fleetTenantId, part(0, [own("december", "1")], other))).known, 1)
      assert.deepStrictEqual((yield* lineOf("1"))?.alsoIn, [])
      assert.deepStrictEqual(yield* lineOf("december:1"), {
        ...line("december:1"),
        place,
        statement: "december",
        alsoIn: []
      })
      // another amount under the same number is another line, and no conflict
      const january = part(0, [{ ...own("january", "1"), units: 7n }], { id: "january", parts: 1 })
      assert.strictEqual((yield* submit(fleetTenantId, january)).added, 1)
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused under the name of another, and where it tells a known line otherwise", () =>
    Effect.gen(function* () {
      yield* submit(fleetTenantId, part(0, [line("1")]))
      for (const more of [{ digest: "other" }, { parts: 3 }, { from: 1 }, { to: 101 }, { currencies: ["EUR"] }])
        assert.strictEqual(
          yield* refusalOf(fleetTenantId, part(1, [], more)),
          "state_conflict",
          JSON.stringify(Object.keys(more))
        )
      for (const more of [{ units: 41n }, { currency: "USD" }, { at: 10 + dayMs }])
        assert.strictEqual(
          yield* refusalOf(fleetTenantId, part(0, [line("2"), line("1", more)], { id: "december" })),
          "state_conflict",
          JSON.stringify(Object.keys(more))
        )
      assert.isUndefined(yield* lineOf("2"))
      assert.isUndefined(yield* statementOf("december"))
      assert.strictEqual(yield* refusalOf(fleetTenantId, part(0, [line("1"), line("2")])), "state_conflict")
      assert.strictEqual(yield* refusalOf(fleetTenantId, part(0, [], { id: interfaceStatement })), "invalid_request")
      // of another place the same ids are other lines
      assert.isNull(yield* refusalOf(fleetTenantId, part(0, [line("1", { units: 1n })], { place: "bank:other" })))
    }).pipe(Effect.provide(store))
  )

  it.effect("tells a known line some hours off: a bank's day begins at another hour once its clocks change", () =>
    Effect.gen(function* () {
      yield* submit(fleetTenantId, part(0, [line("1", { at: 4 * hourMs })]))
      const week = part(0, [line("1", { at: 5 * hourMs })], { id: "week", parts: 1 })
      const { added, known } = yield* submit(fleetTenantId, week)
      assert.deepStrictEqual([added, known], [0, 1])
      const { alsoIn, at } = (yield* lineOf("1")) ?? assert.fail("it is kept")
      assert.deepStrictEqual([at, alsoIn], [4 * hourMs, ["week"]])
    }).pipe(Effect.provide(store))
  )

  it.effect("is about the same currencies in all of its parts, in whatever order they are named", () =>
    Effect.gen(function* () {
      const about = (index: number, ...currencies: ReadonlyArray<string>) => part(index, [], { currencies })
      yield* submit(fleetTenantId, about(0, "EUR", "USD"))
      for (const other of [["EUR"], ["EUR", "GBP"], ["EUR", "USD", "GBP"]])
        assert.strictEqual(yield* refusalOf(fleetTenantId, about(1, ...other)), "state_conflict", other.join())
      assert.isTrue(isWhole((yield* submit(fleetTenantId, about(1, "USD", "EUR"))).statement))
    }).pipe(Effect.provide(store))
  )

  it.effect("is compared only when it is whole, and never back", () =>
    Effect.gen(function* () {
      yield* submit(fleetTenantId, part(0, []))
      const checked = (to: Timestamp, id = "november") => noteChecked(place, id, to)
      assert.strictEqual(yield* refusalOf(fleetTenantId, checked(50)), "not_found", "a part is missing")
      assert.strictEqual(yield* refusalOf(fleetTenantId, checked(50, "december")), "not_found")
      yield* submit(fleetTenantId, part(1, []))
      for (const [to, checkedTo] of [
        [50, 50],
        [40, 50],
        [60, 60]
      ] as const) {
        const noted = yield* submit(fleetTenantId, checked(to))
        assert.deepStrictEqual([noted.checkedTo, yield* statementOf("november")], [checkedTo, noted])
      }
    }).pipe(Effect.provide(store))
  )

  /** Imported long after its time. */
  const one: Statement = { ...header, received: [], checkedTo: 0, by: "alice", at: Number.MAX_SAFE_INTEGER }
  const period = (from: number, to: number, more: Partial<Statement> = {}): Statement => ({
    ...one,
    from,
    to,
    checkedTo: from,
    ...more
  })

  it("is about some currencies or all", () => {
    const about = (currencies: ReadonlyArray<string> | null, ...holding: ReadonlyArray<string>) =>
      isAbout({ ...one, currencies }, new Set(holding))
    assert.deepStrictEqual(
      [about(null, "EUR"), about(["EUR", "USD"], "USD"), about(["EUR"], "USD")],
      [true, true, false]
    )
  })

  it("tells from the first one on, whatever gaps there are", () => {
    assert.strictEqual(toldFrom([period(100, 200)]), 100)
    assert.strictEqual(toldFrom([period(100, 200), period(10, 20), period(300, 400)]), 10)
  })

  it("is compared up to its end once a later one is there, and shortly before that while there is none", () => {
    const last = period(100, 200)
    const to = (...others: ReadonlyArray<Statement>) => uncompared(last, [...others, last], 10).to
    assert.strictEqual(to(), 190)
    assert.strictEqual(to(period(0, 100)), 190)
    assert.strictEqual(to(period(200, 205)), 195)
    assert.strictEqual(to(period(500, 600)), 200)
    const inAll = (currencies: ReadonlyArray<string> | null, later: ReadonlyArray<string> | null) =>
      comparableInAll({ ...last, currencies }, [period(200, 300, { currencies: later })], 10)
    assert.deepStrictEqual(
      [inAll(["EUR"], null), inAll(["EUR"], ["EUR", "USD"]), inAll(["EUR", "USD"], ["EUR"]), inAll(null, ["EUR"])],
      [200, 200, 190, 190]
    )
    assert.strictEqual(inAll(null, null), 200)
  })

  it("ends with its import, where that was before its end: it was made when nobody knew of what came later", () => {
    const to = (last: Statement, ...others: ReadonlyArray<Statement>) =>
      [uncompared, comparableInAll].map((until) => {
        const found = until(last, [...others, last], 10)
        return typeof found === "number" ? found : found.to
      })
    const early = period(100, 200, { at: 150 })
    assert.deepStrictEqual(to(early), [140, 140])
    assert.deepStrictEqual(to(early, period(200, 300)), [150, 150])
    assert.deepStrictEqual(to(period(100, 200), period(200, 300, { at: 205 })), [195, 195])
  })

  const day = 86_400_000
  const days = (from: number, to: number, checkedTo = from) =>
    period(from * day, to * day, { checkedTo: checkedTo * day })
  const comparedFrom = (last: Statement, others: ReadonlyArray<Statement>) =>
    uncompared(last, [...others, last], 10).from / day

  it("is compared from where it was not yet; the first time from the end of the one before, where none is missing between", () => {
    const last = days(100, 200)
    const from = (...others: ReadonlyArray<Statement>) => comparedFrom(last, others)
    assert.strictEqual(from(), 100)
    assert.strictEqual(from(days(50, 98, 98), days(0, 40)), 98)
    assert.strictEqual(from(days(50, 93)), 93)
    assert.strictEqual(from(days(50, 92)), 100, "one is missing")
    assert.strictEqual(from(days(50, 100)), 100)
    assert.strictEqual(from(days(50, 150)), 100)
    assert.strictEqual(from(days(150, 300)), 100)
    assert.strictEqual(comparedFrom(days(100, 200, 120), [days(50, 98, 98)]), 120)
  })

  it("is compared anew once an older one comes that it follows", () => {
    const last = days(100, 200, 120)
    assert.strictEqual(comparedFrom(last, [days(50, 98)]), 98, "the days between them, too")
    assert.strictEqual(comparedFrom(last, [days(50, 150)]), 100)
    assert.strictEqual(comparedFrom(last, [days(50, 98), days(60, 99, 99)]), 99)
    assert.strictEqual(comparedFrom(last, [days(50, 92), days(0, 9, 9)]), 120, "one is missing")
    assert.strictEqual(comparedFrom(last, [days(50, 98, 51)]), 120, "it was there already")
    assert.strictEqual(comparedFrom(last, [days(150, 300)]), 120)
  })

  it("is compared from the import of one before that ended in the future, where none is missing since", () => {
    const early = (at: number, checkedTo: number) => ({ ...days(50, 98, checkedTo), at: at * day })
    assert.strictEqual(comparedFrom(days(100, 200), [early(93, 92)]), 93)
    assert.strictEqual(comparedFrom(days(100, 200), [early(92, 91)]), 100, "one is missing")
    assert.strictEqual(comparedFrom(days(100, 200, 120), [early(93, 50)]), 93)
    assert.strictEqual(comparedFrom(days(100, 200, 120), [early(92, 50), days(0, 9, 9)]), 120, "one is missing")
  })

  it("is compared anew, however much later it begins, once one comes that is older than all", () => {
    const last = days(100, 200, 120)
    assert.strictEqual(comparedFrom(last, [days(10, 20)]), 100)
    assert.strictEqual(comparedFrom(last, [days(10, 20), days(20, 98, 98)]), 98, "the days before it, too")
    assert.strictEqual(comparedFrom(last, [days(10, 20, 19)]), 120, "it was there already")
    assert.strictEqual(comparedFrom(last, [days(10, 20), days(0, 9, 9)]), 120, "another one is older")
  })

  it.each([
    ["in their order", [0, 1, 2]],
    ["the newest first", [2, 1, 0]],
    ["the one in the middle last", [0, 2, 1]],
    ["the oldest last", [1, 2, 0]]
  ] as const)("leaves no day out beside others, imported %s", (_, order) => {
    const months = [days(0, 28), days(31, 58), days(60, 90)]
    const seen: Array<{ readonly from: Timestamp; readonly to: Timestamp }> = []
    let there: ReadonlyArray<Statement> = []
    for (const at of order) {
      there = there.concat(months.slice(at, at + 1))
      const found = there.map((month) => uncompared(month, there, day))
      seen.push(...found)
      there = there.map((month) => ({
        ...month,
        checkedTo: Math.max(month.checkedTo, comparableInAll(month, there, day))
      }))
    }
    const left = Array.from({ length: 89 }, (__, at) => at).filter(
      (at) => !seen.some(({ from, to }) => from <= at * day && at * day < to)
    )
    assert.deepStrictEqual(left, [])
  })
})

describe("what a provider's interface tells", () => {
  const tell = (from: number, to: number, ...lines: ReadonlyArray<NamedLine>) =>
    submit(fleetTenantId, recordTold(place, { from, to, lines }))

  it.effect("is one statement that grows, and a line that it tells otherwise stays as it was", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(5_000)
      assert.deepStrictEqual(yield* tell(10, 20, line("1"), line("2")), { added: 2, known: 0, changed: [] })
      const first = {
        place,
        id: interfaceStatement,
        currencies: null,
        from: 10,
        to: 20,
        parts: 1,
        digest: "",
        received: [0],
        checkedTo: 10,
        by: interfaceStatement,
        at: 5_000
      }
      assert.deepStrictEqual(yield* statementOf(interfaceStatement), first)
      assert.strictEqual((yield* lineOf("1"))?.statement, interfaceStatement)
      yield* TestClock.setTime(6_000)
      const changed = yield* tell(15, 30, line("1"), line("2", { units: 9n }), line("3"))
      assert.deepStrictEqual(changed, { added: 1, known: 1, changed: ["2"] })
      assert.strictEqual((yield* lineOf("2"))?.units, 40n)
      assert.deepStrictEqual(yield* statementOf(interfaceStatement), { ...first, to: 30, at: 6_000 })
      yield* tell(15, 25)
      assert.strictEqual((yield* statementOf(interfaceStatement))?.to, 30)
    }).pipe(Effect.provide(store))
  )

  it.effect("is about the operation that was found first", () =>
    Effect.gen(function* () {
      yield* tell(0, 9, line("1"), line("2", { about }))
      const other = { operationId: "op-2", tenantId }
      const assigned = ["1", "2", "nothing"].map((lineId) => ({ lineId, about: other }))
      assert.strictEqual(yield* submit(fleetTenantId, assignLines(place, assigned)), 1)
      assert.deepStrictEqual([(yield* lineOf("1"))?.about, (yield* lineOf("2"))?.about], [other, about])
    }).pipe(Effect.provide(store))
  )
})

describe("what a line names", () => {
  const id = "0190d5a2-1c3e-7b4f-8a6d-2f1e3c4b5a69"
  const other = "0190d5a2-1c3e-7b4f-8a6d-2f1e3c4b5a70"

  it("is what it refers to, and ids of ours in its words, as they are stored", () => {
    const bare = id.replaceAll("-", "").toUpperCase()
    const names = namesIn({ references: ["ref-1", `PAYOUT ${bare}`], text: `to ${other} thanks` })
    assert.sameMembers([...names], ["ref-1", `PAYOUT ${bare}`, id, other])
    assert.deepStrictEqual(namesIn({ references: [], text: "nothing" }), [])
    assert.deepStrictEqual(namesIn({ references: [id, id], text: id }), [id])
  })

  const [books] = booksOf("bank", [{ name: "bridge", environment: "LIVE" }])

  const naming = (lines: ReadonlyArray<NamedLine>, known: ReadonlyMap<string, AboutOperation>) => {
    const asked: Array<ReadonlyArray<string>> = []
    const statements = Statements.of({
      named: (_books: StatementBooks, names: ReadonlyArray<string>) => {
        asked.push(names)
        return Effect.succeed(known)
      },
      touched: () => Effect.succeed([]),
      compared: () => Effect.succeed([]),
      unshown: () => Effect.succeed([])
    })
    if (books === undefined) return assert.fail("there is one bank")
    return Effect.all([nameLines(books, lines), claimsOf(books, lines)]).pipe(
      Effect.provideService(Statements, statements),
      Effect.map(([named, claims]) => ({
        asked,
        abouts: named.map((one) => one.about?.operationId ?? null),
        claims: lines.map((one) => claims.get(one.id)?.map(({ operationId }) => operationId) ?? [])
      }))
    )
  }

  it.effect(
    "is what it claims: it is about an order for certain only where the provider calls it by that order's id",
    () =>
      Effect.gen(function* () {
        const known = new Map([
          [id, about],
          ["ref-1", about],
          [other, { operationId: "op-2", tenantId }]
        ])
        const lines = [
          line("1", { references: ["ref-1"], text: id }),
          line("2", { references: [id, other] }),
          line("3", { references: ["nobody"], about }),
          line("ref-1", { references: ["nobody", other] })
        ]
        const { abouts, asked, claims } = yield* naming(lines, known)
        assert.deepStrictEqual(abouts, [null, null, null, "op-1"])
        assert.deepStrictEqual(claims, [["op-1"], ["op-1", "op-2"], [], ["op-2"]])
        assert.deepStrictEqual(
          asked.map((names) => names.toSorted()),
          [["1", "2", "3", "ref-1"], [id, other, "nobody", "ref-1"].toSorted()]
        )
      })
  )

  it.effect("is not asked where no line names anything", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* naming([line("1")], new Map()), { asked: [["1"]], abouts: [null], claims: [[]] })
      assert.deepStrictEqual((yield* naming([], new Map())).asked, [])
    })
  )

  it("is looked for in the books of its provider; adjustments are of the one that takes new orders", () => {
    const all = booksOf("custodian", [
      { name: "new", environment: "LIVE" },
      { name: "play", environment: "SANDBOX" },
      { name: "old", environment: "LIVE" }
    ])
    assert.deepStrictEqual(
      all.map(({ account, environment, place: where, provider, withAdjustments }) => [
        account,
        environment,
        where,
        provider,
        withAdjustments
      ]),
      [
        ["custodian", "LIVE", "custodian:new", "new", true],
        ["custodian", "SANDBOX", "custodian:play", "play", true],
        ["custodian", "LIVE", "custodian:old", "old", false]
      ]
    )
  })
})

describe("what a statement shows", () => {
  const compared: Compared = {
    ...about,
    createdAt: 50,
    isOver: true,
    booked: -40n,
    bookedIn: 0n,
    bookedSince: -40n,
    correctedSince: 0n,
    bookedAt: 60,
    shown: -40n,
    shownIn: 0n
  }
  const units = (more: Partial<Compared>, toldFrom = 10) => judgeOperation({ ...compared, ...more }, toldFrom)?.units

  it("of an operation that is over is what its bookings and its lines come to", () => {
    assert.deepStrictEqual(judgeOperation(compared, 10), {
      about: { kind: "operation", id: "op-1", tenantId },
      units: 0n,
      since: 50,
      candidates: []
    })
    const wrong = judgeOperation({ ...compared, shown: -80n }, 10)
    assert.deepInclude(wrong, { units: 40n, since: 50 })
    assert.deepStrictEqual(
      wrong?.candidates.map(({ at, id, kind }) => [kind, id, at]),
      [["operation", "op-1", 50]]
    )
    assert.strictEqual(units({ shown: 0n }), -40n)
    assert.isUndefined(units({ shown: 0n, isOver: false }))
  })

  it("of an operation is, too, what lines say that nothing else explains, beside what is excused", () => {
    const said = (sum: bigint, more: Partial<Compared> = {}, toldFrom = 10) =>
      judgeOperation({ ...compared, ...more }, toldFrom, sum)?.units
    assert.strictEqual(said(40n), -40n)
    assert.strictEqual(said(-40n), 40n)
    assert.strictEqual(said(40n, { shown: -80n }), 0n)
    assert.strictEqual(said(5n, { shown: 0n }, 51), -5n, "it makes nothing missing of what is excused")
  })

  it("of one that began before the first statement may be a part, or nothing", () => {
    assert.strictEqual(units({ bookedSince: -15n, shown: -15n }, 51), 0n)
    assert.strictEqual(units({ bookedSince: -15n, shown: -15n }, 50), -25n)
    assert.strictEqual(units({ bookedSince: -15n, shown: 0n }, 51), 0n)
    assert.strictEqual(units({ bookedSince: -15n, shown: -16n }, 51), -24n)
    // that it is old excuses no correction: naming it would hide what is taken
    const corrected = { booked: -10n, bookedSince: 30n, correctedSince: 30n }
    assert.strictEqual(units({ ...corrected, shown: 0n }, 51), -10n)
    assert.strictEqual(units({ ...corrected, shown: 30n }, 51), 0n, "what has come back")
  })

  it("of a line that is about nothing is what the books lack", () => {
    const candidates: ReadonlyArray<Candidate> = [
      { kind: "operation", id: "op-9", tenantId: "t", at: 1, reason: "it may be" }
    ]
    assert.deepStrictEqual(judgeLine({ ...line("1"), about: null }, 100n, candidates), {
      about: { kind: "statement_line", id: "1" },
      units: -4_000n,
      since: 10,
      candidates
    })
    assert.strictEqual(judgeLine({ ...line("1"), about }, 100n, []).units, 0n)
  })
})

describe("the breaks of a statement", () => {
  const ofLine = (id: string, units: bigint) => ({
    about: { kind: "statement_line", id } as const,
    units,
    since: 10,
    candidates: []
  })
  const ofOperation = (units: bigint) => ({
    ...ofLine("1", units),
    about: { kind: "operation", id: "1", tenantId } as const
  })

  const record = (...verdicts: Parameters<typeof recordVerdicts>[2]) =>
    submit(fleetTenantId, recordVerdicts(place, "EUR", verdicts))

  const open = Effect.map(
    Effect.flatMap(Queries, (queries) => queries.records(fleetTenantId, ReconciliationBreak, `${place}|EUR`)),
    (all) => all.map(({ about: what, units }) => [what?.kind, what?.id, units])
  )

  it.effect("are opened for what does not agree, each once, and closed where it does by now", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(7_000)
      const { closed, opened } = yield* record(ofLine("1", 5n), ofOperation(7n), ofLine("2", 0n))
      assert.deepStrictEqual(closed, [])
      assert.deepStrictEqual(
        opened.map(({ id: _id, ...one }) => one),
        [ofLine("1", 5n), ofOperation(7n)].map((verdict) => ({
          ...verdict,
          place,
          currency: "EUR",
          sinceBlock: null,
          explanation: null,
          alarmedAt: null,
          toldAt: null,
          closedAt: null
        }))
      )
      assert.deepStrictEqual(yield* record(ofLine("1", 5n), ofOperation(7n)), { opened: [], closed: [] })
      const later = yield* record(ofLine("1", 0n), ofOperation(8n))
      assert.deepStrictEqual(
        [later.closed, later.opened].map((some) => some.map(({ closedAt, units }) => [units, closedAt])),
        [
          [
            [5n, 7_000],
            [7n, 7_000]
          ],
          [[8n, null]]
        ]
      )
      assert.deepStrictEqual(yield* open, [["operation", "1", 8n]])
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "of one operation are one where currencies that had one each have joined, and none where they make up for each other",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(7_000)
        const { opened } = yield* record(ofOperation(7n))
        const carry = (units: bigint) =>
          submit(
            fleetTenantId,
            writing(() =>
              opened.map((one) => putRecord(ReconciliationBreak, { ...one, id: `carried ${units}`, units }))
            )
          )
        yield* carry(5n)
        assert.deepStrictEqual(yield* record(ofOperation(12n)), { opened: [], closed: [] })
        yield* record(ofOperation(4n))
        assert.deepStrictEqual(yield* open, [["operation", "1", 4n]])
        yield* carry(-4n)
        yield* record(ofOperation(0n))
        assert.deepStrictEqual(yield* open, [])
      }).pipe(Effect.provide(store))
  )

  it.effect(
    "take over a break of the same amount that was found by what the place holds and nobody has explained, once",
    () =>
      Effect.gen(function* () {
        const held = {
          id: "held",
          place,
          currency: "EUR",
          units: 5n,
          since: 1,
          sinceBlock: null,
          candidates: [],
          about: null,
          explanation: null,
          alarmedAt: 3,
          toldAt: null,
          closedAt: null
        }
        yield* submit(
          fleetTenantId,
          writing(() => [putRecord(ReconciliationBreak, held)])
        )
        const candidates = [{ kind: "operation", id: "op-9", tenantId: "t", at: 1, reason: "it may be" } as const]
        const { opened } = yield* record(ofLine("0", 6n), { ...ofLine("1", 5n), candidates }, ofLine("2", 5n))
        assert.deepStrictEqual(
          opened.map(({ about: what }) => what?.id),
          ["0", "2"]
        )
        const adopted = yield* (yield* Queries).record(fleetTenantId, ReconciliationBreak, "held")
        assert.deepStrictEqual(adopted, { ...held, about: { kind: "statement_line", id: "1" }, candidates })
        const explained = { ...held, id: "explained", explanation: { by: "alice", note: "a fee", at: 2 } }
        yield* submit(
          fleetTenantId,
          writing(() => [putRecord(ReconciliationBreak, explained)])
        )
        const more = yield* record(ofLine("3", 5n))
        assert.deepStrictEqual(
          more.opened.map(({ about: what, explanation }) => [what?.id, explanation]),
          [["3", null]]
        )
        assert.deepStrictEqual(
          yield* (yield* Queries).record(fleetTenantId, ReconciliationBreak, "explained"),
          explained
        )
      }).pipe(Effect.provide(store))
  )
})
