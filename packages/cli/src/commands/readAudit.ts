import type { AuditEntry } from "@bursar/api/operator/OperatorAudit"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Effect } from "effect"

/** Which records of the log a page is of. */
export interface AuditQuery {
  readonly operator?: string
  readonly before?: number
  readonly limit: number
}

/** How many records the service gives at once. */
const pageMax = listLimits.operatorLists.maximum

/** Reads what operators did, newest first, page by page: as many records as `limit` says, and whether there are older ones. */
export const readAudit = Effect.fnUntraced(function* <E, R>(
  list: (query: AuditQuery) => Effect.Effect<{ readonly entries: ReadonlyArray<AuditEntry> }, E, R>,
  { limit: count, ...query }: AuditQuery
) {
  const entries: Array<AuditEntry> = []
  const ask = (limit: number) => {
    const last = entries.at(-1)
    return list({ ...query, ...(last !== undefined && { before: last.id }), limit })
  }
  do {
    const limit = Math.min(pageMax, count - entries.length)
    const page = yield* ask(limit)
    entries.push(...page.entries)
    if (page.entries.length < limit) return { entries, isMore: false }
  } while (entries.length < count)
  const older = yield* ask(1)
  return { entries, isMore: older.entries.length > 0 }
})

const idsOf = (entries: ReadonlyArray<AuditEntry>): ReadonlySet<string> =>
  new Set(entries.flatMap(({ action_id, status }) => (status === null ? [] : [action_id])))

/**
 * The ids of the actions that have ended, of those that entries are of. The record before an action may stand on another page than the one after
 * it, which is newer: where one of the entries lacks that, the records next to the page are read, too.
 */
export const endedOf = Effect.fnUntraced(function* <E, R>(
  list: (query: AuditQuery) => Effect.Effect<{ readonly entries: ReadonlyArray<AuditEntry> }, E, R>,
  { before, ...query }: AuditQuery,
  entries: ReadonlyArray<AuditEntry>
) {
  const ended = idsOf(entries)
  if (before === undefined || entries.every(({ action_id, status }) => status !== null || ended.has(action_id)))
    return ended
  const around = yield* list({ ...query, before: before + pageMax, limit: pageMax })
  return new Set([...ended, ...idsOf(around.entries)])
})
