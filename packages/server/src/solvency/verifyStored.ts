import { snapshotFindings, type VerifyMessage } from "@bursar/api/solvency/verifySnapshot"
import type { SolvencySnapshot } from "@bursar/api/solvency/SolvencySnapshot"
import { makeSumTree } from "@bursar/api/solvency/SumTree"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { Networks } from "@bursar/core/port/Networks"
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

/** Verifies signatures by the networks that are configured. One of a network that is not here verifies nothing. */
export const verifyByNetworks =
  (networks: Networks["Service"]): VerifyMessage =>
  ({ address, network }, { message, signature }) =>
    networks.get(network)?.keys.verifyMessage(address, message, signature) ?? Effect.succeed(false)

/** Grows the trees of a snapshot again from its leaves, and says where they are not those of the document. */
const treeFindings = Effect.fnUntraced(function* (
  { liabilities, snapshot_id: snapshotId }: SolvencySnapshot,
  leaves: Stream.Stream<SolvencyLeaf, StorageError>
) {
  const trees = new Map<string, ReturnType<typeof makeSumTree>>()
  const treeOf = (currency: string) => {
    const there = trees.get(currency) ?? makeSumTree({ snapshotId, currency }, sha256, () => undefined)
    trees.set(currency, there)
    return there
  }
  yield* Stream.runForEachArray(leaves, (some) =>
    Effect.sync(() => {
      for (const { currency, salt, tenantId, units } of some)
        treeOf(currency).add({ tenantId, salt: Buffer.from(salt, "hex"), units })
    })
  )
  const grown = new Map(
    [...trees].map(([currency, tree]) => {
      const { leaves: count, root, total } = tree.finish()
      return [currency, `${count} ${Buffer.from(root).toString("hex")} ${total}`]
    })
  )
  const published = new Map(
    liabilities.map(({ currency, leaves: count, root, total }) => [currency, `${count} ${root} ${total}`])
  )
  return [...new Set([...grown.keys(), ...published.keys()])]
    .filter((currency) => grown.get(currency) !== published.get(currency))
    .map((currency) => `The leaves of ${currency} that are stored do not grow the tree of the document.`)
})

/** What is wrong with a snapshot as it is stored, in words; nothing where it verifies. */
export const storedFindings = Effect.fn("solvency.storedFindings")(function* (
  document: SolvencySnapshot,
  { networks, store }: { readonly networks: Networks["Service"]; readonly store: SolvencyStore["Service"] }
) {
  return [
    ...(yield* snapshotFindings(document, verifyByNetworks(networks))),
    ...(yield* treeFindings(document, store.leaves(document.snapshot_id)))
  ]
})
