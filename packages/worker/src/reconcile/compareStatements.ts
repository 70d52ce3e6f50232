import { fleetTenantId } from "@bursar/core/grant/Grant"
import { positionKey } from "@bursar/core/reconciliation/Place"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { judgeLine, judgeOperation, type StatementVerdict } from "@bursar/core/reconciliation/statement/judgeStatement"
import { noteChecked } from "@bursar/core/reconciliation/statement/recordLines"
import { recordVerdicts } from "@bursar/core/reconciliation/statement/recordVerdicts"
import {
  comparableInAll,
  isAbout,
  isWhole,
  Statement,
  toldFrom,
  uncompared
} from "@bursar/core/reconciliation/statement/Statement"
import { type AboutOperation, lineKey, StatementLine } from "@bursar/core/reconciliation/statement/StatementLine"
import { type StatementBooks, Statements } from "@bursar/core/reconciliation/statement/Statements"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect } from "effect"
import { submitFenced } from "../watch/submitFenced.ts"
import { assignUnknown, unknownLines } from "./assignUnknown.ts"
import type { Pool } from "./pools.ts"
import { candidatesAt, tellBreaks } from "./record.ts"
import type { Recording } from "./Recording.ts"

/** So many operations are compared at once. */
const pageMax = 500

/** The books of a place, as they are compared with its statements. */
interface Comparing {
  readonly recording: Recording
  readonly books: StatementBooks
  readonly pool: Pool
  /** Those that are whole and about the holding. */
  readonly statements: ReadonlyArray<Statement>
}

/** The breaks of the holding that are open. */
const openBreaks = ({ books, pool }: Comparing) =>
  Effect.flatMap(Queries, ({ records }) =>
    records(fleetTenantId, ReconciliationBreak, positionKey(books.place, pool.currency))
  )

/** Records what differs, and what did: most agree, and then nothing is written. */
const record = Effect.fnUntraced(function* (comparing: Comparing, verdicts: ReadonlyArray<StatementVerdict>) {
  const open = yield* openBreaks(comparing)
  const { books, pool, recording } = comparing
  const telling = verdicts.filter(
    ({ about, units }) =>
      units !== 0n || open.some((one) => one.about?.kind === about.kind && one.about.id === about.id)
  )
  if (telling.length === 0) return
  const command = recordVerdicts(books.place, pool.currency, telling)
  yield* tellBreaks(yield* submitFenced(recording.fence, fleetTenantId, command))
})

/** Compares some operations with what the statements say of them. */
const compareOperations = Effect.fnUntraced(function* (
  comparing: Comparing,
  operations: ReadonlyArray<AboutOperation>
) {
  const { books, pool, statements } = comparing
  if (operations.length === 0 || statements.length === 0) return
  const { compared } = yield* Statements
  const first = toldFrom(statements)
  const all = yield* compared(books, operations, pool.factors, first)
  yield* record(
    comparing,
    all.flatMap((one) => judgeOperation(one, first) ?? [])
  )
})

/** Compares what was booked, ended or told of in the time of a statement that was not looked at yet. */
const compareNew = Effect.fnUntraced(function* (comparing: Comparing, statement: Statement) {
  const { books, recording, statements } = comparing
  const { touched } = yield* Statements
  const { from, to } = uncompared(statement, statements, recording.limits.statementGraceMs)
  if (from >= to) return
  for (let after: string | null = null; ;) {
    const page: ReadonlyArray<AboutOperation> = yield* touched(books, { from, to }, { after, limit: pageMax })
    yield* compareOperations(comparing, page)
    after = page.at(-1)?.operationId ?? null
    if (page.length < pageMax) return
  }
})

/** Looks again at the operations that did not agree, and at those that lines were found to be about. */
const compareAgain = Effect.fnUntraced(function* (comparing: Comparing, found: ReadonlyArray<AboutOperation>) {
  const open = (yield* openBreaks(comparing)).flatMap(({ about }): ReadonlyArray<AboutOperation> =>
    about?.kind === "operation" ? [{ operationId: about.id, tenantId: about.tenantId }] : []
  )
  yield* compareOperations(comparing, [...open, ...found])
})

/** Records the lines that are about nothing, once they are old enough, and those that are about something by now. */
const compareLines = Effect.fnUntraced(function* (comparing: Comparing) {
  const { books, pool, recording } = comparing
  const now = yield* Clock.currentTimeMillis
  const { record: read } = yield* Queries
  const open = (yield* openBreaks(comparing)).flatMap(({ about }) =>
    about?.kind === "statement_line" ? [about.id] : []
  )
  const known = yield* Effect.forEach(open, (id) => read(fleetTenantId, StatementLine, lineKey(books.place, id)))
  const due = (yield* unknownLines(books.place)).filter(
    ({ at, currency, id }) =>
      pool.factors.has(currency) && now - at >= recording.limits.statementGraceMs && !open.includes(id)
  )
  const verdicts = yield* Effect.forEach([...known.filter((line) => line !== undefined), ...due], (line) => {
    const factor = pool.factors.get(line.currency) ?? 0n
    const amount = { currency: line.currency, units: line.units }
    return Effect.map(
      due.includes(line) ? candidatesAt(books.account, amount, line.at) : Effect.succeed([]),
      (candidates) => judgeLine(line, factor, candidates)
    )
  })
  yield* record(comparing, verdicts)
})

/** Compares the books of a provider with the statements that are there of it, line by line. */
export const compareStatements = Effect.fn("reconcile.compareStatements")(function* (
  recording: Recording,
  books: StatementBooks,
  pools: ReadonlyArray<Pool>
) {
  const all = (yield* (yield* Queries).records(fleetTenantId, Statement, books.place)).filter(isWhole)
  if (all.length === 0) return
  const found = yield* assignUnknown(recording, books, pools)
  for (const pool of pools) {
    const statements = all.filter((one) => isAbout(one, new Set(pool.factors.keys())))
    const comparing = { recording, books, pool, statements }
    for (const statement of statements) yield* compareNew(comparing, statement)
    yield* compareAgain(comparing, found)
    yield* compareLines(comparing)
  }
  for (const one of all) {
    const to = comparableInAll(one, all, recording.limits.statementGraceMs)
    if (to > one.checkedTo) yield* submitFenced(recording.fence, fleetTenantId, noteChecked(books.place, one.id, to))
  }
})
