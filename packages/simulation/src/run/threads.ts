import { Worker } from "node:worker_threads"
import { Effect, type Scope, Semaphore } from "effect"
import type { Report } from "./Report.ts"
import { runReported, type Task } from "./runReported.ts"

/** Runs a world, on whichever thread is free. */
export type RunWorlds = (task: Task) => Effect.Effect<Report>

/** Room for what a world makes and forgets at once, in MiB: with the platform's own, a fifth of the time goes into collecting it. */
const youngMiB = 192

/** A thread that runs one world at a time. */
const openThread = Effect.acquireRelease(
  Effect.sync(
    () =>
      new Worker(new URL("worldThread.ts", import.meta.url), { resourceLimits: { maxYoungGenerationSizeMb: youngMiB } })
  ),
  (thread) => Effect.promise(() => thread.terminate())
)

const runOn = (thread: Worker, task: Task): Effect.Effect<Report> =>
  Effect.callback((resume) => {
    const fail = (error: Error) => resume(Effect.die(error))
    thread.once("error", fail)
    thread.once("message", (report: Report) => {
      thread.off("error", fail)
      resume(Effect.succeed(report))
    })
    // oxlint-disable-next-line require-post-message-target-origin -- threads have no origin
    thread.postMessage(task)
  })

/** So many threads that run worlds, until the scope closes. One alone is this one. */
export const openThreads = Effect.fnUntraced(function* (
  count: number
): Effect.fn.Return<RunWorlds, never, Scope.Scope> {
  const turn = yield* Semaphore.make(count)
  if (count === 1) return (task) => turn.withPermit(runReported(task))
  const free = yield* Effect.forEach(Array.from({ length: count }), () => openThread)
  return (task) =>
    turn.withPermit(
      Effect.acquireUseRelease(
        Effect.sync(() => free.pop()),
        (thread) => (thread === undefined ? Effect.die(new Error("no thread is free")) : runOn(thread, task)),
        (thread) => Effect.sync(() => void (thread !== undefined && free.push(thread)))
      )
    )
})
