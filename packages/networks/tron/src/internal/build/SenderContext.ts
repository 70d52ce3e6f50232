import { Clock, Effect } from "effect"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { Node } from "../rpc/Node.ts"
import { inconsistent } from "../rpc/NodeAnswer.ts"
import { latestOf } from "../read/readHeader.ts"
import type { PriceCaps } from "./PriceCaps.ts"

/** What all that is sent has in common. */
export interface SenderContext {
  readonly node: Node
  /** The pinned tokens in base58. */
  readonly pinned: ReadonlyArray<string>
  /** The same, by 20 bytes of hexadecimal. */
  readonly contracts: ReadonlyMap<string, string>
  readonly caps: PriceCaps
  /** The most that a transaction may burn for energy, in sun. */
  readonly feeLimitMax: bigint
  readonly validityMs: number
  /** How old the newest block may be before the node counts as lagging. */
  readonly lagMsMax: number
}

/** The newest block, unless it is so old that the node must be behind: then nothing it says of balances can be relied on. */
export const freshHead = Effect.fnUntraced(function* ({
  lagMsMax,
  node
}: SenderContext): Effect.fn.Return<BlockRef, ChainError> {
  const head = yield* latestOf(node, "wallet")
  const age = (yield* Clock.currentTimeMillis) - head.time
  return age > lagMsMax
    ? yield* inconsistent("read the newest block", `block ${head.number} is ${age} ms old: the node is behind`)
    : head
})
