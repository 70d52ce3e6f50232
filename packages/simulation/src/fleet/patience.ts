import { Deliveries } from "@bursar/core/port/Deliveries"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { Effect, Layer } from "effect"
import type { Gate } from "../process/Host.ts"
import type { World } from "../world/World.ts"

/** How long a process waits at most for something to do. */
const patienceMs = 10_000

/** The queues that are worked through together, before `:` and a network; any other is by itself. */
const loops = [
  ["provisioning", "payout", "transaction"],
  ["transfer", "account", "verification"]
]

const kindOf = (queue: string): string => queue.replace(/:.*/u, "")

const loopOf = (queue: string): ReadonlyArray<string> =>
  loops.find((loop) => loop.includes(kindOf(queue))) ?? [kindOf(queue)]

/** What there is to do, told when there is something, or after a while. Most of the time there is nothing: asking again each second was a third of all calls. */
export const layerPatience = (
  { host, kernel }: Gate,
  { state }: World
): Layer.Layer<JobQueue | Deliveries, never, JobQueue | Deliveries> => {
  const now = (): number => kernel.now() + host.offMs
  const isDue = (loop: ReadonlyArray<string>) => (): boolean =>
    [...state.jobs.values()].some(({ dueAt, queue }) => dueAt <= now() && loop.includes(kindOf(queue)))
  const isAnythingToSend = (): boolean =>
    [...state.tenants.values()].some(({ deliveries, events }) =>
      [...deliveries.values()].some(({ due, lease, upTo }) => {
        const isFree = lease === null || lease.until <= now()
        return isFree && (upTo < events.length || [...due.values()].some(({ at }) => at <= now()))
      })
    )
  const queue = Layer.effect(
    JobQueue,
    Effect.map(JobQueue, (jobs) =>
      JobQueue.of({
        ...jobs,
        due: (name, _, limit) =>
          Effect.andThen(
            kernel.waitFor(isDue(loopOf(name)), patienceMs),
            Effect.suspend(() => jobs.due(name, now(), limit))
          )
      })
    )
  )
  const deliveries = Layer.effect(
    Deliveries,
    Effect.map(Deliveries, (service) =>
      Deliveries.of({
        ...service,
        lease: (_, ...asked) =>
          Effect.andThen(
            kernel.waitFor(isAnythingToSend, patienceMs),
            Effect.suspend(() => service.lease(now(), ...asked))
          )
      })
    )
  )
  return Layer.merge(queue, deliveries)
}
