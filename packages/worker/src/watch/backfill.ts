import type { Block, BlockRef, ChainError, Tip } from "@bursar/core/port/Chain"
import { storable } from "@bursar/core/base/storable"
import { isUnstorable } from "@bursar/core/engine/StorageError"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { type BackfillJob, WatchState } from "@bursar/core/store/WatchState"
import { Clock, Effect, Result } from "effect"
import { bugProblem, chainProblem, type Problem, storageProblem } from "./Problem.ts"
import { quarantineUnread, wasPassed } from "./quarantine.ts"
import { readHeader, readRemembered, stateGone } from "./readBlock.ts"
import { recordBlock } from "./recordBlock.ts"
import type { Watch } from "./Watch.ts"
import { putOffMs } from "./WatchLimits.ts"

/** Blocks tell their times in whole seconds, rounded down. */
const wholeSecond = (time: number): number => Math.floor(time / 1_000) * 1_000

/** Where a job has to read next and last; a new one gets its bounds, which are stored at once. */
const boundsOf = Effect.fnUntraced(function* ({ chain, fence }: Watch, job: BackfillJob, cursor: BlockRef) {
  if (job.nextBlock !== null && job.lastBlock !== null) return { next: job.nextBlock, last: job.lastBlock }
  const next = job.fromBlock ?? (yield* chain.blockAt(wholeSecond(job.fromTime))).number
  const state = yield* WatchState
  yield* state.backfillProgress(fence, job, next, cursor.number)
  return { next, last: cursor.number }
})

/**
 * Whether a block has to be told whole before a search goes past it. Where its state is gone, one that stands in quarantine is found for all
 * addresses when it is ordered to be read again; that one of its transactions stands there is not enough. The others wait for a node that
 * keeps the state: a search may go through more blocks than anybody could look at.
 */
const mustWait = Effect.fnUntraced(function* (watch: Watch, { hash, isStateGone, number }: Block) {
  if (isStateGone !== true) return false
  const quarantine = yield* Quarantine
  const open = yield* quarantine.openIn(watch.chain.network, hash)
  const isNoted = open.some(({ txHash }) => txHash === null || txHash === hash)
  return !isNoted && !(yield* wasPassed(watch, number))
})

/** Reads the next blocks of one job. Returns whether there is more to read right away. */
const readSlice = Effect.fn("watch.readSlice")(function* (
  watch: Watch,
  job: BackfillJob,
  { blocksMax, cursor, tip }: { readonly blocksMax: number; readonly cursor: BlockRef; readonly tip: Tip }
) {
  const { chain, fence, limits } = watch
  const state = yield* WatchState
  const { last, next } = yield* boundsOf(watch, job, cursor)
  const readable = Math.min(last, cursor.number, tip.latest.number)
  const until = Math.min(readable, next + blocksMax - 1)
  if (until < next) return false
  const remembered = new Map((yield* state.blocks(chain.network, next)).map(({ hash, number }) => [number, hash]))
  const only = new Map(job.addresses.map((address) => [address, { tenantId: job.tenantId }]))
  const numbers = Array.from({ length: until - next + 1 }, (_, index) => next + index)
  const read = yield* Effect.forEach(
    numbers,
    (number) => Effect.result(Effect.flatMap(readHeader(chain, number), (header) => readRemembered(watch, header))),
    { concurrency: limits.readAheadMax }
  )
  let reached = next
  let found = 0
  let failed: ChainError | undefined
  for (const [index, result] of read.entries()) {
    if (Result.isFailure(result)) {
      // one that may only be late is asked for a few times first
      const isLate = result.failure.reason === "unreachable" && (index > 0 || job.failures < limits.unreadTriesMax)
      if (!isLate && (yield* wasPassed(watch, next + index))) {
        yield* Effect.logWarning("backfill.block_passed").pipe(
          Effect.annotateLogs({ backfill: job.id, tenant: job.tenantId, height: next + index })
        )
        reached = next + index + 1
        continue
      }
      failed = result.failure
      break
    }
    const block = result.success
    // The block was replaced a moment ago. The next pass goes back to the common ancestor; then it is read again.
    if ((remembered.get(block.number) ?? block.hash) !== block.hash) break
    if (yield* mustWait(watch, block)) {
      failed = stateGone(chain, block)
      break
    }
    found += (yield* recordBlock(watch, block, { latest: tip.latest.number, reading: "again", only })).length
    // one whose state is gone stands in quarantine already
    if (block.isStateGone !== true) yield* quarantineUnread(watch, block, "none")
    reached = block.number + 1
  }
  if (reached > next) yield* state.backfillProgress(fence, job, reached, last)
  if (found > 0 || reached > last) {
    yield* Effect.logInfo(reached > last ? "backfill.finished" : "backfill.advanced").pipe(
      Effect.annotateLogs({ backfill: job.id, tenant: job.tenantId, height: reached - 1, found })
    )
  }
  if (failed !== undefined) return yield* failed
  return reached > next && reached <= readable
})

/** Puts a job off that could not be read, for longer each time, so that it keeps the place of no other. */
const putOff = Effect.fnUntraced(function* (watch: Watch, job: BackfillJob, { text }: Problem) {
  const { failingBackfills, fence, limits } = watch
  const state = yield* WatchState
  const dueAt = (yield* Clock.currentTimeMillis) + putOffMs(limits, job.failures)
  yield* state.putOffBackfill(fence, job, { dueAt, failures: job.failures + 1, problem: storable(text) })
  failingBackfills.set(job.id, dueAt)
  if (job.failures === 0)
    yield* Effect.logWarning("backfill.failed").pipe(
      Effect.annotateLogs({ backfill: job.id, tenant: job.tenantId, problem: text })
    )
  return false
})

/** Notes that a job could be read, and lets the next ones come before it where some wait. */
const goOn = Effect.fnUntraced(function* (watch: Watch, job: BackfillJob, isFull: boolean) {
  const state = yield* WatchState
  watch.failingBackfills.delete(job.id)
  if (!isFull && job.failures === 0) return
  const dueAt = yield* Clock.currentTimeMillis
  yield* state.putOffBackfill(watch.fence, job, { dueAt, failures: 0, problem: null })
})

/**
 * Reads a slice of the past for each of the backfills under way, for their addresses alone and never beyond what the
 * watcher itself has read. A job that cannot be read is put off, and holds up neither the others nor the network. Returns whether there is more
 * to read right away.
 */
export const backfill = Effect.fn("watch.backfill")(function* (watch: Watch, cursor: BlockRef, tip: Tip) {
  const { chain, failingBackfills, limits } = watch
  const state = yield* WatchState
  const now = yield* Clock.currentTimeMillis
  const jobs = yield* state.dueBackfills(chain.network, now, limits.backfillsMax)
  const share = Math.max(1, Math.floor(limits.backfillBlocksPerPassMax / Math.max(1, jobs.length)))
  const isFull = jobs.length >= limits.backfillsMax
  // an operator has ended those whose turn has come and that are not among them
  if (!isFull)
    for (const [id, dueAt] of failingBackfills)
      if (dueAt <= now && !jobs.some((job) => job.id === id)) failingBackfills.delete(id)
  const more = yield* Effect.forEach(jobs, (job) =>
    readSlice(watch, job, { blocksMax: share, cursor, tip }).pipe(
      Effect.tap(() => goOn(watch, job, isFull)),
      Effect.catchTag("ChainError", (error) => putOff(watch, job, chainProblem(error))),
      Effect.catchIf(isUnstorable, (error) => putOff(watch, job, storageProblem(error))),
      Effect.catchDefect((defect) => putOff(watch, job, bugProblem(defect)))
    )
  )
  return more.includes(true)
})
