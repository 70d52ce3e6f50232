import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Job } from "@bursar/core/engine/Job"
import { JobQueue } from "@bursar/core/port/JobQueue"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import { Store } from "./Store.ts"

/** The first of each tenant, then the second of each, and so on. */
const inTurn = (due: ReadonlyArray<Job>): ReadonlyArray<Job> => {
  const before = new Map<TenantId, number>()
  const turns = due.map((item) => {
    const turn = before.get(item.tenantId) ?? 0
    before.set(item.tenantId, turn + 1)
    return { item, turn }
  })
  return turns.toSorted((one, other) => one.turn - other.turn).map(({ item }) => item)
}

/** What the processes of the worker have to do, in memory. */
export const layer = Layer.effect(
  JobQueue,
  Effect.gen(function* () {
    const { jobs } = yield* Store
    const longestDue = (queue: string, now: Timestamp) =>
      [...jobs.values()]
        .filter((item) => item.queue === queue && item.dueAt <= now)
        .toSorted((one, other) => one.dueAt - other.dueAt)
    return JobQueue.of({
      due: (queue, now, limit) =>
        Effect.sync(() => {
          const due = longestDue(queue, now)
          return due.length <= limit ? due : inTurn(due).slice(0, limit)
        }),
      dueOf: (tenantId, queue, now, limit) =>
        Effect.sync(() =>
          longestDue(queue, now)
            .filter((item) => item.tenantId === tenantId)
            .slice(0, limit)
        ),
      expedite: (queue, key, now) =>
        Effect.sync(() => {
          for (const [place, item] of jobs) {
            const named = item.queue === queue && (item.key === key || item.key.startsWith(`${key}|`))
            if (named) jobs.set(place, { ...item, dueAt: Math.min(item.dueAt - 1, now) })
          }
        })
    })
  })
)
