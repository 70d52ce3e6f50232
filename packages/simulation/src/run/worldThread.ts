import { parentPort } from "node:worker_threads"
import { Effect } from "effect"
import { runReported, type Task } from "./runReported.ts"

// a thread of its own has platform, randomness and clock of its own: so a world comes out the same in any of them
parentPort?.on("message", (task: Task) => {
  void Effect.runPromise(runReported(task)).then((report) => parentPort?.postMessage(report))
})
