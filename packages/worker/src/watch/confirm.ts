import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import type { BlockRef, ChainError, Tip } from "@bursar/core/port/Chain"
import { WatchState } from "@bursar/core/store/WatchState"
import { Array as Arr, Effect, Result } from "effect"
import { countDeposits } from "./metrics.ts"
import { inconsistent, readHeader } from "./readBlock.ts"
import { markReorged } from "./markReorged.ts"
import { admitDeposits, admitWalletTransfers, forgetSettled, heldCount } from "./secondNode/admit.ts"
import { claimedDeposit, claimedWalletTransfer } from "./secondNode/SecondNode.ts"
import { submitInEnvironment } from "./submitFenced.ts"
import { confirmAtWallets, markWalletsReorged } from "./walletTransfers.ts"
import type { Watch } from "./Watch.ts"

/**
 * The hash of the block at a height: as it is remembered, or as the node says. On the node's word a deposit may be given
 * up, so the header above must name that block as its parent.
 */
const canonicalHash = Effect.fnUntraced(function* (
  { chain }: Watch,
  { latest }: Tip,
  remembered: ReadonlyMap<number, BlockRef>,
  number: number
) {
  const known = remembered.get(number)?.hash ?? remembered.get(number + 1)?.parentHash
  if (known !== undefined) return known
  const header = yield* readHeader(chain, number)
  const above = number < latest.number ? yield* readHeader(chain, number + 1) : undefined
  if (above !== undefined && above.parentHash !== header.hash) {
    return yield* inconsistent(chain, `reading header ${number}`, `it is not the parent of header ${number + 1}`)
  }
  return header.hash
})

/** Some deposits, told apart by whether their block is on the chain. */
interface Sorted<A> {
  readonly deep: ReadonlyArray<{ readonly deposit: A; readonly blockHash: string; readonly confirmations: number }>
  readonly lost: ReadonlyArray<A>
  /** What the node did not give; the deposits of those blocks wait. */
  readonly failed: ChainError | undefined
}

const sort = Effect.fnUntraced(function* <A extends Pick<Deposit, "block">>(
  watch: Watch,
  tip: Tip,
  deposits: ReadonlyArray<A>
) {
  const state = yield* WatchState
  const byBlock = Map.groupBy(deposits, ({ block }) => block?.number)
  const lowest = Math.min(...[...byBlock.keys()].filter((number) => number !== undefined))
  const stored = yield* state.blocks(watch.chain.network, lowest)
  const remembered = new Map(stored.map((block) => [block.number, block]))
  const deep: Array<Sorted<A>["deep"][number]> = []
  const lost: Array<A> = []
  let failed: ChainError | undefined
  for (const [number, inBlock] of byBlock) {
    if (number === undefined) continue
    const canonical = yield* Effect.result(canonicalHash(watch, tip, remembered, number))
    if (Result.isFailure(canonical)) {
      failed ??= canonical.failure
      continue
    }
    const blockHash = canonical.success
    const confirmations = tip.latest.number - number + 1
    for (const deposit of inBlock) {
      if (deposit.block?.hash === blockHash) deep.push({ deposit, blockHash, confirmations })
      else lost.push(deposit)
    }
  }
  return { deep, lost, failed } satisfies Sorted<A>
})

const log = ({ block, creditedBy, id, tenantId, transferIndex, txHash }: Deposit): Effect.Effect<void> =>
  Effect.logInfo("deposit.confirmed").pipe(
    Effect.annotateLogs({
      height: block?.number,
      deposit: id,
      tenant: tenantId,
      txHash,
      transferIndex,
      credited: creditedBy !== null
    })
  )

/** Confirms arrivals at wallets whose blocks are deep enough, as deposits are. Returns whether there is more. */
const confirmWallets = Effect.fnUntraced(function* (
  watch: Watch,
  tip: Tip,
  incomingTransfers: ReadonlyArray<WalletTransfer>,
  max: number
) {
  if (incomingTransfers.length === 0) return false
  const { deep, failed, lost } = yield* sort(watch, tip, incomingTransfers)
  yield* markWalletsReorged(watch, lost)
  const admitted = yield* admitWalletTransfers(watch, deep, ({ deposit }) => claimedWalletTransfer(deposit))
  yield* confirmAtWallets(
    watch,
    admitted.map(({ deposit }) => deposit)
  )
  if (failed !== undefined) return yield* failed
  return incomingTransfers.length === max && admitted.length + lost.length > 0
})

/** What is to be confirmed up to a height, with room for what waits for a second node: it must not keep others from their turn. */
const detected = Effect.fnUntraced(function* (watch: Watch, height: number) {
  const { chain, limits, secondNode } = watch
  const state = yield* WatchState
  const max = limits.confirmationsPerPassMax + heldCount(watch)
  if (height < 0) return { max, wallets: [], deposits: [] }
  const wallets = yield* state.walletTransfersUpTo(chain.network, height, max)
  const deposits = yield* state.detectedUpTo(chain.network, height, max)
  forgetSettled(watch, [
    ...wallets.map(claimedWalletTransfer),
    ...deposits.map(claimedDeposit).filter((claimed) => claimed !== undefined)
  ])
  if (secondNode !== undefined && wallets.length < max && deposits.length < max) secondNode.isRead = true
  return { max, wallets, deposits }
})

/**
 * Confirms the deposits whose blocks are deep enough, after finding each block by its hash on the chain; a deposit whose
 * block is another by now is marked as reorged. A block that the node does not give keeps only its own deposits waiting.
 * Returns whether there is more to confirm right away.
 */
export const confirm = Effect.fn("watch.confirm")(function* (watch: Watch, cursor: BlockRef, tip: Tip) {
  const { chain, currencies, fence, limits } = watch
  const { network } = chain
  const { deposits, max, wallets } = yield* detected(watch, Math.min(tip.confirmed, cursor.number))
  const atWallets = yield* Effect.result(confirmWallets(watch, tip, wallets, max))
  const rest = Result.isSuccess(atWallets) ? Effect.succeed(atWallets.success) : Effect.fail(atWallets.failure)
  if (deposits.length === 0) return yield* rest
  const { deep, failed, lost } = yield* sort(watch, tip, deposits)
  const reorged = yield* markReorged(watch, lost)
  const admitted = yield* admitDeposits(watch, deep, ({ deposit }) => claimedDeposit(deposit))
  const byTenant = Arr.groupBy(admitted, ({ deposit }) => deposit.tenantId)
  const moved = yield* Effect.forEach(Object.values(byTenant), (ofTenant) =>
    Effect.forEach(Arr.chunksOf(ofTenant, limits.depositsPerCommandMax), (some) =>
      submitInEnvironment(fence, some[0].deposit.tenantId, confirmDeposits(some, currencies))
    )
  )
  const confirmed = moved.flat(2)
  yield* countDeposits(network, "confirmed", confirmed.length)
  yield* Effect.forEach(confirmed, log, { discard: true })
  if (failed !== undefined) return yield* failed
  const more = yield* rest
  return more || (deposits.length === max && confirmed.length + reorged.length > 0)
})
