import {
  emptyPreimage,
  hashBytes,
  leafPreimage,
  type LeafContent,
  nodePreimage,
  type SumNode,
  type TreeName,
  unitsMax
} from "./preimages.ts"

/** SHA-256 of bytes. A tree of a million leaves takes two million of them, so it is one that answers at once. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

/** A node with its place: leaves are at level 0, and counted from 0. */
export interface PlacedNode extends SumNode {
  readonly level: number
  readonly index: number
}

/** The most leaves of a tree. */
export const leavesMax = 2 ** 32

/** What a tree comes to. */
export interface SumTreeRoot {
  /** The leaves of tenants; without those of nobody that fill the tree up. */
  readonly leaves: number
  /** The levels above the leaves. */
  readonly depth: number
  readonly root: Uint8Array
  readonly total: bigint
}

/** The levels above so many leaves. */
export const depthOf = (leaves: number): number => {
  let depth = 0
  while (2 ** depth < leaves) depth += 1
  return depth
}

/** A sum, or undefined where it would be more than an amount may be. */
export const sumOf = (left: SumNode, right: SumNode): bigint | undefined =>
  left.units + right.units > unitsMax ? undefined : left.units + right.units

/**
 * Builds the sum tree of one currency, leaf by leaf.
 *
 * **Details**
 *
 * It keeps one node a level, whatever the number of leaves, as a counter keeps its digits. Each node that a path may need is handed to
 * `emit` once. Where the leaves are no power of two, the tree is filled up with leaves of nobody: a leaf is never put in twice. Throws for
 * an amount or a sum that is no amount.
 */
export const makeSumTree = (name: TreeName, sha256: Sha256, emit: (node: PlacedNode) => void) => {
  const waiting: Array<SumNode | undefined> = []
  let leaves = 0

  const parentOf = (left: SumNode, right: SumNode): SumNode => {
    const units = sumOf(left, right)
    if (units === undefined) throw new Error(`the sum of ${name.currency} is more than an amount may be`)
    return { hash: sha256(nodePreimage(left, right)), units }
  }

  /** Puts a node in its place, and those above it that it completes. */
  const place = (start: PlacedNode): void => {
    let node = start
    for (;;) {
      emit(node)
      const left = waiting[node.level]
      if (node.index % 2 === 0 || left === undefined) break
      waiting[node.level] = undefined
      node = { ...parentOf(left, node), level: node.level + 1, index: Math.floor(node.index / 2) }
    }
    waiting[node.level] = node
  }

  const add = (leaf: Omit<LeafContent, keyof TreeName>): { readonly index: number } => {
    if (leaves >= leavesMax) throw new Error(`a tree has at most ${leavesMax} leaves`)
    const index = leaves
    leaves += 1
    place({ hash: sha256(leafPreimage({ ...name, ...leaf })), units: leaf.units, level: 0, index })
    return { index }
  }

  /** The root. No leaf may be added after it. */
  const finish = (): SumTreeRoot => {
    if (leaves === 0) throw new Error("a tree has a leaf at least")
    const depth = depthOf(leaves)
    let empty: SumNode = { hash: sha256(emptyPreimage(name)), units: 0n }
    for (let level = 0; level < depth; level++) {
      const left = waiting[level]
      // what stands alone on its level is a left one: what is right of it is nobody's
      if (left !== undefined) place({ ...empty, level, index: indexAfter(leaves, level) })
      empty = parentOf(empty, empty)
    }
    const top = waiting[depth]
    if (top === undefined || top.hash.length !== hashBytes) throw new Error("a tree has one root")
    return { leaves, depth, root: top.hash, total: top.units }
  }

  return { add, finish }
}

/** The first index of a level below which there is no tenant's leaf. */
export const indexAfter = (leaves: number, level: number): number => Math.ceil(leaves / 2 ** level)
