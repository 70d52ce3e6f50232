import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { BlockRef, ChainReader, Tip } from "@bursar/core/port/Chain"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { WatchState } from "@bursar/core/store/WatchState"
import { Effect } from "effect"
import { findAncestor } from "./findAncestor.ts"
import { countReorg } from "./metrics.ts"
import { endLost } from "./quarantine.ts"
import { readHeader } from "./readBlock.ts"
import { markReorged } from "./markReorged.ts"
import { reorgAgreed } from "./secondNode/reorgAgreed.ts"
import { markWalletsReorged } from "./walletTransfers.ts"
import type { Watch } from "./Watch.ts"

const headerAt = (chain: ChainReader, { latest }: Tip, number: number) =>
  number === latest.number ? Effect.succeed(latest) : readHeader(chain, number)

/** Those of some arrivals whose blocks are not on the node's chain; what lies above its newest block is `beyond`. */
const offChain = Effect.fnUntraced(function* <A extends Pick<Deposit, "block">>(
  chain: ChainReader,
  tip: Tip,
  deposits: ReadonlyArray<A>,
  beyond: "lost" | "unknown"
) {
  const hashes = new Map<number, string>()
  const lost: Array<A> = []
  for (const deposit of deposits) {
    if (deposit.block === null) continue
    const { hash, number } = deposit.block
    if (number > tip.latest.number) {
      if (beyond === "lost") lost.push(deposit)
      continue
    }
    const canonical = hashes.get(number) ?? (yield* headerAt(chain, tip, number)).hash
    hashes.set(number, canonical)
    if (canonical !== hash) lost.push(deposit)
  }
  return lost
})

/** What stands above a height in blocks that are not on the node's chain, where no other node contradicts that. */
const lostAbove = Effect.fnUntraced(function* (
  watch: Watch,
  tip: Tip,
  { above, beyond }: { readonly above: number; readonly beyond: "lost" | "unknown" }
) {
  const { chain } = watch
  const [quarantine, state] = [yield* Quarantine, yield* WatchState]
  const deposits = yield* offChain(chain, tip, yield* state.depositsAbove(chain.network, above), beyond)
  const wallets = yield* offChain(chain, tip, yield* state.walletTransfersAbove(chain.network, above), beyond)
  const quarantined = yield* offChain(chain, tip, yield* quarantine.openFrom(chain.network, above + 1), beyond)
  yield* reorgAgreed(watch, [...deposits, ...wallets])
  return { deposits, wallets, quarantined }
})

/** Marks what stands in lost blocks. */
const markLost = Effect.fnUntraced(function* (
  watch: Watch,
  { deposits, quarantined, wallets }: Effect.Success<ReturnType<typeof lostAbove>>
) {
  yield* markReorged(watch, deposits)
  yield* markWalletsReorged(watch, wallets)
  yield* endLost(watch, quarantined)
})

/** What a comparison with the node's chain came to. */
export interface Reconciled {
  /** The block from which to read on. */
  readonly cursor: BlockRef
  /** False where the node is so far behind that nothing of what is remembered can be found on its chain. */
  readonly agreed: boolean
}

/**
 * Makes what is remembered agree with the node's chain: compares the newest block that both have, and where it was
 * replaced rewinds the cursor to the common ancestor and marks the deposits of the lost blocks as reorged.
 * A node that is behind but agrees is left to catch up.
 *
 * Where both agree it also finds deposits above the cursor whose block is gone: a process that died between recording a
 * block and moving the cursor onto it leaves them, or between moving it back and marking them.
 */
export const reconcile = Effect.fn("watch.reconcile")(function* (watch: Watch, cursor: BlockRef, tip: Tip) {
  const { chain, fence } = watch
  const { network } = chain
  const state = yield* WatchState
  const shared = Math.min(cursor.number, tip.latest.number)
  const ours =
    shared === cursor.number ? cursor : (yield* state.blocks(network, shared)).find(({ number }) => number === shared)
  if (ours === undefined) return { cursor, agreed: false } satisfies Reconciled
  const theirs = yield* headerAt(chain, tip, shared)
  if (theirs.hash === ours.hash) {
    yield* markLost(watch, yield* lostAbove(watch, tip, { above: cursor.number, beyond: "unknown" }))
    return { cursor, agreed: true } satisfies Reconciled
  }
  const stored = yield* state.blocks(network, 0)
  const ancestor = yield* findAncestor(
    chain,
    stored.filter(({ number }) => number <= shared),
    theirs
  )
  const lost = yield* lostAbove(watch, tip, { above: ancestor.number, beyond: "lost" })
  yield* Effect.logWarning("chain.reorganized").pipe(
    Effect.annotateLogs({ height: cursor.number, ancestor: ancestor.number, depth: cursor.number - ancestor.number })
  )
  // first, for who dies in between leaves blocks to be read again: what was marked alone would stay so if its blocks came back
  yield* state.rewind(fence, network, ancestor)
  yield* markLost(watch, lost)
  yield* countReorg(network)
  return { cursor: ancestor, agreed: true } satisfies Reconciled
})
