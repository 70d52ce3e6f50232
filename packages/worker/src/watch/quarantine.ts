import { storable } from "@bursar/core/base/storable"
import type { Block, BlockRef, ChainError, Gain, UnreadTransaction } from "@bursar/core/port/Chain"
import { Quarantine, type Quarantined, type QuarantinedGain } from "@bursar/core/port/Quarantine"
import { WatchState } from "@bursar/core/store/WatchState"
import { Array as Arr, Clock, Effect } from "effect"
import { compareBalances } from "./compareBalances.ts"
import { receiversOf } from "./matchTransfers.ts"
import { countQuarantined } from "./metrics.ts"
import { inconsistent, readHeader, stateGone } from "./readBlock.ts"
import type { Watch } from "./Watch.ts"

/** Who ends a quarantine where no operator does. */
export const watcherName = "watcher"

/**
 * The unread transactions of a block that may concern somebody here, each with the gains that do: those that pay a watched address
 * or a wallet, and those of which nothing tells whom they pay.
 */
const concerning = Effect.fnUntraced(function* (watch: Watch, unread: ReadonlyArray<UnreadTransaction>) {
  const { chain, currencies } = watch
  const receivers = unread.flatMap(({ gains }) => gains ?? []).flatMap((gain) => receiversOf(watch, gain))
  if (receivers.length === 0) return unread.filter(({ gains }) => gains === null)
  const state = yield* WatchState
  const owned = new Set(
    (yield* state.owners(currencies.networks.siblings(chain.network), Arr.dedupe(receivers))).map(
      ({ address }) => address
    )
  )
  return unread.flatMap((transaction): ReadonlyArray<UnreadTransaction> => {
    if (transaction.gains === null) return [transaction]
    const gains = transaction.gains.filter((gain) => receiversOf(watch, gain).some((address) => owned.has(address)))
    return gains.length === 0 ? [] : [{ ...transaction, gains }]
  })
})

/** What was read of a gain's asset to its receiver, in the transaction, or in the block where the gain is the block's. */
const readTo = (
  watch: Watch,
  { transfers }: Block,
  txHash: string | null,
  { across, contract, ...gain }: Gain
): bigint => {
  const receivers = new Set(receiversOf(watch, gain))
  return transfers
    .filter(
      (transfer) =>
        transfer.contract === contract &&
        (across === "block" || transfer.txHash === txHash) &&
        receiversOf(watch, transfer).some((address) => receivers.has(address))
    )
    .reduce((sum, { units }) => sum + units, 0n)
}

const withAlreadyRead = (watch: Watch, block: Block, { gains, reason, txHash }: UnreadTransaction) => ({
  txHash,
  reason,
  gains:
    gains?.map((gain): QuarantinedGain => {
      const alreadyRead = readTo(watch, block, txHash, gain)
      return alreadyRead === 0n ? gain : { ...gain, alreadyRead }
    }) ?? null
})

/**
 * Whether everything that something in quarantine may have brought has been found in its block, read again. Of what nothing told what it may have brought
 * there is nothing to look for: that it could be read now is enough, as all that it moved is recorded with that.
 */
export const isExplained = (watch: Watch, block: Block, { gains, txHash }: Pick<Quarantined, "gains" | "txHash">) =>
  (gains ?? []).every((gain) => readTo(watch, block, txHash, gain) - (gain.alreadyRead ?? 0n) >= gain.units)

/** Puts into quarantine what was not read of a block: some transactions, or the whole block. */
const add = Effect.fnUntraced(function* (
  { chain: { network }, fence }: Watch,
  { hash, number, time }: BlockRef,
  unread: ReadonlyArray<Pick<Quarantined, "gains" | "reason" | "txHash">>
) {
  const noticedAt = yield* Clock.currentTimeMillis
  const quarantine = yield* Quarantine
  const entries = unread.map(({ gains, reason, txHash }): Quarantined => ({
    network,
    block: { hash, number, time },
    txHash,
    reason: storable(reason),
    gains,
    noticedAt
  }))
  yield* quarantine.add(fence, entries)
  yield* countQuarantined(network, entries.length)
  yield* Effect.forEach(
    entries,
    ({ gains, reason, txHash }) =>
      Effect.logError("block.quarantined").pipe(
        Effect.annotateLogs({
          height: number,
          block: hash,
          txHash: txHash ?? "all",
          reason,
          gains: gains === null ? "unknown" : gains.map(({ to, units }) => `${to} ${units}`).join(", ")
        })
      ),
    { discard: true }
  )
})

/** What tries are counted by for all blocks whose state the node does not keep. */
const ofStateGone = "state gone"

/** What it is noted by that the tries of a block were in vain. */
const inVain = "in vain"

/**
 * Whether what could not be read is to be tried again first: a node may have been at fault. Once tries were in vain, no block is tried
 * again before the watcher has caught up: whoever pays can make each block unreadable, and one that is behind finds a thousand whose
 * state the node does not keep. Tries that help are not counted.
 */
const triesAgain = ({ limits, unreadTries }: Watch, { hash, isStateGone }: Block): boolean => {
  const key = isStateGone === true ? ofStateGone : hash
  if (key === hash && unreadTries.has(inVain)) return false
  const tries = (unreadTries.get(key) ?? 0) + 1
  if (tries < limits.unreadTriesMax) {
    unreadTries.set(key, tries)
    return true
  }
  if (key === hash) unreadTries.set(inVain, tries)
  return false
}

/** Notes that the watcher has caught up: what cannot be read then is tried again first. */
export const caughtUp = ({ unreadTries }: Pick<Watch, "unreadTries">): void => unreadTries.clear()

/**
 * Deals with the transactions of a block that could not be read. What concerns nobody here is passed. Else the block is to be read
 * again a few times (the answer is why). Then balances are compared where nothing tells whom a transaction paid, and what may still concern
 * somebody goes into quarantine, each by itself, and reading goes on.
 */
export const quarantineUnread = Effect.fn("watch.quarantineUnread")(function* (
  watch: Watch,
  block: Block,
  patience: "retry" | "none" = "retry"
) {
  const unread = block.unread === undefined ? [] : yield* concerning(watch, block.unread)
  const [first] = unread
  if (first === undefined) {
    watch.unreadTries.delete(block.hash)
    return undefined
  }
  if (patience === "retry" && triesAgain(watch, block))
    return block.isStateGone === true
      ? stateGone(watch.chain, block)
      : inconsistent(
          watch.chain,
          `reading block ${block.number}`,
          `transaction ${first.txHash} cannot be read: ${first.reason}`
        )
  const compared = yield* compareBalances(watch, block)
  const open = yield* concerning(watch, compared)
  yield* add(
    watch,
    block,
    open.map((transaction) => withAlreadyRead(watch, block, transaction))
  )
  return undefined
})

/** Steps over a block that an operator told to pass: it goes into quarantine whole. */
export const quarantineBlock = (watch: Watch, block: BlockRef, { detail }: Pick<ChainError, "detail">) =>
  add(watch, block, [{ txHash: null, reason: detail, gains: null }])

/**
 * Whether an operator told to pass a block, which has not been read since: who reads the past, or again, steps over it too. Whatever
 * it holds is found for all addresses when it is ordered to be read again.
 */
export const wasPassed = Effect.fnUntraced(function* ({ chain }: Watch, number: number) {
  const quarantine = yield* Quarantine
  const passed = (yield* quarantine.passedWhole(chain.network, number)).filter((block) => block.number === number)
  if (passed.length === 0) return false
  const { hash } = yield* readHeader(chain, number)
  return passed.some((block) => block.hash === hash)
})

/** Ends the quarantine of what stood in blocks that are not on the chain any more: it is found again where it is mined again. */
export const endLost = Effect.fn("watch.endLost")(function* (
  { chain: { network } }: Watch,
  lost: ReadonlyArray<Pick<Quarantined, "block">>
) {
  const quarantine = yield* Quarantine
  const at = yield* Clock.currentTimeMillis
  const end = { outcome: "gone", by: watcherName, reason: "the block was replaced", at } as const
  for (const blockHash of new Set(lost.map(({ block }) => block.hash)))
    yield* quarantine.end({ network, blockHash, txHash: "all" }, end)
})
