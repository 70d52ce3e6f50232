import { fleetTenantId } from "@bursar/core/grant/Grant"
import { recordPart } from "@bursar/core/reconciliation/statement/recordLines"
import type { NamedLine } from "@bursar/core/reconciliation/statement/sortLines"
import { wholeOf, Statement } from "@bursar/core/reconciliation/statement/Statement"
import {
  idAmongSame,
  idOfPart,
  isTold,
  StatementLine,
  unassignedLines
} from "@bursar/core/reconciliation/statement/StatementLine"
import { Queries } from "@bursar/core/store/Queries"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { refusalOf, store } from "../transfer/world.ts"

const place = "bank:bridge"
const dayMs = 86_400_000
const days = 6

/** What the bank booked, a batch with the amounts of its transactions. */
interface Booked {
  readonly ref: string
  readonly day: number
  readonly parts: ReadonlyArray<bigint>
}

const sum = (units: ReadonlyArray<bigint>) => units.reduce((all, one) => all + one, 0n)

const booked = fc.record({
  day: fc.nat(days - 1),
  parts: fc.array(fc.constantFrom(-7n, -5n, -3n, 2n, 5n, 11n), { minLength: 1, maxLength: 3 })
})

const told = fc.record({
  from: fc.nat(days - 1),
  length: fc.integer({ min: 1, max: days }),
  inParts: fc.boolean(),
  requests: fc.integer({ min: 1, max: 3 })
})

/** The lines of a statement of some days, as `readCamt053` and `joinPages` make them. */
const linesOf = (all: ReadonlyArray<Booked>, inParts: boolean): ReadonlyArray<NamedLine> => {
  const times = new Map<string, number>()
  const next = (id: string) => {
    const nth = (times.get(id) ?? 0) + 1
    times.set(id, nth)
    return idAmongSame(id, nth)
  }
  const entryTimes = new Map<string, number>()
  const nextEntry = (id: string) => {
    const nth = (entryTimes.get(id) ?? 0) + 1
    entryTimes.set(id, nth)
    return idAmongSame(id, nth)
  }
  return all.flatMap(({ day, parts, ref }): ReadonlyArray<NamedLine> => {
    const common = { at: day * dayMs, currency: "EUR", references: [], text: "", about: null }
    const units = sum(parts)
    if (!inParts || parts.length === 1 || units === 0n) {
      if (units === 0n && !(inParts && parts.length > 1)) return []
      if (units !== 0n || !inParts) {
        nextEntry(ref)
        return [{ ...common, id: next(ref), units }]
      }
      return parts.map((one, at) => ({ ...common, id: next(idOfPart(ref, at + 1)), units: one }))
    }
    const entry = { id: nextEntry(ref), units, currency: "EUR" }
    return parts.map((one, at) => ({ ...common, id: next(idOfPart(ref, at + 1)), units: one, entry }))
  })
}

const chunks = <A>(all: ReadonlyArray<A>, count: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: count }, (_, at) => all.filter((__, index) => index % count === at))

const live = Effect.fnUntraced(function* (
  given: ReadonlyArray<Booked>,
  statements: ReadonlyArray<typeof told extends fc.Arbitrary<infer T> ? T : never>,
  order: ReadonlyArray<number>
) {
  const all = given.toSorted((one, other) => one.day - other.day)
  const requests = statements.flatMap(({ from, inParts, length, requests: count }, which) => {
    const to = Math.min(days, from + length)
    const lines = linesOf(
      all.filter(({ day }) => day >= from && day < to),
      inParts
    )
    const parts = Math.max(1, Math.min(count, lines.length))
    return chunks(lines, parts).map((some, index) => ({
      header: { place, id: `s${which}`, currencies: ["EUR"], from: from * dayMs, to: to * dayMs, parts, digest: "d" },
      part: { index, lines: some },
      rank: order[(which * 3 + index) % order.length] ?? 0
    }))
  })
  // whatever was refused is tried once more, as a person would
  for (const _ of [1, 2])
    for (const { header, part } of requests.toSorted((one, other) => one.rank - other.rank))
      yield* refusalOf(fleetTenantId, recordPart(header, part, "alice"))
  const { records } = yield* Queries
  const kept = yield* records(fleetTenantId, StatementLine, unassignedLines(place))
  const whole = wholeOf(yield* records(fleetTenantId, Statement, place))
  const covered = (day: number) =>
    statements.some(({ from, length }, which) => whole.has(`s${which}`) && day >= from && day < from + length)
  return {
    whole: whole.size,
    counted: sum(kept.filter((one) => isTold(one, whole)).map(({ units }) => units)),
    booked: sum(all.filter(({ day }) => covered(day)).map(({ parts }) => sum(parts)))
  }
})

describe("statements that overlap, in whichever forms and orders they are imported", () => {
  it("count what the bank has booked once, or are refused", () =>
    fc.assert(
      fc.asyncProperty(
        fc
          .array(booked, { minLength: 1, maxLength: 5 })
          .map((all) => all.map((one, at) => ({ ...one, ref: `A${at}` }))),
        fc.array(told, { minLength: 2, maxLength: 4 }),
        fc.array(fc.nat(99), { minLength: 12, maxLength: 12 }),
        async (given, statements, order) => {
          const { booked: expected, counted } = await Effect.runPromise(
            Effect.provide(live(given, statements, order), store)
          )
          assert.strictEqual(counted, expected)
        }
      ),
      { numRuns: 60 }
    ))
})
