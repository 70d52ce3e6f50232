import type { Timestamp } from "@bursar/core/base/Timestamp"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { positionKey } from "@bursar/core/reconciliation/Place"
import { type Candidate, ReconciliationBreak, subjectKey } from "@bursar/core/reconciliation/ReconciliationBreak"
import { judgeLine, judgeOperation, type StatementVerdict } from "@bursar/core/reconciliation/statement/judgeStatement"
import { noteChecked } from "@bursar/core/reconciliation/statement/recordLines"
import { recordVerdicts } from "@bursar/core/reconciliation/statement/recordVerdicts"
import {
  comparableInAll,
  isWhole,
  Statement,
  toldFrom,
  uncompared
} from "@bursar/core/reconciliation/statement/Statement"
import { type AboutOperation, lineKey, StatementLine } from "@bursar/core/reconciliation/statement/StatementLine"
import { Statements } from "@bursar/core/reconciliation/statement/Statements"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect } from "effect"
import { submitFenced } from "../watch/submitFenced.ts"
import {
  assignDue,
  assignIn,
  type Claims,
  type Comparing,
  comparingOf,
  readUnknown,
  unknownLines
} from "./assignUnknown.ts"
import { readableOf, unlessUnreadable } from "./leftOut.ts"
import type { Pool } from "./pools.ts"
import { candidatesAt, tellBreaks } from "./record.ts"
import { countedFor } from "./saidInFlight.ts"
import type { Recording } from "./Recording.ts"

/** So many operations are compared at once. */
const pageMax = 500

/** The breaks of the holding that are open. */
const openBreaks = ({ books, pool }: Comparing) =>
  Effect.flatMap(Queries, ({ records }) =>
    records(fleetTenantId, ReconciliationBreak, positionKey(books.place, pool.currency))
  )

/** Records what differs, and what did: most agree, and then nothing is written. */
const record = Effect.fnUntraced(function* (comparing: Comparing, verdicts: ReadonlyArray<StatementVerdict>) {
  const open = yield* openBreaks(comparing)
  const { books, pool, recording } = comparing
  const broken = new Set(open.flatMap(({ about }) => (about === null ? [] : [subjectKey(about)])))
  const telling = verdicts.filter(({ about, units }) => units !== 0n || broken.has(subjectKey(about)))
  if (telling.length === 0) return
  const command = recordVerdicts(books.place, pool.currency, telling)
  yield* tellBreaks(yield* submitFenced(recording.fence, fleetTenantId, command))
})

/** The books of a holding, with the lines of which nobody knows what they are about. */
interface Telling extends Comparing {
  /** The lines of which it can still be found out, by their ids: they are young, or wait for a booking. One that was found out is taken away. */
  readonly held: Map<string, StatementLine>
  /** The lines that are expected to be an operation's, or that say it, count for it and that nothing else explains, by its id. */
  readonly said: ReadonlyMap<string, ReadonlyArray<StatementLine>>
  /** The operations of these, and of lines that say one and do not count for it. */
  readonly about: ReadonlyArray<AboutOperation>
}

const byOperation = (all: ReadonlyArray<{ readonly line: StatementLine; readonly one: AboutOperation }>) =>
  new Map<string, ReadonlyArray<StatementLine>>(
    [...Map.groupBy(all, ({ one }) => one.operationId)].map(([id, some]) => [id, some.map(({ line }) => line)])
  )

const tellingOf = Effect.fnUntraced(function* (
  comparing: Comparing,
  { expected, lines, operations, waiting }: Effect.Success<ReturnType<typeof assignIn>>,
  claims: Claims,
  now: Timestamp
) {
  const isHeld = ({ at, id }: StatementLine) =>
    now - at < comparing.recording.limits.statementGraceMs || waiting.has(id) || expected.has(id)
  const saying = lines.flatMap((line) => {
    const [only, ...others] = isHeld(line) ? [] : (claims.get(line.id) ?? [])
    return only === undefined || others.length > 0 ? [] : [{ line, one: only }]
  })
  const awaited = lines.flatMap((line) => {
    const one = expected.get(line.id)
    return one === undefined ? [] : [{ line, one }]
  })
  const counted = yield* countedFor(comparing, byOperation(saying), operations)
  const said = byOperation(awaited)
  for (const [id, some] of counted) said.set(id, [...(said.get(id) ?? []), ...some])
  const telling: Telling = {
    ...comparing,
    held: new Map(lines.filter(isHeld).map((line) => [line.id, line])),
    said,
    about: [...awaited, ...saying].map(({ one }) => one)
  }
  return telling
})

const sumOf = (lines: ReadonlyArray<StatementLine>, { factors }: Pool): bigint =>
  lines.reduce((sum, { currency, units }) => sum + units * (factors.get(currency) ?? 0n), 0n)

/**
 * Compares some operations with what the statements say of them. Where one lacks just what a line comes to of which it can still be found
 * out, that is found out before anything is said.
 */
const compareOperations = Effect.fnUntraced(function* (telling: Telling, operations: ReadonlyArray<AboutOperation>) {
  const { books, held, pool, said, statements } = telling
  if (operations.length === 0 || statements.length === 0) return
  const { compared } = yield* Statements
  const first = toldFrom(statements)
  const judge = Effect.map(compared(books, operations, pool.factors, first), (all) =>
    all.flatMap((one) => judgeOperation(one, first, sumOf(said.get(one.operationId) ?? [], pool)) ?? [])
  )
  const verdicts = yield* judge
  const lacking = new Set(verdicts.flatMap(({ units }) => (units === 0n ? [] : [units])))
  const found = yield* assignDue(telling, [...held.values()], lacking)
  for (const id of found) held.delete(id)
  yield* record(telling, found.length === 0 ? verdicts : yield* judge)
})

/** Compares what was booked, ended or told of in the time of a statement that was not looked at yet. */
const compareNew = Effect.fnUntraced(function* (telling: Telling, statement: Statement) {
  const { books, recording, statements } = telling
  const { touched } = yield* Statements
  const { from, to } = uncompared(statement, statements, recording.limits.statementGraceMs)
  if (from >= to) return
  for (let after: string | null = null; ;) {
    const page: ReadonlyArray<AboutOperation> = yield* touched(books, { from, to }, { after, limit: pageMax })
    yield* compareOperations(telling, page)
    after = page.at(-1)?.operationId ?? null
    if (page.length < pageMax) return
  }
})

/** Looks again at the operations that did not agree, at those that lines were found to be about, and at those that lines say. */
const compareAgain = Effect.fnUntraced(function* (telling: Telling, found: ReadonlyArray<AboutOperation>) {
  const open = (yield* openBreaks(telling)).flatMap(({ about }): ReadonlyArray<AboutOperation> =>
    about?.kind === "operation" ? [{ operationId: about.id, tenantId: about.tenantId }] : []
  )
  const all = [...open, ...found, ...telling.about]
  yield* compareOperations(telling, [...new Map(all.map((one) => [one.operationId, one])).values()])
})

/** Records the lines that are about nothing, once they are old enough, and those that are about something by now. */
const compareLines = Effect.fnUntraced(function* (telling: Telling) {
  const { books, held, pool, said } = telling
  const { record: read } = yield* Queries
  const open = new Set(
    (yield* openBreaks(telling)).flatMap(({ about }) => (about?.kind === "statement_line" ? [about.id] : []))
  )
  const known = yield* Effect.forEach(open, (id) => read(fleetTenantId, StatementLine, lineKey(books.place, id)))
  // what it says is a break of that operation
  const elsewhere = new Set([...said.values()].flat().map(({ id }) => id))
  const due = (yield* unknownLines(books.place)).filter(
    ({ currency, id }) => pool.factors.has(currency) && !held.has(id) && !elsewhere.has(id) && !open.has(id)
  )
  const judge = (line: StatementLine, candidates: ReadonlyArray<Candidate>) =>
    judgeLine(line, elsewhere.has(line.id) ? 0n : (pool.factors.get(line.currency) ?? 0n), candidates)
  const fresh = yield* Effect.forEach(due, (line) =>
    Effect.map(candidatesAt(books.account, { currency: line.currency, units: line.units }, line.at), (candidates) =>
      judge(line, candidates)
    )
  )
  const verdicts = [...known.flatMap((line) => (line === undefined ? [] : [judge(line, [])])), ...fresh]
  yield* record(telling, verdicts)
})

/** Compares the books of a provider with the statements that are there of it, line by line. */
export const compareStatements = Effect.fn("reconcile.compareStatements")(function* (
  recording: Recording,
  { books, networkFeeBorneBy }: Pick<Comparing, "books" | "networkFeeBorneBy">,
  pools: ReadonlyArray<Pool>
) {
  const { readable } = yield* Queries
  const all = (yield* readableOf(yield* readable(fleetTenantId, Statement, books.place))).filter(isWhole)
  if (all.length === 0) return
  const now = yield* Clock.currentTimeMillis
  const read = yield* readUnknown(recording, books)
  const comparePool = Effect.fnUntraced(function* (pool: Pool) {
    const comparing = comparingOf({ recording, books, pool, networkFeeBorneBy, statements: all })
    const lines = read.unknown.lines.filter(({ currency }) => pool.factors.has(currency))
    const { claims } = read.unknown
    const left = yield* assignIn(comparing, { lines, claims })
    const telling = yield* tellingOf(comparing, left, claims, now)
    for (const statement of telling.statements) yield* compareNew(telling, statement)
    yield* compareAgain(telling, [...read.found, ...left.found])
    yield* compareLines(telling)
    return true
  })
  // a row that keeps one holding from being compared, such as a break of it, keeps no other
  const compared = yield* Effect.forEach(pools, (pool) =>
    unlessUnreadable(`what ${pool.currency} at ${books.place} is compared by`, comparePool(pool))
  )
  // what was not compared in all holdings is compared again
  if (compared.includes(undefined)) return
  for (const one of all) {
    const to = comparableInAll(one, all, recording.limits.statementGraceMs)
    if (to > one.checkedTo) yield* submitFenced(recording.fence, fleetTenantId, noteChecked(books.place, one.id, to))
  }
})
