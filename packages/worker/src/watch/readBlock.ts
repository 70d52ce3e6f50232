import { type Block, type BlockRef, ChainError, type ChainReader } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import type { Watch } from "./Watch.ts"

/** Fails where the node's answers do not fit each other. */
export const inconsistent = ({ network }: ChainReader, doing: string, detail: string): ChainError =>
  new ChainError({ network, reason: "inconsistent", doing, detail })

/** What is told of a block whose state the node does not keep, where all of it is needed. */
export const stateGone = ({ network }: ChainReader, { hash, number, unread = [] }: Block): ChainError => {
  const detail = unread.find(({ txHash }) => txHash === hash)?.reason ?? "the node keeps its state no more"
  return new ChainError({ network, reason: "absent", doing: `reading block ${number}`, detail })
}

/** Reads the complete block of a header and checks that it is that block. */
export const readBlock = Effect.fn("watch.readBlock")(function* (chain: ChainReader, header: BlockRef) {
  const block: Block = yield* chain.block(header.hash)
  if (block.hash !== header.hash || block.number !== header.number || block.parentHash !== header.parentHash) {
    return yield* inconsistent(
      chain,
      `reading block ${header.number}`,
      `the block of hash ${header.hash} is not the one of the header`
    )
  }
  return block
})

/** The block of a header: from memory, where this process has read it and all that it holds, else from the node. */
export const readRemembered = ({ chain, recent }: Pick<Watch, "chain" | "recent">, header: BlockRef) => {
  const block = recent.get(header.hash)
  return block === undefined || (block.unread ?? []).length > 0 ? readBlock(chain, header) : Effect.succeed(block)
}

/** Reads the header at a height and checks that it is of that height. */
export const readHeader = Effect.fnUntraced(function* (chain: ChainReader, number: number) {
  const header = yield* chain.header(number)
  if (header.number !== number) {
    return yield* inconsistent(chain, `reading header ${number}`, `the header says that it is ${header.number}`)
  }
  return header
})

/** Reads the block at a height, by the hash that its header says. */
export const readBlockAt = Effect.fnUntraced(function* (chain: ChainReader, number: number) {
  return yield* readBlock(chain, yield* readHeader(chain, number))
})
