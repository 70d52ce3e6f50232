import { JobQueue } from "@bursar/core/port/JobQueue"
import { Effect, Layer } from "effect"
import { Store } from "./Store.ts"

/** What the processes of the worker have to do, in memory. */
export const layer = Layer.effect(
  JobQueue,
  Effect.gen(function* () {
    const { jobs } = yield* Store
    return JobQueue.of({
      due: (queue, now, limit) =>
        Effect.sync(() =>
          [...jobs.values()]
            .filter((item) => item.queue === queue && item.dueAt <= now)
            .toSorted((one, other) => one.dueAt - other.dueAt)
            .slice(0, limit)
        ),
      expedite: (queue, key, now) =>
        Effect.sync(() => {
          for (const [place, item] of jobs) {
            const named = item.queue === queue && (item.key === key || item.key.startsWith(`${key}|`))
            if (named && item.dueAt > now) jobs.set(place, { ...item, dueAt: now })
          }
        })
    })
  })
)
