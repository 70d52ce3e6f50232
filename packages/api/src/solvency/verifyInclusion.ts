import { Effect } from "effect"
import { sha256 } from "../signature/sha256.ts"
import {
  emptyPreimage,
  hashBytes,
  type LeafContent,
  leafPreimage,
  nodePreimage,
  type SumNode,
  type TreeName,
  unitsMax
} from "./preimages.ts"
import { depthOf, indexAfter, leavesMax, sumOf } from "./SumTree.ts"

/** What was published of a tree. */
export interface PublishedTree extends TreeName {
  readonly leaves: number
  readonly depth: number
  readonly root: Uint8Array
  readonly total: bigint
}

/** What shows that a leaf is in a tree: its place, and what stands beside each node on the way up, the lowest first. */
export interface InclusionPath {
  readonly index: number
  readonly path: ReadonlyArray<SumNode>
}

const isAmount = (units: bigint): boolean => units >= 0n && units <= unitsMax

const equal = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

/** Why what was said cannot be a leaf with its path in such a tree; undefined where its hashes have to tell. */
const shapeObjection = (
  tree: PublishedTree,
  leaf: Pick<LeafContent, "salt" | "units">,
  { index, path }: InclusionPath
): string | undefined => {
  if (!Number.isInteger(tree.leaves) || tree.leaves < 1 || tree.leaves > leavesMax)
    return "A tree has no such number of leaves."
  if (tree.depth !== depthOf(tree.leaves)) return "The tree has not the levels that its leaves take."
  if (path.length !== tree.depth) return "The path does not lead from a leaf to the root."
  if (!Number.isInteger(index) || index < 0 || index >= tree.leaves) return "The tree has no leaf in that place."
  if (tree.root.length !== hashBytes || leaf.salt.length !== hashBytes) return "The root and a salt have 32 bytes each."
  if (path.some(({ hash }) => hash.length !== hashBytes)) return "A hash of the path has not 32 bytes."
  if (!isAmount(tree.total) || !isAmount(leaf.units)) return "An amount is negative or too large."
  if (path.some(({ units }) => !isAmount(units))) return "A node of the path has a sum that is negative or too large."
  return undefined
}

/**
 * Says why a tenant's leaf is not in a published tree with all that is said of it; undefined where it is.
 *
 * **Details**
 *
 * The tenant and the snapshot are part of the leaf's hash, so a leaf is one tenant's in one snapshot. No sum on the way is negative or
 * more than an amount may be, what lies behind the last leaf is nobody's and empty, and the sum at the top is the total.
 */
export const inclusionObjection = Effect.fnUntraced(function* (
  tree: PublishedTree,
  leaf: Omit<LeafContent, keyof TreeName>,
  inclusion: InclusionPath
) {
  const objection = shapeObjection(tree, leaf, inclusion)
  if (objection !== undefined) return objection
  const { currency, snapshotId } = tree
  let node: SumNode = {
    hash: yield* sha256(leafPreimage({ currency, snapshotId, ...leaf })),
    units: leaf.units
  }
  let empty: SumNode = { hash: yield* sha256(emptyPreimage(tree)), units: 0n }
  let { index } = inclusion
  for (const [level, beside] of inclusion.path.entries()) {
    const isRight = index % 2 === 1
    const isNobodys = !isRight && index + 1 >= indexAfter(tree.leaves, level)
    if (isNobodys && (beside.units !== 0n || !equal(beside.hash, empty.hash)))
      return "The tree is filled up with something that is not empty."
    const [left, right] = isRight ? [beside, node] : [node, beside]
    const units = sumOf(left, right)
    if (units === undefined) return "A sum of the path is more than an amount may be."
    node = { hash: yield* sha256(nodePreimage(left, right)), units }
    empty = { hash: yield* sha256(nodePreimage(empty, empty)), units: 0n }
    index = Math.floor(index / 2)
  }
  if (!equal(node.hash, tree.root)) return "The leaf and its path do not lead to the root that was published."
  return node.units === tree.total ? undefined : "The sum of the tree is not the total that was published."
})
