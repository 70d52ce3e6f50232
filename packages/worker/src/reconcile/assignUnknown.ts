import { fleetTenantId } from "@bursar/core/grant/Grant"
import { nameLines } from "@bursar/core/reconciliation/statement/nameLines"
import { assignLines } from "@bursar/core/reconciliation/statement/recordLines"
import { Statement, wholeOf } from "@bursar/core/reconciliation/statement/Statement"
import {
  type AboutOperation,
  isTold,
  StatementLine,
  unassignedLines
} from "@bursar/core/reconciliation/statement/StatementLine"
import { type StatementBooks, Statements } from "@bursar/core/reconciliation/statement/Statements"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect } from "effect"
import { submitFenced } from "../watch/submitFenced.ts"
import type { Pool } from "./pools.ts"
import type { Recording } from "./Recording.ts"

/** A line that names nothing is taken for a booking of its amount that is no further away than that. */
const matchWithinMs = 7 * 86_400_000

/** Lines of statements that are whole of which nobody knows what they are about, the oldest first. */
export const unknownLines = Effect.fnUntraced(function* (place: string) {
  const { records } = yield* Queries
  const whole = wholeOf(yield* records(fleetTenantId, Statement, place))
  const lines = yield* records(fleetTenantId, StatementLine, unassignedLines(place))
  return lines.filter((line) => isTold(line, whole)).toSorted((one, other) => one.at - other.at)
})

const assign = ({ fence }: Recording, place: string, lineId: string, about: AboutOperation) =>
  submitFenced(fence, fleetTenantId, assignLines(place, [{ lineId, about }]))

/**
 * Finds out what lines are about: the operation that they name, which may be known by now, or else the booking of their amount that is
 * nearest in time and that no line is about. A line that is young waits for an operation that it names. Gives those that were found.
 */
export const assignUnknown = Effect.fn("reconcile.assignUnknown")(function* (
  recording: Recording,
  books: StatementBooks,
  pools: ReadonlyArray<Pool>
) {
  const { unshown } = yield* Statements
  const now = yield* Clock.currentTimeMillis
  const found: Array<AboutOperation> = []
  for (const { about, at: around, currency, id, units } of yield* nameLines(books, yield* unknownLines(books.place))) {
    if (about !== null) {
      yield* assign(recording, books.place, id, about)
      found.push(about)
      continue
    }
    const factors = pools.find((pool) => pool.factors.has(currency))?.factors
    if (factors === undefined || now - around < recording.limits.statementGraceMs) continue
    const amount = { units: units * (factors.get(currency) ?? 0n), factors }
    const [booked] = yield* unshown(books, amount, { around, withinMs: matchWithinMs, limit: 1 })
    if (booked === undefined) continue
    const { operationId, tenantId } = booked
    yield* assign(recording, books.place, id, { operationId, tenantId })
    found.push({ operationId, tenantId })
  }
  return found
})
