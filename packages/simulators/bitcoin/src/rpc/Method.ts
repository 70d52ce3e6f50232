import type { StoredBlock } from "../ChainState.ts"
import type { Node } from "../Node.ts"

/** What a method of the node works with. */
export interface Context {
  readonly node: Node
  /** The time, in seconds. */
  readonly now: number
  /** When the node started, in seconds. */
  readonly started: number
  /** The tip as the caller is to see it: lower than the real one while the node plays a lagging one. */
  readonly tip: StoredBlock
  /** A block by its hash, unless it is above that tip. */
  readonly block: (hash: string) => StoredBlock | undefined
  /** Whether the block is in the main chain, at or below that tip. */
  readonly isActive: (block: StoredBlock) => boolean
}

/** A method with the names of its parameters; gives the `result`, or throws an `RpcError`. */
export interface Method {
  readonly parameters: ReadonlyArray<string>
  /** How many of them must be given. */
  readonly required: number
  readonly run: (context: Context, params: ReadonlyArray<unknown>) => unknown
}

/** The context of a call. `lagBlocks` hides as many of the highest blocks. */
export const contextOf = (node: Node, now: number, started: number, lagBlocks: number): Context => {
  const { active, blocks, isActive } = node.chain
  const tip = active[Math.max(0, active.length - 1 - lagBlocks)] ?? node.chain.tip()
  return {
    node,
    now,
    started,
    tip,
    block: (hash) => {
      const found = blocks.get(hash)
      return found === undefined || (lagBlocks > 0 && found.height > tip.height) ? undefined : found
    },
    isActive: (block) => block.height <= tip.height && isActive(block)
  }
}
