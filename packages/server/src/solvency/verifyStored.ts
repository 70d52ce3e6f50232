import type { PlacedNode } from "@bursar/api/solvency/SumTree"
import { makeLeavesCheck } from "@bursar/api/solvency/verifyLeaves"
import { snapshotFindings, type VerifyMessage } from "@bursar/api/solvency/verifySnapshot"
import type { SolvencySnapshot } from "@bursar/api/solvency/SolvencySnapshot"
import { readLog } from "@bursar/core/checker/verifyLog"
import { owedUnits } from "@bursar/core/solvency/OwedToTenant"
import type { SolvencyNode, SolvencyPlace, SolvencyStore } from "@bursar/core/solvency/SolvencyStore"
import { Effect, Stream } from "effect"
import { sha256, storedNode } from "./growTrees.ts"

/** The note of the audit log that holds the digest of a snapshot. */
export const digestNote = (snapshotId: string): string => `solvency_${snapshotId}`

/** Whether the audit log says that a snapshot was taken with this digest, and what is wrong with that log. */
export const isAudited = Effect.fnUntraced(function* ({
  digest,
  snapshot_id: id
}: Pick<SolvencySnapshot, "digest" | "snapshot_id">) {
  const digests = new Set<string | undefined>()
  const wrong = yield* readLog(({ params }) => void digests.add(params[digestNote(id)]))
  return { audited: digests.has(digest), findings: wrong === null ? [] : [`The audit log proves nothing: ${wrong}`] }
})

const placeOf = ({ currency, index, level }: SolvencyPlace): string => `${currency}:${level}:${index}`

/** Compares nodes that were grown again with those of the same places that are stored, which tenants are shown their paths of. */
const makeNodesCheck = (snapshotId: string, store: SolvencyStore["Service"]) => {
  const grown: Array<SolvencyNode> = []
  const wrong = new Set<string>()
  return {
    wrong,
    add: (currency: string, node: PlacedNode): void => {
      grown.push(storedNode(currency, node))
    },
    /** Compares those that were added since it was called last. */
    compare: Effect.suspend(() => {
      const some = grown.splice(0)
      return Effect.map(store.nodesAt(snapshotId, some), (stored) => {
        const byPlace = new Map(stored.map((node) => [placeOf(node), node]))
        for (const node of some) {
          const there = byPlace.get(placeOf(node))
          if (there?.hash !== node.hash || there.units !== node.units) wrong.add(node.currency)
        }
      })
    })
  }
}

/**
 * Grows the trees of a snapshot again from its stored leaves, and says where they are not those of the document, and where what else
 * tenants are shown of them does not go with them.
 */
const treeFindings = Effect.fnUntraced(function* (document: SolvencySnapshot, store: SolvencyStore["Service"]) {
  const { snapshot_id: id } = document
  const nodes = makeNodesCheck(id, store)
  const check = makeLeavesCheck(document, sha256, nodes.add)
  const wrongParts = new Set<string>()
  yield* Stream.runForEachArray(store.leaves(id), (some) =>
    Effect.suspend(() => {
      for (const leaf of some) {
        check.add(leaf)
        if (owedUnits(leaf) !== leaf.units) wrongParts.add(leaf.currency)
      }
      return nodes.compare
    })
  )
  const findings = check.findings()
  yield* nodes.compare
  return [
    ...findings,
    ...[...wrongParts].map((currency) => `The parts of a leaf of ${currency} do not come to its amount.`),
    ...[...nodes.wrong].map((currency) => `The stored nodes of ${currency} are not those that its leaves grow.`)
  ]
})

/** What is wrong with a snapshot as it is stored, in words; nothing where it verifies. */
export const storedFindings = Effect.fn("solvency.storedFindings")(function* (
  document: SolvencySnapshot,
  { store, verifyMessage }: { readonly store: SolvencyStore["Service"]; readonly verifyMessage: VerifyMessage }
) {
  return [...(yield* snapshotFindings(document, { verifyMessage })), ...(yield* treeFindings(document, store))]
})
