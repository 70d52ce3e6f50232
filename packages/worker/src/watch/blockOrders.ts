import type { BlockRef, Tip } from "@bursar/core/port/Chain"
import { type BlockOrder, Quarantine } from "@bursar/core/port/Quarantine"
import { WatchState } from "@bursar/core/store/WatchState"
import { Clock, Effect, Result } from "effect"
import { chainProblem } from "./Problem.ts"
import { isExplained, quarantineBlock, quarantineUnread, watcherName } from "./quarantine.ts"
import { inconsistent, readBlockAt, readHeader, readRemembered, stateGone } from "./readBlock.ts"
import { recordBlock } from "./recordBlock.ts"
import type { Watch } from "./Watch.ts"
import { putOffMs } from "./WatchLimits.ts"

/** An operator's order to pass a block of this number, if there is one. */
export const orderToPass = Effect.fnUntraced(function* ({ chain: { network } }: Watch, number: number) {
  const { orders } = yield* Quarantine
  return (yield* orders(network)).find((order) => order.kind === "PASS" && order.number === number)
})

const reread = Effect.fn("watch.reread")(function* (watch: Watch, order: BlockOrder, tip: Tip) {
  const { chain, fence } = watch
  const { network } = chain
  const state = yield* WatchState
  const quarantine = yield* Quarantine
  const block = yield* readBlockAt(chain, order.number)
  const remembered = (yield* state.blocks(network, order.number)).find(({ number }) => number === order.number)
  if (remembered !== undefined && remembered.hash !== block.hash)
    return yield* inconsistent(chain, `reading block ${order.number} again`, "another block was read at that height")
  yield* recordBlock(watch, block, { latest: tip.latest.number, reading: "again" })
  // what could be told counts; the rest waits for a node that keeps the state
  if (block.isStateGone === true) return yield* stateGone(chain, block)
  yield* quarantineUnread(watch, block, "none")
  const unread = new Set((block.unread ?? []).map(({ txHash }) => txHash))
  const open = yield* quarantine.openIn(network, block.hash)
  const end = {
    outcome: "read",
    by: watcherName,
    reason: `read again for ${order.by}`,
    at: yield* Clock.currentTimeMillis
  } as const
  // the whole block, also where an operator ended its entry as passed: it is to be stepped over no more
  yield* quarantine.end({ network, blockHash: block.hash, txHash: "" }, end)
  const here = open.filter(({ txHash }) => txHash !== null && !unread.has(txHash))
  const explained = here.filter((entry) => isExplained(watch, block, entry))
  for (const { txHash } of explained)
    yield* quarantine.end({ network, blockHash: block.hash, txHash: txHash ?? "" }, end)
  const unexplained = here.length - explained.length
  yield* quarantine.carriedOut(fence, order)
  yield* Effect.logInfo("block.reread").pipe(
    Effect.annotateLogs({ height: order.number, operator: order.by, unread: unread.size, unexplained })
  )
})

/**
 * Passes a block behind the cursor, at which a search of the past stands, where it still cannot be read: it goes into quarantine whole. An order to pass a
 * block that could be read after all must not outlive it, and pass another block at that height after a reorganisation.
 */
const passBehind = Effect.fn("watch.passBehind")(function* (watch: Watch, order: BlockOrder) {
  const { chain, fence } = watch
  const quarantine = yield* Quarantine
  const header = yield* readHeader(chain, order.number)
  const read = yield* Effect.result(readRemembered(watch, header))
  if (Result.isFailure(read)) yield* quarantineBlock(watch, header, read.failure)
  else if (read.success.isStateGone === true)
    yield* quarantineBlock(watch, header, stateGone(watch.chain, read.success))
  else
    yield* Effect.logInfo("block.pass_unneeded").pipe(
      Effect.annotateLogs({ height: order.number, block: header.hash, operator: order.by })
    )
  yield* quarantine.carriedOut(fence, order)
})

/** Whether an operator gave a failing order once more, or another for the same block: that is tried at once. */
const isSameOrder = (one: BlockOrder, other: BlockOrder): boolean => one.kind === other.kind && one.at === other.at

/**
 * Carries an order out, or puts it off for longer each time, as the node has not given a block of the past: that is no problem of the network.
 * Returns whether it was carried out.
 */
const carryOut = Effect.fnUntraced(function* (watch: Watch, order: BlockOrder, tip: Tip) {
  const { failingOrders, limits } = watch
  const { kind, number } = order
  const done = yield* (kind === "PASS" ? passBehind(watch, order) : reread(watch, order, tip)).pipe(
    Effect.as(undefined),
    Effect.catchTag("ChainError", (error) => Effect.succeed(error))
  )
  const before = failingOrders.get(number)
  if (done === undefined) {
    failingOrders.delete(number)
    return true
  }
  const failures = before !== undefined && isSameOrder(before.order, order) ? before.failures : 0
  const dueAt = (yield* Clock.currentTimeMillis) + putOffMs(limits, failures)
  failingOrders.set(number, { order, failures: failures + 1, dueAt })
  if (before === undefined)
    yield* Effect.logWarning("block.order_failed").pipe(
      Effect.annotateLogs({ height: number, kind, operator: order.by, problem: chainProblem(done).text })
    )
  return false
})

/** Of those that failed, so large a share of a pass is asked for again: each costs a node as much as a new block. */
const failingShare = 10

/**
 * Reads the blocks again that operators have named, all that the watcher has come past, and passes those at which a search of the past stands. What was recorded before changes nothing.
 * An order that cannot be carried out is tried again later, and keeps none of the others. Operators may name thousands, so a pass takes some:
 * new ones first, and a few of those that failed. Once one of these succeeds, the others are due: a node has come back. Returns whether more are left
 * that may succeed.
 */
export const rereadOrdered = Effect.fn("watch.rereadOrdered")(function* (watch: Watch, cursor: BlockRef, tip: Tip) {
  const { failingOrders, limits } = watch
  const { orders } = yield* Quarantine
  const now = yield* Clock.currentTimeMillis
  const due = (yield* orders(watch.chain.network)).filter(({ number }) => number <= cursor.number)
  const byNumber = new Map(due.map((order) => [order.number, order]))
  for (const number of failingOrders.keys()) if (!byNumber.has(number)) failingOrders.delete(number)
  const isFailing = (order: BlockOrder) => {
    const failing = failingOrders.get(order.number)
    return failing !== undefined && isSameOrder(failing.order, order)
  }
  const dueAt = ({ number }: BlockOrder) => failingOrders.get(number)?.dueAt ?? now
  const fresh = due.filter((order) => !isFailing(order))
  // none is put off for longer: the clock was ahead when it failed
  const isDue = (order: BlockOrder) => dueAt(order) <= now || dueAt(order) > now + limits.backfillRetryLongestMs
  // those that failed longest ago come first
  const failing = due
    .filter((order) => isFailing(order) && isDue(order))
    .toSorted((one, other) => dueAt(one) - dueAt(other))
  const freshNow = fresh.slice(0, limits.backfillBlocksPerPassMax)
  const room = limits.backfillBlocksPerPassMax - freshNow.length
  const again = failing.slice(0, Math.min(room, Math.ceil(limits.backfillBlocksPerPassMax / failingShare)))
  yield* Effect.forEach(freshNow, (order) => carryOut(watch, order, tip), { discard: true })
  const succeeded = yield* Effect.forEach(again, (order) => carryOut(watch, order, tip))
  const isBack = succeeded.includes(true)
  if (isBack) for (const [number, one] of failingOrders) failingOrders.set(number, { ...one, dueAt: now })
  return fresh.length > freshNow.length || (isBack && failingOrders.size > 0)
})
