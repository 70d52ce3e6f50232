import { Effect } from "effect"
import { OperatorAudit } from "../port/OperatorAudit.ts"
import type { StorageError } from "../engine/StorageError.ts"
import { type AuditRecord, firstHash } from "../audit/AuditRecord.ts"
import { hashOf } from "../audit/chained.ts"
import { isLastPage, type NumberedRow, readNumbered } from "./readNumbered.ts"

/** What was found of the chain of operators' actions. */
export interface ChainReport {
  /** How many links were right, from the first on. */
  readonly records: number
  /** The hash of the last of them; null where there is none. Note it elsewhere: a chain that was cut off no longer holds it. */
  readonly head: string | null
  /** The first link that is wrong, in words; null where none is. */
  readonly firstWrong: string | null
  /** Whether a hash that was noted earlier is among them; null where none was given. */
  readonly anchored: boolean | null
}

const linksPerRead = 1_000

/** A record by its place in the chain, whether or not it can be read. */
export type Link = Pick<AuditRecord, "id" | "hash">

/** Says that a record is not what anybody who keeps to the service has written. */
export const unreadableRecord = (id: number): string => `Record ${id} cannot be read: it was changed.`

/** The records after an id, at most so many, also where some of them cannot be read. */
export const recordsAfter = (id: number, limit: number) =>
  Effect.flatMap(OperatorAudit, ({ after }) => readNumbered({ after, numberOf: (record) => record.id }, id, limit))

/** What is wrong with a record that stands after a link, by the hash of what it says; null where nothing is. */
const mistakeIn = (last: Link | undefined, record: AuditRecord, hash: string | undefined): string | null => {
  const id = (last?.id ?? 0) + 1
  if (record.id !== id) return `Record ${id} is missing: after it comes ${record.id}.`
  if (record.previousHash !== (last?.hash ?? firstHash))
    return `Record ${id} does not follow on the one before: one of the two was changed.`
  if (hash === undefined) return unreadableRecord(id)
  return record.hash === hash ? null : `Record ${id} was changed: its hash is that of something else.`
}

/** The hash of what a record says; undefined where that has none, for it is of another form. */
const hashIn = (record: AuditRecord | undefined) =>
  record === undefined
    ? Effect.undefined
    : Effect.catchDefect(
        Effect.suspend(() => hashOf(record)),
        () => Effect.undefined
      )

/**
 * Reads the records after a link, oldest first, and gives each to `see` with what is wrong with it. It ends with the last record, or at the
 * first for which `see` says so. One that cannot be read, for somebody has changed it, is wrong and has no hash, and `see` is not given what it says.
 */
export const walkChain = Effect.fnUntraced(function* (
  from: Link | undefined,
  see: (link: Link, mistake: string | null, record: AuditRecord | undefined) => "stop" | undefined
): Effect.fn.Return<void, StorageError, OperatorAudit> {
  let last = from
  while (true) {
    const rows: ReadonlyArray<NumberedRow<AuditRecord>> = yield* recordsAfter(last?.id ?? 0, linksPerRead)
    // all at once: a busy process would have each wait for its turn
    const hashes = yield* Effect.forEach(rows, ({ row }) => hashIn(row), { concurrency: "unbounded" })
    for (const [index, { number, row }] of rows.entries()) {
      const link: Link = row ?? { id: number, hash: "" }
      const mistake = row === undefined ? unreadableRecord(number) : mistakeIn(last, row, hashes[index])
      if (see(link, mistake, hashes[index] === undefined ? undefined : row) === "stop") return
      last = link
    }
    if (isLastPage(rows, linksPerRead)) return
  }
})

/**
 * Follows the chain from its first link and names the first that is wrong: changed, left out or put in. That links were cut off at
 * its end shows only where a hash of theirs was noted before: give it as `anchor`. Nothing is compared with seals: `verifyLog` does that.
 */
export const verifyChain = Effect.fn("audit.verifyChain")(function* (
  anchor: string | undefined
): Effect.fn.Return<ChainReport, StorageError, OperatorAudit> {
  let last: Link | undefined
  let seen = false
  let firstWrong: string | null = null
  yield* walkChain(undefined, (link, mistake) => {
    firstWrong = mistake
    if (mistake !== null) return "stop"
    last = link
    seen = seen || link.hash === anchor
    return undefined
  })
  return {
    records: last?.id ?? 0,
    head: last?.hash ?? null,
    firstWrong,
    anchored: anchor === undefined ? null : seen
  }
})
