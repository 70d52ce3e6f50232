import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { nothingUndecided, type Undecided } from "@bursar/core/deposit/undecided"
import type { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import type { BlockRef, ChainError, Tip } from "@bursar/core/port/Chain"
import { WatchState } from "@bursar/core/store/WatchState"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Array as Arr, Effect, identity, Result } from "effect"
import { countDeposits } from "./metrics.ts"
import { inconsistent, readHeader } from "./readBlock.ts"
import { eachStorable } from "./eachStorable.ts"
import { markReorged, tellReorged } from "./markReorged.ts"
import { goneAgreed } from "./secondNode/reorgAgreed.ts"
import { admitDeposits, admitWalletTransfers, forgetSettled, heldCount } from "./secondNode/admit.ts"
import { claimedDeposit, claimedWalletTransfer, claimKey } from "./secondNode/SecondNode.ts"
import { submitInEnvironment } from "./submitFenced.ts"
import { confirmAtWallets, markWalletsReorged } from "./walletTransfers.ts"
import type { Watch } from "./Watch.ts"

/** The hash of the block at a height as the node says. On its word a deposit may be given up, so the header above must name that block as its parent. */
const hashByNode = Effect.fnUntraced(function* ({ chain }: Watch, { latest }: Tip, number: number) {
  const header = yield* readHeader(chain, number)
  const above = number < latest.number ? yield* readHeader(chain, number + 1) : undefined
  if (above !== undefined && above.parentHash !== header.hash) {
    return yield* inconsistent(chain, `reading header ${number}`, `it is not the parent of header ${number + 1}`)
  }
  return header.hash
})

/**
 * The hash of the block at a height in which deposits stand: as it is remembered, or as the node says. What is forgotten is never read again, so
 * that a deposit there would be given up for good: nodes of two operators have to say that it is gone, where there are as many.
 */
const canonicalHash = Effect.fnUntraced(function* (
  watch: Watch,
  tip: Tip,
  remembered: ReadonlyMap<number, BlockRef>,
  number: number,
  hashes: ReadonlySet<string>
) {
  const known = remembered.get(number)?.hash ?? remembered.get(number + 1)?.parentHash
  if (known !== undefined) return known
  const canonical = yield* hashByNode(watch, tip, number)
  const lost = [...hashes].filter((hash) => hash !== canonical)
  yield* goneAgreed(
    watch,
    lost.map((hash) => ({ hash, number }))
  )
  return canonical
})

/** Some deposits, told apart by whether their block is on the chain. */
interface Sorted<A> {
  readonly deep: ReadonlyArray<{ readonly deposit: A; readonly blockHash: string; readonly confirmations: number }>
  readonly lost: ReadonlyArray<A>
  /** What the node did not give; the deposits of those blocks wait, as many as `stuck`. */
  readonly failed: ChainError | undefined
  readonly stuck: number
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
  let stuck = 0
  for (const [number, inBlock] of byBlock) {
    if (number === undefined) continue
    const hashes = new Set(inBlock.map(({ block }) => block?.hash ?? ""))
    const canonical = yield* Effect.result(canonicalHash(watch, tip, remembered, number, hashes))
    if (Result.isFailure(canonical)) {
      failed ??= canonical.failure
      stuck += inBlock.length
      continue
    }
    const blockHash = canonical.success
    const confirmations = tip.latest.number - number + 1
    for (const deposit of inBlock) {
      if (deposit.block?.hash === blockHash) deep.push({ deposit, blockHash, confirmations })
      else lost.push(deposit)
    }
  }
  return { deep, lost, failed, stuck } satisfies Sorted<A>
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

/** For so many whose blocks a node does not give there is room at most: where it gives none, all are asked about again in each pass. */
const stuckMax = ({ limits }: Watch): number => 10 * limits.confirmationsPerPassMax

/** Whether operators have refused a deposit: it never counts in its block. */
const isRefused = ({ secondNode }: Watch, deposit: Deposit): boolean => {
  const claimed = claimedDeposit(deposit)
  return claimed !== undefined && secondNode?.claims.get(claimKey(claimed))?.verdict === "refused"
}

/** What is undecided of a tenant's deposits, but for some that are about to be decided. */
const undecidedOf = (
  watch: Watch,
  { deposits, from }: Undecided,
  tenantId: TenantId,
  about: ReadonlyArray<{ readonly deposit: Deposit }> = []
): Undecided => {
  const decided = new Set(about.map(({ deposit }) => deposit.id))
  const isOpen = (one: Deposit) => one.tenantId === tenantId && !decided.has(one.id) && !isRefused(watch, one)
  return { from, deposits: deposits.filter(isOpen) }
}

/** Confirms arrivals at wallets whose blocks are deep enough, as deposits are. Returns whether there is more. */
const confirmWallets = Effect.fnUntraced(function* (
  watch: Watch,
  tip: Tip,
  { max, undecided, wallets }: Pick<Detected, "max" | "undecided" | "wallets">
) {
  if (wallets.length === 0) return false
  const { deep, failed, lost, stuck } = yield* sort(watch, tip, wallets)
  const reorged = yield* eachStorable(watch, lost, { of: identity, submit: (some) => markWalletsReorged(watch, some) })
  const admitted = yield* admitWalletTransfers(watch, deep, ({ deposit }) => claimedWalletTransfer(deposit))
  const confirmed = yield* eachStorable(
    watch,
    admitted.map(({ deposit }) => deposit),
    {
      of: identity,
      submit: (some) => confirmAtWallets(watch, some, (tenantId) => undecidedOf(watch, undecided, tenantId))
    }
  )
  const left = admitted.length - confirmed.length + lost.length - reorged.length
  watch.waiting.wallets = left + Math.min(stuck, stuckMax(watch))
  if (failed !== undefined) return yield* failed
  return wallets.length === max.wallets && confirmed.length + reorged.length > 0
})

/** What is to be confirmed up to a height. */
interface Detected {
  /** As much was read at most. */
  readonly max: { readonly deposits: number; readonly wallets: number }
  readonly wallets: ReadonlyArray<WalletTransfer>
  readonly undecided: Undecided
}

/** Reads what is to be confirmed, with room for what waits for a second node or for what came before: it must not keep others from their turn. */
const detected = Effect.fnUntraced(function* (watch: Watch, height: number) {
  const { chain, limits, secondNode, waiting } = watch
  const state = yield* WatchState
  const room = limits.confirmationsPerPassMax + heldCount(watch)
  const max = { deposits: room + waiting.deposits, wallets: room + waiting.wallets }
  if (height < 0) return { max, wallets: [], undecided: nothingUndecided } satisfies Detected
  const wallets = yield* state.walletTransfersUpTo(chain.network, height, max.wallets)
  const deposits = yield* state.detectedUpTo(chain.network, height, max.deposits)
  forgetSettled(watch, [
    ...wallets.map(claimedWalletTransfer),
    ...deposits.map(claimedDeposit).filter((claimed) => claimed !== undefined)
  ])
  const all = wallets.length < max.wallets && deposits.length < max.deposits
  if (secondNode !== undefined && all) secondNode.isRead = true
  // they come by their blocks, of which the last may go on behind what was read
  const from = deposits.length < max.deposits ? null : (deposits.at(-1)?.block?.number ?? null)
  return { max, wallets, undecided: { deposits, from } } satisfies Detected
})

/** Confirms deposits whose blocks are deep enough. Returns whether there is more. */
const confirmFound = Effect.fnUntraced(function* (watch: Watch, tip: Tip, { max, undecided }: Detected) {
  const { chain, currencies, fence } = watch
  const { deposits } = undecided
  if (deposits.length === 0) return false
  const { deep, failed, lost, stuck } = yield* sort(watch, tip, deposits)
  const reorged = yield* eachStorable(watch, lost, { of: identity, submit: (some) => markReorged(watch, some) })
  const admitted = yield* admitDeposits(watch, deep, ({ deposit }) => claimedDeposit(deposit))
  const confirmed = yield* eachStorable(watch, admitted, {
    of: ({ deposit }) => deposit,
    submit: (some) => {
      const { tenantId } = some[0].deposit
      const command = confirmDeposits(some, currencies, undecidedOf(watch, undecided, tenantId, some))
      return submitInEnvironment(fence, tenantId, command)
    }
  })
  const left = admitted.length - confirmed.length + lost.length - reorged.length
  watch.waiting.deposits = left + Math.min(stuck, stuckMax(watch))
  // what was found to be coin of ours for network fees counts no more
  const [arrived, ours] = Arr.partition(confirmed, (one) =>
    one.status === "CONFIRMED" ? Result.succeed(one) : Result.fail(one)
  )
  yield* countDeposits(chain.network, "confirmed", arrived.length)
  yield* Effect.forEach(arrived, log, { discard: true })
  yield* tellReorged(chain.network, ours)
  if (failed !== undefined) return yield* failed
  return deposits.length === max.deposits && confirmed.length + reorged.length > 0
})

/**
 * Confirms what came in blocks that are deep enough, after finding each block by its hash on the chain; what came in one that is another by
 * now is marked as reorged. A block that the node does not give keeps only what came in it waiting, and what the tenant moved on from there.
 * Wallets come after deposits: what the tenant moves to them was credited first where it came from. What the storage cannot
 * hold keeps nothing else waiting. Returns whether there is more to confirm right away.
 */
export const confirm = Effect.fn("watch.confirm")(function* (watch: Watch, cursor: BlockRef, tip: Tip) {
  const found = yield* detected(watch, Math.min(tip.confirmed, cursor.number))
  const deposits = yield* Effect.result(confirmFound(watch, tip, found))
  const wallets = yield* Effect.result(confirmWallets(watch, tip, found))
  // both are asked: what failed of one is told though there is more of the other
  const more = [yield* Effect.fromResult(deposits), yield* Effect.fromResult(wallets)]
  return more.includes(true)
})
