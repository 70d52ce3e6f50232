import { makeLeavesCheck } from "@bursar/api/solvency/verifyLeaves"
import { snapshotFindings, type VerifyMessage } from "@bursar/api/solvency/verifySnapshot"
import type { SolvencySnapshot } from "@bursar/api/solvency/SolvencySnapshot"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import type { SolvencyLeaf, SolvencyStore } from "@bursar/core/solvency/SolvencyStore"
import { Effect, Stream } from "effect"
import { sha256 } from "./growTrees.ts"

/** The note of the audit log that holds the digest of a snapshot. */
export const digestNote = (snapshotId: string): string => `solvency_${snapshotId}`

/** How many records of the audit log are read at a time. */
const pageSize = 500

/** Whether the audit log says that a snapshot was taken with this digest. */
export const isAudited = Effect.fnUntraced(function* (
  audit: OperatorAudit["Service"],
  { digest, snapshot_id: id }: Pick<SolvencySnapshot, "digest" | "snapshot_id">
) {
  let after = 0
  for (;;) {
    const page = yield* audit.after(after, pageSize)
    if (page.some(({ params }) => params[digestNote(id)] === digest)) return true
    const last = page.at(-1)
    if (last === undefined) return false
    after = last.id
  }
})

/** Grows the trees of a snapshot again from its stored leaves, and says where they are not those of the document. */
const treeFindings = Effect.fnUntraced(function* (
  document: SolvencySnapshot,
  leaves: Stream.Stream<SolvencyLeaf, StorageError>
) {
  const check = makeLeavesCheck(document, sha256)
  yield* Stream.runForEachArray(leaves, (some) =>
    Effect.sync(() => {
      for (const leaf of some) check.add(leaf)
    })
  )
  return check.findings()
})

/** What is wrong with a snapshot as it is stored, in words; nothing where it verifies. */
export const storedFindings = Effect.fn("solvency.storedFindings")(function* (
  document: SolvencySnapshot,
  { store, verifyMessage }: { readonly store: SolvencyStore["Service"]; readonly verifyMessage: VerifyMessage }
) {
  return [
    ...(yield* snapshotFindings(document, { verifyMessage })),
    ...(yield* treeFindings(document, store.leaves(document.snapshot_id)))
  ]
})
