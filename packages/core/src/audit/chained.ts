import { Effect } from "effect"
import { sha256Hex } from "../base/sha256.ts"
import { toIso } from "../base/Timestamp.ts"
import { type AuditRecord, firstHash, type OperatorAction } from "./AuditRecord.ts"

const sorted = (params: Readonly<Record<string, string>>): ReadonlyArray<readonly [string, string]> =>
  Object.entries(params).toSorted(([one], [other]) => (one < other ? -1 : 1))

/** What is hashed of a link, as JSON: every field, in this order. Another order would break every chain that is stored. */
const textOf = (record: Omit<AuditRecord, "hash">): string =>
  JSON.stringify([
    record.previousHash,
    record.id,
    record.actionId,
    toIso(record.at),
    record.operator,
    record.role,
    record.method,
    record.route,
    sorted(record.params),
    record.status,
    record.requestId,
    record.address,
    // records of earlier versions have none, and their hashes stay
    ...(record.content === null ? [] : [record.content.digest, record.content.values])
  ])

/** The hash of a link: SHA-256, lower-case hexadecimal. */
export const hashOf = (record: Omit<AuditRecord, "hash">): Effect.Effect<string> => sha256Hex(textOf(record))

/** The link that follows on another; undefined where there is none yet. */
export const chained = (
  last: Pick<AuditRecord, "id" | "hash"> | undefined,
  action: OperatorAction
): Effect.Effect<AuditRecord> => {
  const link = { ...action, id: (last?.id ?? 0) + 1, previousHash: last?.hash ?? firstHash }
  return Effect.map(hashOf(link), (hash) => ({ ...link, hash }))
}
