import { fleetTenantId } from "@bursar/core/grant/Grant"
import { nameLines } from "@bursar/core/reconciliation/statement/nameLines"
import { partLinesMax, recordTold } from "@bursar/core/reconciliation/statement/recordLines"
import { interfaceStatement, Statement, statementKey } from "@bursar/core/reconciliation/statement/Statement"
import type { StatementBooks } from "@bursar/core/reconciliation/statement/Statements"
import type { ReadStatement } from "@bursar/core/port/ProviderStatement"
import { Queries } from "@bursar/core/store/Queries"
import { Array as Arrays, Clock, Effect } from "effect"
import { submitFenced } from "../watch/submitFenced.ts"
import type { Recording } from "./Recording.ts"

/** A provider may book a line a little later than the time that it bears: so much is read again. */
const overlapMs = 3_600_000

/** So much time is asked for at once. */
const windowMs = 86_400_000

/** Reads the lines that a provider has told since it was asked the last time, and keeps them. The first time there are none yet. */
export const readStatement = Effect.fn("reconcile.readStatement")(function* (
  { fence }: Recording,
  books: StatementBooks,
  read: ReadStatement
) {
  const { place } = books
  const queries = yield* Queries
  const now = yield* Clock.currentTimeMillis
  const before = yield* queries.record(fleetTenantId, Statement, statementKey(place, interfaceStatement))
  const first = before?.from ?? now
  for (let since = Math.max(first, (before?.to ?? now) - overlapMs); since <= now; since += windowMs) {
    const until = Math.min(now, since + windowMs)
    const told = (yield* read(since, until)).filter(({ at }) => at >= first)
    const parts = told.length === 0 ? [[]] : Arrays.chunksOf(told, partLinesMax)
    for (const [index, part] of parts.entries()) {
      const lines = yield* nameLines(books, part)
      // up to there is read what is read whole
      const to = index === parts.length - 1 ? until : since
      const { changed } = yield* submitFenced(fence, fleetTenantId, recordTold(place, { from: first, to, lines }))
      for (const line of changed)
        yield* Effect.annotateLogs(Effect.logError("reconciliation.line_changed"), { place, line })
    }
  }
})
