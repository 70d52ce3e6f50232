import { parentPort } from "node:worker_threads"
import { Effect } from "effect"
import { runReported, type Task } from "./runReported.ts"

// a thread of its own has platform, randomness and clock of its own: so a world comes out the same in any of them
parentPort?.on("message", (task: Task) => {
  const told = Effect.map(runReported(task), (report) => {
    // oxlint-disable-next-line require-post-message-target-origin -- threads have no origin
    parentPort?.postMessage(report)
  })
  void Effect.runPromise(told)
})
