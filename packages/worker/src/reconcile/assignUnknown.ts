import { fleetTenantId } from "@bursar/core/grant/Grant"
import type { AskedProvider } from "@bursar/core/reconciliation/providerMovements"
import { believedClaims } from "@bursar/core/reconciliation/statement/believedClaims"
import { claimsOf, nameLines } from "@bursar/core/reconciliation/statement/nameLines"
import { assignLines } from "@bursar/core/reconciliation/statement/recordLines"
import { isAbout, Statement, toldFrom, uncompared, wholeOf } from "@bursar/core/reconciliation/statement/Statement"
import {
  type AboutOperation,
  isTold,
  StatementLine,
  unassignedLines
} from "@bursar/core/reconciliation/statement/StatementLine"
import { type BookedAmount, type StatementBooks, Statements } from "@bursar/core/reconciliation/statement/Statements"
import { Queries } from "@bursar/core/store/Queries"
import { Array as Arrays, Clock, Effect } from "effect"
import { submitFenced } from "../watch/submitFenced.ts"
import { readableOf } from "./leftOut.ts"
import type { Pool } from "./pools.ts"
import type { Recording } from "./Recording.ts"

/** A line is taken for a booking of its amount that is no further away than that. */
const matchWithinMs = 7 * 86_400_000

/** So many lines, or operations, are looked at and assigned at once. */
const pageMax = 500

/** Lines of statements that are whole of which nobody knows what they are about, the oldest first. A statement that cannot be read is not whole. */
export const unknownLines = Effect.fnUntraced(function* (place: string) {
  const { readable } = yield* Queries
  const whole = wholeOf(yield* readableOf(yield* readable(fleetTenantId, Statement, place)))
  const lines = yield* readableOf(yield* readable(fleetTenantId, StatementLine, unassignedLines(place)))
  return lines.filter((line) => isTold(line, whole)).toSorted((one, other) => one.at - other.at)
})

/** The books of a place, as they are compared with its statements. */
export interface Comparing {
  readonly recording: Recording
  readonly books: StatementBooks
  readonly pool: Pool
  /** Those that are whole and about the holding. */
  readonly statements: ReadonlyArray<Statement>
  /** Who pays for the network of a withdrawal. */
  readonly networkFeeBorneBy: AskedProvider["networkFeeBorneBy"]
}

/** The books of a place and a holding, with those of some statements that are about it. */
export const comparingOf = (of: Comparing): Comparing => ({
  ...of,
  statements: of.statements.filter((one) => isAbout(one, new Set(of.pool.factors.keys())))
})

/** Before when what was booked must be on a statement that is there. */
const dueBefore = ({ recording, statements }: Comparing) =>
  Math.max(...statements.map((one) => uncompared(one, statements, recording.limits.statementGraceMs).to))

interface Assigned {
  readonly lineId: string
  readonly about: AboutOperation
}

const assign = ({ fence }: Recording, place: string, all: ReadonlyArray<Assigned>) =>
  Effect.forEach(
    Arrays.chunksOf(all, pageMax),
    (some) => submitFenced(fence, fleetTenantId, assignLines(place, some)),
    { discard: true }
  )

/**
 * The bookings of the lines' amounts that are nearest in time and that no line is about, each for one line, by the ids of the lines; the first lines
 * have the choice. Those of one amount and time are looked for at once: a bank gives all lines of a day one time.
 */
const nearestTo = Effect.fnUntraced(function* (
  { books, pool: { factors } }: Comparing,
  lines: ReadonlyArray<StatementLine>
) {
  const { unshown } = yield* Statements
  const found = new Map<string, BookedAmount>()
  const amounts = Map.groupBy(lines, ({ currency, units }) => units * (factors.get(currency) ?? 0n))
  for (const [units, alike] of amounts) {
    const taken = new Set<string>()
    for (const [around, some] of Map.groupBy(alike, ({ at }) => at)) {
      const limit = taken.size + some.length
      const near = yield* unshown(books, { units, factors }, { around, withinMs: matchWithinMs, limit })
      const free = near.filter(({ operationId }) => !taken.has(operationId))
      for (const [index, line] of some.entries()) {
        const booked = free[index]
        if (booked === undefined) break
        taken.add(booked.operationId)
        found.set(line.id, booked)
      }
    }
  }
  return found
})

/** Takes lines for the bookings of their amounts that must have a line by now. Gives which, and the lines that wait for one that need not have it yet. */
const assignToBooked = Effect.fnUntraced(function* (comparing: Comparing, lines: ReadonlyArray<StatementLine>) {
  const due = dueBefore(comparing)
  const assigned: Array<Assigned> = []
  const waiting = new Set<string>()
  for (const [lineId, { at, operationId, tenantId }] of yield* nearestTo(comparing, lines))
    if (at >= due) waiting.add(lineId)
    else assigned.push({ lineId, about: { operationId, tenantId } })
  yield* assign(comparing.recording, comparing.books.place, assigned)
  return { assigned, waiting }
})

/** The operations that lines say they are about, by the ids of the lines. */
export type Claims = ReadonlyMap<string, ReadonlyArray<AboutOperation>>

/** Lines of which nobody knows what they are about, with what they say. */
interface Unknown {
  readonly lines: ReadonlyArray<StatementLine>
  readonly claims: Claims
}

const believed = Effect.fnUntraced(function* (
  comparing: Comparing,
  lines: ReadonlyArray<StatementLine>,
  claims: Claims
) {
  const { books, pool, statements } = comparing
  const { compared } = yield* Statements
  const from = toldFrom(statements)
  const claimed = [...new Map([...claims.values()].flat().map((one) => [one.operationId, one])).values()]
  const pages = yield* Effect.forEach(Arrays.chunksOf(claimed, pageMax), (some) =>
    compared(books, some, pool.factors, from)
  )
  const saying = lines.map(({ currency, id, units }) => ({
    id,
    units: units * (pool.factors.get(currency) ?? 0n),
    claims: claims.get(id) ?? []
  }))
  const operations = pages.flat()
  const found = believedClaims(saying, operations, { toldFrom: from, dueBefore: dueBefore(comparing) })
  return { ...found, operations: new Map(operations.map((one) => [one.operationId, one])) }
})

/**
 * Finds out what lines of a holding are about: first the operations that they say and that lack them, then the bookings of their amount. A line
 * that is young waits for an operation that it says; and none is taken for a booking of its amount before that must have a line: the
 * booking's own may be on the next statement, and what was assigned stays so. No more lines wait than there are bookings. Gives what was found, with
 * what the lines said; and the lines that are unknown still, those that wait for a booking of their amount among them, what is expected of some, and
 * the operations that lines say, as they were before.
 */
export const assignIn = Effect.fn("reconcile.assignIn")(function* (comparing: Comparing, unknown: Unknown) {
  const { books, recording } = comparing
  const { claims } = unknown
  const now = yield* Clock.currentTimeMillis
  const said = yield* believed(comparing, unknown.lines, claims)
  yield* assign(recording, books.place, said.assigned)
  const isSaid = new Set(said.assigned.map(({ lineId }) => lineId))
  const silent = unknown.lines.filter(
    ({ at, id }) => !isSaid.has(id) && !said.expected.has(id) && now - at >= recording.limits.statementGraceMs
  )
  const booked = yield* assignToBooked(comparing, silent)
  const assigned = [...said.assigned, ...booked.assigned]
  const known = new Set(assigned.map(({ lineId }) => lineId))
  const lines = unknown.lines.filter(({ id }) => !known.has(id))
  // what a line said may have been counted by that
  const found = assigned.flatMap(({ about, lineId }) => [about, ...(claims.get(lineId) ?? [])])
  return { found, lines, waiting: booked.waiting, expected: said.expected, operations: said.operations }
})

/** Takes lines of some amounts, however young, for the bookings of theirs that must have a line by now. Gives which. */
export const assignDue = Effect.fn("reconcile.assignDue")(function* (
  comparing: Comparing,
  lines: ReadonlyArray<StatementLine>,
  amounts: ReadonlySet<bigint>
) {
  const { factors } = comparing.pool
  const due = lines.filter(({ currency, units }) => amounts.has(units * (factors.get(currency) ?? 0n)))
  const { assigned } = yield* assignToBooked(comparing, due)
  return assigned.map(({ lineId }) => lineId)
})

/** The lines of which nobody knows what they are about, with what they say. Those that have the id of an order are assigned to it. */
export const readUnknown = Effect.fn("reconcile.readUnknown")(function* (recording: Recording, books: StatementBooks) {
  const lines = yield* unknownLines(books.place)
  const found: Array<AboutOperation> = []
  const unknown: Array<StatementLine> = []
  const claims = new Map<string, ReadonlyArray<AboutOperation>>()
  for (const some of Arrays.chunksOf(lines, pageMax)) {
    const ids = new Map((yield* nameLines(books, some)).map(({ about, id }) => [id, about]))
    const sure = [...ids].flatMap(([lineId, about]) => (about === null ? [] : [{ lineId, about }]))
    yield* assign(recording, books.place, sure)
    found.push(...sure.map(({ about }) => about))
    const rest = some.filter(({ id }) => ids.get(id) == null)
    unknown.push(...rest)
    for (const [id, said] of yield* claimsOf(books, rest)) claims.set(id, said)
  }
  return { found, unknown: { lines: unknown, claims } satisfies Unknown }
})
