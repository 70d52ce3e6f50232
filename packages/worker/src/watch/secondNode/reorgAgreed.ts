import { type BlockRef, ChainError, type NodeOpinion } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import { countDisputed } from "../../nodes/nodeMetrics.ts"
import { inconsistent } from "../readBlock.ts"
import type { Watch } from "../Watch.ts"

/** A deposit or a transfer to a wallet, as far as it matters whether its block is on the chain. */
interface Standing {
  readonly status: "DETECTED" | "CONFIRMED" | "REORGED" | (string & {})
  readonly block: Pick<BlockRef, "hash" | "number"> | null
}

const words = ({ node, says }: NodeOpinion): string => {
  if (says._tag === "Silent") return `${node}: ${says.detail}`
  return says._tag === "Same" ? `${node} still has the block` : `${node} has block ${says.hash} there`
}

/** Fails where one node alone claims that blocks are gone. A node that denies what another still has is turned away from. */
export const goneAgreed = Effect.fn("watch.goneAgreed")(function* (
  { chain }: Watch,
  lost: ReadonlyArray<Pick<BlockRef, "hash" | "number">>
): Effect.fn.Return<void, ChainError> {
  const { network, several } = chain
  if (several === undefined) return
  const blocks = new Map(lost.map((block) => [block.hash, block]))
  for (const block of blocks.values()) {
    const opinions = yield* several.opinions(block)
    const doing = `reading that block ${block.number} was replaced`
    const detail = opinions.map(words).join("; ")
    if (opinions.some(({ says }) => says._tag === "Same")) {
      yield* several.distrust(block)
      yield* countDisputed(network, "reorg")
      yield* Effect.logError("chain.reorg_disputed").pipe(
        Effect.annotateLogs({ height: block.number, block: block.hash, said: detail })
      )
      return yield* inconsistent(chain, doing, `nodes contradict each other: ${detail}`)
    }
    if (opinions.filter(({ says }) => says._tag === "Other").length < 2)
      return yield* new ChainError({
        network,
        reason: "unreachable",
        doing,
        detail: `a second node has to confirm it: ${detail}`
      })
  }
})

/**
 * Fails where one node alone claims that blocks are gone in which arrivals were confirmed. What is only detected may go by the word of one:
 * nothing was credited for it, and it comes back when its block does.
 */
export const reorgAgreed = (watch: Watch, lost: ReadonlyArray<Standing>): Effect.Effect<void, ChainError> =>
  goneAgreed(
    watch,
    lost.flatMap(({ block, status }) => (status === "CONFIRMED" && block !== null ? [block] : []))
  )
