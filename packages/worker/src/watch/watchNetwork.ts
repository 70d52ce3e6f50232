import type { Fence } from "@bursar/core/engine/fenced"
import type { Writer } from "@bursar/core/engine/Writer"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Tip } from "@bursar/core/port/Chain"
import type { NetworkAdapter, NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import { Leadership } from "@bursar/core/port/Leadership"
import type { HeldArrivals } from "@bursar/core/port/HeldArrivals"
import type { Quarantine } from "@bursar/core/port/Quarantine"
import { WatchState } from "@bursar/core/store/WatchState"
import { Clock, Effect } from "effect"
import { showHealth } from "./metrics.ts"
import { pass, type PassEnd } from "./pass.ts"
import { bugProblem, chainProblem, type Problem, storageProblem, tooDeepProblem } from "./Problem.ts"
import { makeMempoolWatch } from "./MempoolWatch.ts"
import { makeRecentBlocks } from "./RecentBlocks.ts"
import { askNodes } from "./secondNode/askNodes.ts"
import { makeSecondNode, type SecondNodePolicy } from "./secondNode/SecondNode.ts"
import type { Watch } from "./Watch.ts"
import { defaultWatchLimits, type WatchLimits } from "./WatchLimits.ts"
import { lastingFailuresRemembered, unlessStorageFails } from "../queue/apart.ts"

/** How a network is watched. */
export interface WatchOptions {
  readonly adapter: Pick<NetworkAdapter, "accountOf" | "reader"> & { readonly keys: Pick<NetworkKeys, "keysOf"> }
  readonly currencies: CurrencyTable
  readonly limits?: WatchLimits
  /** Which arrivals need a second node; none where absent. */
  readonly secondNode?: SecondNodePolicy
}

const failed = (problem: Problem): Effect.Effect<PassEnd> => Effect.succeed({ busy: false, problem, notice: null })

/** A node whose newest block is older than this does not show how far the network is: it may still be reading it. */
const freshMs = 3_600_000

const isFresh = ({ latest }: Tip, now: number): boolean => latest.time > now - freshMs

/** One pass that ends in any case but the loss of the leadership: the rest is a problem, and is tried again. */
const survivingPass = (watch: Watch, onTip: (tip: Tip) => void) =>
  watch.chain.tip.pipe(
    Effect.tap((tip) => Effect.sync(() => onTip(tip))),
    Effect.flatMap((tip) => pass(watch, tip)),
    Effect.catchTags({
      ChainError: (error) => failed(chainProblem(error)),
      ReorgTooDeep: (error) => failed(tooDeepProblem(error)),
      StorageError: (error) => failed(storageProblem(error))
    }),
    Effect.catchDefect((defect) => failed(bugProblem(defect)))
  )

/** Says once what is wrong, when it changes, and once that it is well again. */
const tell = (before: Problem | null, now: Problem | null): Effect.Effect<void> => {
  if (before?.kind === now?.kind) return Effect.void
  if (now === null) return Effect.logInfo("watch.recovered")
  const { cause, kind, text } = now
  const log = cause === undefined ? Effect.logError("watch.problem") : Effect.logError("watch.problem", cause)
  return Effect.annotateLogs(log, { kind, problem: text })
}

/** How long to wait before the next pass. */
const waitMs = ({ chain, limits }: Watch, { busy, problem }: PassEnd, failures: number): number => {
  if (problem === null) return busy ? 0 : chain.pollIntervalMs
  if (problem.kind === "lagging" || problem.kind === "halted") return chain.pollIntervalMs
  // what can be read goes on beside what cannot
  if (busy) return limits.retryFirstMs
  return Math.min(limits.retryLongestMs, limits.retryFirstMs * 2 ** Math.min(failures - 1, 20))
}

/** The watcher during one term of leadership: passes without end. Fails only when another process leads. */
export const watchTerm = Effect.fn("watch.term")(function* (
  { adapter: { accountOf, keys, reader: chain }, currencies, limits = defaultWatchLimits, secondNode }: WatchOptions,
  fence: Fence
) {
  const watch: Watch = {
    chain,
    accountOf,
    keysOf: keys.keysOf,
    fence,
    currencies,
    limits,
    recent: makeRecentBlocks(limits.rereadBlocksMax),
    mempool: chain.mempool === undefined ? undefined : makeMempoolWatch(chain.mempool()),
    secondNode: secondNode === undefined ? undefined : makeSecondNode(secondNode),
    begun: { at: null },
    waiting: { deposits: 0, wallets: 0 },
    unreadTries: new Map(),
    failingBackfills: new Map(),
    failingOrders: new Map(),
    reread: new Map()
  }
  yield* Effect.logInfo("watch.started").pipe(Effect.annotateLogs({ epoch: fence.epoch }))
  return yield* Effect.raceFirst(passes(watch), askNodes(watch))
})

/** What failures to report are remembered by. */
const reporting = { loop: "watch" }

/** Passes without end. Fails only when another process leads. */
const passes = Effect.fnUntraced(function* (watch: Watch) {
  const state = yield* WatchState
  const { chain, fence } = watch
  const { network } = chain
  let latest: number | null = null
  let problem: Problem | null = null
  let notice: string | null = null
  let failures = 0
  while (true) {
    const now = yield* Clock.currentTimeMillis
    const end: PassEnd = yield* survivingPass(watch, (tip) => {
      latest = tip.latest.number
      if (isFresh(tip, now)) watch.begun.at ??= latest
    })
    yield* tell(problem, end.problem)
    if (end.notice !== null && end.notice !== notice)
      yield* Effect.logWarning("network.notice").pipe(Effect.annotateLogs({ notice: end.notice }))
    notice = end.notice
    problem = end.problem
    failures = problem === null ? 0 : failures + 1
    yield* showHealth(network, problem === null)
    const nodes = yield* chain.nodes ?? Effect.succeed([])
    // the next pass meets the same storage and says so
    yield* unlessStorageFails(
      reporting,
      state.report(fence, network, { latest, nodes, problem: problem?.text ?? null, notice: end.notice })
    )
    const wait = waitMs(watch, end, failures)
    yield* wait === 0 ? Effect.yieldNow : Effect.sleep(wait)
  }
})

/**
 * Watches a network for as long as it runs: elected as `watch:<network>`, one process in the fleet reads blocks, records
 * and confirms deposits, handles reorganisations and reads the past. Nothing but interruption ends it.
 */
export const watchNetwork = (
  options: WatchOptions
): Effect.Effect<never, never, HeldArrivals | Leadership | Quarantine | WatchState | Writer> =>
  Leadership.pipe(
    Effect.flatMap((leadership) =>
      leadership.lead(`watch:${options.adapter.reader.network}`, (fence) => watchTerm(options, fence))
    ),
    lastingFailuresRemembered,
    Effect.annotateLogs({ network: options.adapter.reader.network })
  )
