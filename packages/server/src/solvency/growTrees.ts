import { leafSecrets } from "@bursar/api/solvency/leafSecrets"
import { makeSumTree, type PlacedNode, type SumTreeRoot } from "@bursar/api/solvency/SumTree"
import type { OwedToTenant } from "@bursar/core/solvency/OwedToTenant"
import { owedUnits } from "@bursar/core/solvency/OwedToTenant"
import type { SolvencyLeaf, SolvencyNode } from "@bursar/core/solvency/SolvencyStore"
import { Effect, Stream } from "effect"
import { createHmac, hash } from "node:crypto"

/** SHA-256 that answers at once. */
export const sha256 = (bytes: Uint8Array): Uint8Array => hash("sha256", bytes, "buffer")

/** HMAC-SHA-256 that answers at once. */
export const hmacSha256 = (key: Uint8Array, bytes: Uint8Array): Uint8Array =>
  createHmac("sha256", key).update(bytes).digest()

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** A node of a tree as it is stored. */
export const storedNode = (currency: string, { hash: bytes, index, level, units }: PlacedNode): SolvencyNode => ({
  currency,
  level,
  index,
  hash: hex(bytes),
  units
})

/** The tree of one currency. */
export interface GrownTree extends SumTreeRoot {
  readonly currency: string
}

/** Leaves and nodes that were not handed on yet. */
interface Part {
  readonly leaves: ReadonlyArray<SolvencyLeaf>
  readonly nodes: ReadonlyArray<SolvencyNode>
}

/** How many nodes are handed on at a time. */
const nodesMax = 4_000

/** Grows the trees of leaves that come by currency, one at a time. */
const makeGrowing = (snapshotId: string, saltOf: (owed: Omit<OwedToTenant, "unattributed">) => Uint8Array) => {
  const grown: Array<GrownTree> = []
  const leaves: Array<SolvencyLeaf> = []
  const nodes: Array<SolvencyNode> = []
  const unattributed = new Map<string, bigint>()
  let current: { readonly currency: string; readonly tree: ReturnType<typeof makeSumTree> } | undefined

  const finish = (): void => {
    if (current !== undefined) grown.push({ currency: current.currency, ...current.tree.finish() })
    current = undefined
  }

  const treeOf = (currency: string) => {
    if (current?.currency === currency) return current.tree
    finish()
    const tree = makeSumTree({ snapshotId, currency }, sha256, (node) => nodes.push(storedNode(currency, node)))
    current = { currency, tree }
    return tree
  }

  return {
    grown,
    unattributed,
    finish,
    add: ({ unattributed: nobodys, ...owed }: OwedToTenant): void => {
      // what one ledger has too little of lessens no other's
      if (nobodys > 0n) unattributed.set(owed.currency, (unattributed.get(owed.currency) ?? 0n) + nobodys)
      if (owedUnits(owed) === 0n) return
      const [salt, units] = [saltOf(owed), owedUnits(owed)]
      const { index } = treeOf(owed.currency).add({ tenantId: owed.tenantId, salt, units })
      leaves.push({ ...owed, units, index, salt: hex(salt) })
    },
    isFull: () => nodes.length >= nodesMax,
    take: (): Part => ({ leaves: leaves.splice(0), nodes: nodes.splice(0) })
  }
}

/**
 * Grows the sum tree of every currency from what tenants are owed, by currency, and hands leaves and nodes on as they come. Salts follow
 * from the secret of the snapshot. The memory that it takes does not grow with the leaves. It sums up what is attributed to nobody, too.
 */
export const growTrees = Effect.fn("solvency.growTrees")(function* <E, E2, R>(
  owed: Stream.Stream<OwedToTenant, E, R>,
  {
    keep,
    secret,
    snapshotId
  }: {
    readonly snapshotId: string
    readonly secret: Uint8Array
    readonly keep: (part: Part) => Effect.Effect<void, E2>
  }
) {
  const { saltOf } = leafSecrets(secret, hmacSha256)
  const growing = makeGrowing(snapshotId, ({ currency, tenantId }) => saltOf({ snapshotId, currency, tenantId }))
  yield* Stream.runForEachArray(owed, (some) =>
    Effect.suspend(() => {
      for (const one of some) growing.add(one)
      return growing.isFull() ? keep(growing.take()) : Effect.void
    })
  )
  growing.finish()
  yield* keep(growing.take())
  return { trees: growing.grown, unattributed: growing.unattributed }
})
