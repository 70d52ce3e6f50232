import type { Job } from "@bursar/core/engine/Job"
import type { Fence } from "@bursar/core/engine/fenced"
import { JobQueue } from "@bursar/core/port/JobQueue"
import type { Fenced } from "@bursar/core/port/Leadership"
import { Leadership } from "@bursar/core/port/Leadership"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { Clock, Effect } from "effect"
import { apart, lastingFailuresRemembered, unlessStorageFails } from "./apart.ts"
import { makePlaces, type Places } from "./places.ts"
import { makeUnderWay } from "./underWay.ts"

/** How a process works through its queue. */
export interface QueueLimits {
  /** How long to wait where nothing is due, in milliseconds. */
  readonly idleMs: number
  /** How many items are taken at once. */
  readonly itemsMax: number
  /** How many of each queue's are worked on at the same time; no tenant takes so many that none are left for others. */
  readonly concurrency: number
}

/** The usual limits. */
export const defaultQueueLimits: QueueLimits = { idleMs: 250, itemsMax: 500, concurrency: 16 }

/** A process: which queues it works through, and what it does with a job. A job that it leaves in its queue comes again when it is due. */
export interface QueueWork<R> {
  /** The name under which one process of the fleet is elected. */
  readonly name: string
  readonly queues: ReadonlyArray<string>
  readonly handle: (fence: Fence, item: Job) => Effect.Effect<void, StorageError | Fenced, R>
  readonly limits?: QueueLimits
}

const nameOf = ({ key, queue }: Job): string => `${queue} ${key}`

/**
 * Works off what is due, for as long as it runs, elected as one process of the fleet. An item that fails is logged and comes
 * again; what a deposed process still writes is refused by its fence. Nothing but interruption ends it.
 */
export const workQueue = <R>({
  handle,
  limits = defaultQueueLimits,
  name,
  queues
}: QueueWork<R>): Effect.Effect<never, never, JobQueue | Leadership | R> => {
  const one = (fence: Fence, item: Job) => {
    const about = { queue: item.queue, key: item.key }
    return apart(about, unlessStorageFails(about, handle(fence, item))).pipe(Effect.annotateLogs(about))
  }
  const term = Effect.fnUntraced(function* (fence: Fence) {
    const jobQueue = yield* JobQueue
    const underWay = yield* makeUnderWay<Fenced>()
    // each queue its own: what waits for one provider keeps no work of another queue from a place
    const places = new Map<string, Places>()
    for (const queue of queues) places.set(queue, yield* makePlaces(limits.concurrency))
    const placed = (item: Job, work: ReturnType<typeof one>) => places.get(item.queue)?.(item.tenantId, work) ?? work
    const round = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const due = (yield* Effect.forEach(queues, (queue) => jobQueue.due(queue, now, limits.itemsMax))).flat()
      const free = due.filter((item) => !underWay.has(nameOf(item)))
      const begin = (item: Job) => underWay.begin(nameOf(item), placed(item, one(fence, item)))
      yield* Effect.forEach(free, begin, { discard: true })
      // what failed is still due: it is tried again at the pace of an idle process, not at once
      yield* Effect.sleep(limits.idleMs)
    })
    return yield* Effect.raceFirst(Effect.forever(round), underWay.failure)
  }, Effect.scoped)
  return Effect.gen(function* () {
    const leadership = yield* Leadership
    return yield* leadership.lead(name, term)
  }).pipe(lastingFailuresRemembered) as Effect.Effect<never, never, JobQueue | Leadership | R> // `lead` takes the scope off the needs, of which there is none
}
