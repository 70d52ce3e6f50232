import type { ChainError, ChainReader, NodeRecord } from "@bursar/core/port/Chain"
import { Clock, Effect } from "effect"

const spanMs = 3_600_000
const stepMs = 300_000

interface Step {
  readonly from: number
  calls: number
  failed: number
}

/** What a node was asked in the last hour, in steps of five minutes, and how often that failed. */
export interface NodeTally {
  /** Counts a question and how it ends. One that is interrupted counts as asked alone, and one that the node was spared not at all. */
  readonly counted: <A, R>(question: Effect.Effect<A, ChainError, R>) => Effect.Effect<A, ChainError, R>
  /** The figures as of now. */
  readonly figures: Effect.Effect<Pick<NodeRecord, "calls" | "failed" | "problem" | "problemAt">>
}

/** A tally of one node, of which nothing is counted yet. */
export const makeNodeTally = (): NodeTally => {
  let steps: ReadonlyArray<Step> = []
  let problem: { readonly detail: string; readonly at: number } | undefined
  const lately = (now: number) => {
    if ((steps[0]?.from ?? now) <= now - spanMs) steps = steps.filter(({ from }) => from > now - spanMs)
    return steps
  }
  const stepOf = (now: number): Step => {
    const from = now - (now % stepMs)
    const last = lately(now).at(-1)
    if (last !== undefined && last.from >= from) return last
    const step = { from, calls: 0, failed: 0 }
    steps = [...steps, step]
    return step
  }
  return {
    counted: (question) =>
      Clock.currentTimeMillis.pipe(
        Effect.tap((now) =>
          Effect.sync(() => {
            stepOf(now).calls += 1
          })
        ),
        Effect.andThen(question),
        Effect.tapError(({ detail, reason, wasAsked }) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            if (reason === "absent") return
            if (wasAsked === false) stepOf(now).calls -= 1
            else stepOf(now).failed += 1
            problem = { detail, at: now }
          })
        )
      ),
    figures: Effect.map(Clock.currentTimeMillis, (now) => {
      const sum = (of: (step: Step) => number) => lately(now).reduce((total, step) => total + of(step), 0)
      const recent = problem !== undefined && problem.at > now - spanMs ? problem : undefined
      return {
        calls: sum(({ calls }) => calls),
        failed: sum(({ failed }) => failed),
        problem: recent?.detail ?? null,
        problemAt: recent?.at ?? null
      }
    })
  }
}

/** A reader whose questions a tally counts. */
export const countedReader = (reader: ChainReader, { counted }: NodeTally): ChainReader => {
  const { balanceChanges, mempool } = reader
  return {
    ...reader,
    tip: Effect.suspend(() => counted(reader.tip)),
    header: (number) => counted(reader.header(number)),
    block: (hash) => counted(reader.block(hash)),
    blockAt: (time) => counted(reader.blockAt(time)),
    holdings: (addresses, at) => counted(reader.holdings(addresses, at)),
    ...(balanceChanges && { balanceChanges: (block, addresses) => counted(balanceChanges(block, addresses)) }),
    ...(mempool && { mempool: () => ({ changes: counted(mempool().changes) }) })
  }
}
