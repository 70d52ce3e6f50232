import type { BlockRef, Tip } from "@bursar/core/port/Chain"
import { type BackfillJob, WatchState } from "@bursar/core/store/WatchState"
import { Effect, Result } from "effect"
import { quarantineUnread } from "./quarantine.ts"
import { readBlockAt } from "./readBlock.ts"
import { recordBlock } from "./recordBlock.ts"
import type { Watch } from "./Watch.ts"

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
  const read = yield* Effect.forEach(numbers, (number) => Effect.result(readBlockAt(chain, number)), {
    concurrency: limits.readAheadMax
  })
  let reached = next
  let found = 0
  for (const result of read) {
    if (Result.isFailure(result)) break
    const block = result.success
    // The block was replaced a moment ago. The next pass goes back to the common ancestor; then it is read again.
    if ((remembered.get(block.number) ?? block.hash) !== block.hash) break
    found += (yield* recordBlock(watch, block, { latest: tip.latest.number, reading: "again", only })).length
    yield* quarantineUnread(watch, block, "none")
    reached = block.number + 1
  }
  if (reached > next) yield* state.backfillProgress(fence, job, reached, last)
  if (found > 0 || reached > last) {
    yield* Effect.logInfo(reached > last ? "backfill.finished" : "backfill.advanced").pipe(
      Effect.annotateLogs({ backfill: job.id, tenant: job.tenantId, height: reached - 1, found })
    )
  }
  const failed = read.find(Result.isFailure)
  if (failed !== undefined) return yield* failed.failure
  return reached > next && reached <= readable
})

/**
 * Reads a slice of the past for each of the backfills under way, for their addresses alone and never beyond what the
 * watcher itself has read. A job that the node cannot serve does not hold up the others. Returns whether there is more
 * to read right away; fails with the first failure of the node.
 */
export const backfill = Effect.fn("watch.backfill")(function* (watch: Watch, cursor: BlockRef, tip: Tip) {
  const { chain, limits } = watch
  const state = yield* WatchState
  const jobs = yield* state.backfills(chain.network, limits.backfillsMax)
  const share = Math.max(1, Math.floor(limits.backfillBlocksPerPassMax / Math.max(1, jobs.length)))
  const results = yield* Effect.forEach(jobs, (job) =>
    readSlice(watch, job, { blocksMax: share, cursor, tip }).pipe(
      Effect.map((more) => ({ more, failed: null })),
      Effect.catchTag("ChainError", (failed) => Effect.succeed({ more: false, failed }))
    )
  )
  const failed = results.find((result) => result.failed !== null)?.failed
  if (failed) return yield* failed
  return results.some(({ more }) => more)
})
