import { fleetTenantId } from "@bursar/core/grant/Grant"
import { recordPart } from "@bursar/core/reconciliation/statement/recordLines"
import type { NamedLine } from "@bursar/core/reconciliation/statement/sortLines"
import {
  earlierAmongSame,
  laterAmongSame,
  StatementLine,
  unassignedLines
} from "@bursar/core/reconciliation/statement/StatementLine"
import { Queries } from "@bursar/core/store/Queries"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { store, submit } from "../transfer/world.ts"

const place = "bank:bridge"
const [hourMs, dayMs] = [3_600_000, 86_400_000]

const line = (
  id: string,
  units: bigint,
  at: number,
  entry?: { readonly id: string; readonly units: bigint }
): NamedLine => ({
  id,
  at,
  currency: "EUR",
  units,
  references: [],
  text: "",
  about: null,
  ...(entry && { entry: { ...entry, currency: "EUR" } })
})

type Told = readonly [id: string, lines: ReadonlyArray<NamedLine>, days: readonly [from: number, to: number]]

const importing = Effect.fnUntraced(function* (statements: ReadonlyArray<Told>) {
  const became: Array<number | string> = []
  const done = new Map<string, number>()
  for (const [id, lines, [from, to]] of statements) {
    const parts = statements.filter((one) => one[0] === id).length
    const index = done.get(id) ?? 0
    done.set(id, index + 1)
    const header = { place, id, currencies: null, from, to, parts, digest: "d" }
    const reply = submit(fleetTenantId, recordPart(header, { index, lines }, "alice"))
    became.push(yield* Effect.match(reply, { onFailure: ({ message }) => message, onSuccess: ({ added }) => added }))
  }
  const { records } = yield* Queries
  const kept = yield* records(fleetTenantId, StatementLine, unassignedLines(place))
  return { became, total: kept.reduce((sum, { units }) => sum + units, 0n) }
})

/** Imports statements one after another, and says what became of each and what all that is kept comes to. */
const imported = (...statements: ReadonlyArray<Told>) => Effect.provide(importing(statements), store)

const changed = (id: string) => `Line ${id} of bank:bridge is known with another amount, currency or day.`

const batch = { id: "A", units: -100n }
/** A batch by its transactions, on the first day or a bit off it. */
const batchAt = (at: number) => [line("A/1", -40n, at, batch), line("A/2", -60n, at, batch)]
const firstDay: Told = ["day", batchAt(0), [0, dayMs]]

describe("a later entry of one reference", () => {
  const returned = { id: "A#2", units: 90n }
  const month: Told = [
    "month",
    [...batchAt(0), line("A/1#2", 40n, 2 * dayMs, returned), line("A/2#2", 50n, 2 * dayMs, returned)],
    [0, 30 * dayMs]
  ]
  const thirdDay: Told = ["third", [line("A", 90n, 2 * dayMs)], [2 * dayMs, 3 * dayMs]]

  for (const days of [
    [firstDay, thirdDay],
    [thirdDay, firstDay]
  ])
    it.effect(`is refused by its transactions where its day has told it as one line (${days[0]?.[0]} first)`, () =>
      Effect.gen(function* () {
        const { became, total } = yield* imported(...days, month)
        assert.deepStrictEqual(became.at(-1), changed("A#2"))
        assert.strictEqual(total, -10n)
      })
    )

  it.effect("is refused as one line where the month has told its transactions", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* imported(month, thirdDay), { became: [4, changed("A")], total: -10n })
    })
  )

  it.effect(
    "is known by its transactions where all entries are known as one line each, of one amount and day too",
    () =>
      Effect.gen(function* () {
        const again = { id: "A#2", units: -100n }
        const lines = [...batchAt(0), line("A/1#2", -30n, 0, again), line("A/2#2", -70n, 0, again)]
        const asLines: Told = ["day", [line("A", -100n, 0), line("A#2", -100n, 0)], [0, dayMs]]
        assert.deepStrictEqual(yield* imported(asLines, ["month", lines, [0, 30 * dayMs]]), {
          became: [2, 0],
          total: -200n
        })
      })
  )

  it.effect("is other money than what its own statement tells as one line", () =>
    Effect.gen(function* () {
      const again = { id: "A#2", units: -100n }
      const lines = [line("A", -100n, 0), ...batchAt(0)]
      assert.deepStrictEqual(
        yield* imported(["day", lines, [0, dayMs]], ["day", [line("A/1#2", -100n, 0, again)], [0, dayMs]]),
        { became: [3, 1], total: -300n }
      )
    })
  )

  it.effect("is refused as one line under a later id than that of its transactions, behind other fees", () =>
    Effect.gen(function* () {
      const [first, second] = [
        { id: "A", units: -90n },
        { id: "A#2", units: -100n }
      ]
      const week = [
        line("A/1", -40n, 0, first),
        line("A/2", -50n, 0, first),
        line("A/1#2", -30n, dayMs, second),
        line("A/2#2", -70n, dayMs, second)
      ]
      // the newest first
      const rest = [line("A", -1n, 4 * dayMs), line("A#2", -2n, 3 * dayMs), line("A#3", -100n, dayMs)]
      assert.deepStrictEqual(yield* imported(["week", week, [0, 2 * dayMs]], ["rest", rest, [dayMs, 30 * dayMs]]), {
        became: [4, changed("A#3")],
        total: -190n
      })
    })
  )

  it("is looked for under the ids before its own and the next ones, unless the number is the bank's", () => {
    assert.deepStrictEqual(earlierAmongSame("A#4"), ["A", "A#2", "A#3"])
    assert.deepStrictEqual(laterAmongSame("A#4").slice(0, 2), ["A#5", "A#6"])
    assert.deepStrictEqual(laterAmongSame("A").slice(0, 2), ["A#2", "A#3"])
    for (const id of ["A#20261130", "A#1"]) assert.deepStrictEqual(earlierAmongSame(id), ["A"])
    for (const id of ["A", "#2", "A#0", "A#2b"]) assert.deepStrictEqual(earlierAmongSame(id), [])
  })
})

describe("a batch that is told by its transactions after its fee", () => {
  const fee = line("A", -1n, 3 * dayMs)

  it.effect("is refused where who told the fee may have told it as one line, by clocks that begin the day later", () =>
    Effect.gen(function* () {
      const rest: Told = ["rest", [fee, line("A#2", -100n, dayMs)], [dayMs, 30 * dayMs]]
      const secondDay: Told = ["second", batchAt(dayMs - hourMs), [dayMs - hourMs, 2 * dayMs - hourMs]]
      assert.deepStrictEqual(yield* imported(rest, secondDay), { became: [2, changed("A")], total: -101n })
    })
  )

  it.effect("is added where who told the fee begins the day after it", () =>
    Effect.gen(function* () {
      const rest: Told = ["rest", [fee], [dayMs, 30 * dayMs]]
      assert.deepStrictEqual(yield* imported(rest, firstDay), { became: [1, 2], total: -101n })
    })
  )

  it.effect("is refused where its own statement told the fee first and another one told both in between", () =>
    Effect.gen(function* () {
      const all: Told[2] = [0, 30 * dayMs]
      const between: Told = ["between", [fee, line("A#2", -100n, 0)], all]
      assert.deepStrictEqual(yield* imported(["month", [fee], all], between, ["month", batchAt(0), all]), {
        became: [1, 1, changed("A")],
        total: -101n
      })
    })
  )
})

describe("a fee of a batch that is there by its transactions", () => {
  const fifthDay: Told = ["fifth", [line("A", -1n, 4 * dayMs)], [4 * dayMs, 5 * dayMs]]

  it.effect("is refused from its day where the month has told it after the batch as one line", () =>
    Effect.gen(function* () {
      const month: Told = ["month", [line("A", -100n, 0), line("A#2", -1n, 4 * dayMs)], [0, 30 * dayMs]]
      assert.deepStrictEqual(yield* imported(firstDay, month, fifthDay), {
        became: [2, 1, changed("A")],
        total: -101n
      })
    })
  )

  it.effect("is added from its day where who told the batch as one line ends before it", () =>
    Effect.gen(function* () {
      const week: Told = ["week", [line("A", -100n, 0)], [0, 4 * dayMs]]
      assert.deepStrictEqual(yield* imported(firstDay, week, fifthDay), { became: [2, 0, 1], total: -101n })
    })
  )
})
