import { Effect } from "effect"
import type { AuditRecord } from "../audit/AuditRecord.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { AuditSeals } from "../port/AuditSeals.ts"
import type { OperatorAudit } from "../port/OperatorAudit.ts"
import type { ChainReport, Link } from "./verifyChain.ts"
import { lookThroughSeals, type SeeRecord } from "./verifySeals.ts"

/**
 * Goes through the log of operators' actions beside its seals. What is wrong first with either, in words, null where nothing is. No key is needed to see
 * that a seal covers records that were cut off, or others: whoever owns the database has to forge the seals, or to take the newest out with the records.
 * Only the signer and the anchors tell of that.
 */
const lookThroughLog = (see: SeeRecord) => Effect.map(lookThroughSeals({}, see), ({ findings }) => findings[0] ?? null)

/**
 * Follows the log from its first record, and holds it against its seals: names the first thing that is wrong, and counts the records that are right until
 * the first that is not. `anchor` is a hash that was noted earlier.
 */
export const verifyLog = Effect.fn("audit.verifyLog")(function* (
  anchor: string | undefined
): Effect.fn.Return<ChainReport, StorageError, AuditSeals | OperatorAudit> {
  let last: Link | undefined
  let [seen, broken] = [false, false]
  const firstWrong = yield* lookThroughLog((link, mistake) => {
    broken ||= mistake !== null
    if (broken) return
    last = link
    seen ||= link.hash === anchor
  })
  return {
    records: last?.id ?? 0,
    head: last?.hash ?? null,
    firstWrong,
    anchored: anchor === undefined ? null : seen
  }
})

/**
 * Gives each record of the log that can be read to `see`, oldest first. What is wrong first with the log, in words as `verifyLog` says it, null where
 * nothing is: what is looked for may have stood there, and what was found may have been put there.
 */
export const readLog = Effect.fn("audit.readLog")(function* (
  see: (record: AuditRecord) => void
): Effect.fn.Return<string | null, StorageError, AuditSeals | OperatorAudit> {
  return yield* lookThroughLog((_, __, record) => {
    if (record !== undefined) see(record)
  })
})
