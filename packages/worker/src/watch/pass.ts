import type { BlockRef, ChainError, Tip } from "@bursar/core/port/Chain"
import type { Fenced } from "@bursar/core/port/Leadership"
import { isUnstorable, type StorageError } from "@bursar/core/engine/StorageError"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { WatchState } from "@bursar/core/store/WatchState"
import { Effect } from "effect"
import { backfill } from "./backfill.ts"
import { confirm } from "./confirm.ts"
import { rereadOrdered } from "./blockOrders.ts"
import { showHeight, showHeld, showQuarantine } from "./metrics.ts"
import { chainProblem, lagProblem, noticeOf, type Problem, storageProblem } from "./Problem.ts"
import { readMempool } from "./readMempool.ts"
import { readNewBlocks } from "./readNewBlocks.ts"
import { reconcile } from "./reconcile.ts"
import { rereadWatched } from "./rereadWatched.ts"
import { heldSummary } from "./secondNode/tell.ts"
import { startCursor } from "./startCursor.ts"
import type { Watch } from "./Watch.ts"

/** How a pass ended. */
export interface PassEnd {
  /** Whether the next pass has work right away. */
  readonly busy: boolean
  readonly problem: Problem | null
  /** What a person has to know though reading goes well; null where there is nothing, or where that is not known. */
  readonly notice: string | null
}

type PartEnd = Omit<PassEnd, "notice">

const idle = { busy: false, problem: null }

/** Turns what the node failed to give, or what the storage cannot hold, into the end of this part; the other parts go on. */
const part = <R>(effect: Effect.Effect<boolean, ChainError | StorageError | Fenced, R>) =>
  effect.pipe(
    Effect.map((busy): PartEnd => ({ busy, problem: null })),
    Effect.catchTag("ChainError", (error) => Effect.succeed<PartEnd>({ busy: false, problem: chainProblem(error) })),
    Effect.catchIf(isUnstorable, (error) => Effect.succeed<PartEnd>({ busy: false, problem: storageProblem(error) }))
  )

const read = Effect.fnUntraced(function* (watch: Watch, known: BlockRef | undefined, tip: Tip) {
  if (known === undefined) return yield* readNewBlocks(watch, yield* startCursor(watch, tip), tip)
  const { agreed, cursor } = yield* reconcile(watch, known, tip)
  return agreed ? yield* readNewBlocks(watch, { cursor, next: cursor.number + 1 }, tip) : undefined
})

/** What a person has to know though reading goes well. */
const notice = Effect.fnUntraced(function* (watch: Watch, tip: Tip) {
  const { failingBackfills, failingOrders, secondNode } = watch
  const { network } = watch.chain
  const quarantine = yield* Quarantine
  const open = yield* quarantine.openCount(network)
  yield* showQuarantine(network, open)
  const held = heldSummary(secondNode)
  yield* showHeld(network, held)
  return noticeOf(tip, open, held, failingBackfills.size, [...failingOrders.keys()])
})

/**
 * One pass over a network: makes what is remembered agree with the chain, reads the new blocks, confirms what is deep
 * enough, reads what waits for a block, and then reads again or reads the past for those who asked. What the node fails to give, or the storage
 * cannot hold, for one of these does not keep the others from being done.
 */
export const pass = Effect.fn("watch.pass")(function* (watch: Watch, tip: Tip) {
  const { network } = watch.chain
  const state = yield* WatchState
  const reading = yield* read(watch, yield* state.cursor(network), tip)
  const cursor = reading?.cursor ?? (yield* state.cursor(network))
  if (cursor === undefined) {
    return {
      busy: false,
      problem: reading?.failed ? chainProblem(reading.failed) : null,
      notice: null
    } satisfies PassEnd
  }
  yield* showHeight(network, cursor.number, tip.latest.number)
  if (reading === undefined)
    return {
      busy: false,
      problem: lagProblem(network, tip.latest.number, cursor.number),
      notice: null
    } satisfies PassEnd
  const { mempool } = watch
  const current = reading.failed === null && !reading.more
  const ends: ReadonlyArray<PartEnd> = [
    { busy: reading.more, problem: reading.failed === null ? null : chainProblem(reading.failed) },
    yield* part(confirm(watch, cursor, tip)),
    mempool !== undefined && current ? yield* part(readMempool(watch, mempool, cursor)) : idle,
    yield* part(Effect.as(rereadWatched(watch, cursor, tip), false)),
    yield* part(rereadOrdered(watch, cursor, tip)),
    reading.failed === null ? yield* part(backfill(watch, cursor, tip)) : idle
  ]
  const lag = tip.latest.number < cursor.number ? lagProblem(network, tip.latest.number, cursor.number) : null
  return {
    busy: ends.some(({ busy }) => busy),
    problem: ends.find(({ problem }) => problem !== null)?.problem ?? lag,
    notice: yield* notice(watch, tip)
  } satisfies PassEnd
})
