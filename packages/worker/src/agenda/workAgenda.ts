import type { AgendaItem } from "@bursar/core/engine/Agenda"
import type { Fence } from "@bursar/core/engine/fenced"
import { Agendas } from "@bursar/core/port/Agendas"
import type { Fenced } from "@bursar/core/port/Leadership"
import { Leadership } from "@bursar/core/port/Leadership"
import type { StorageError } from "@bursar/core/port/StorageError"
import { Clock, Effect } from "effect"

/** How a process works off its agenda. */
export interface AgendaLimits {
  /** How long to wait where nothing is due, in milliseconds. */
  readonly idleMs: number
  /** How many items are taken at once. */
  readonly itemsMax: number
  /** How many of them are worked on at the same time. */
  readonly concurrency: number
}

/** The usual limits. */
export const defaultAgendaLimits: AgendaLimits = { idleMs: 250, itemsMax: 500, concurrency: 16 }

/** A process: which topics it takes, and what it does with an item. What it leaves on the agenda comes again when it is due. */
export interface AgendaWork<R> {
  /** The name under which one process of the fleet is elected. */
  readonly name: string
  readonly topics: ReadonlyArray<string>
  readonly handle: (fence: Fence, item: AgendaItem) => Effect.Effect<void, StorageError | Fenced, R>
  readonly limits?: AgendaLimits
}

/**
 * Works off what is due, for as long as it runs, elected as one process of the fleet. An item that fails is logged and comes
 * again; what a deposed process still writes is refused by its fence. Nothing but interruption ends it.
 */
export const workAgenda = <R>({
  handle,
  limits = defaultAgendaLimits,
  name,
  topics
}: AgendaWork<R>): Effect.Effect<never, never, Agendas | Leadership | R> => {
  const one = (fence: Fence, item: AgendaItem) =>
    handle(fence, item).pipe(
      Effect.catchTag("StorageError", (error) => Effect.logError(error.message, error.cause)),
      Effect.catchDefect((defect) => Effect.logError("an item of the agenda could not be worked on", defect)),
      Effect.annotateLogs({ topic: item.topic, key: item.key })
    )
  const term = Effect.fnUntraced(function* (fence: Fence) {
    const agendas = yield* Agendas
    while (true) {
      const now = yield* Clock.currentTimeMillis
      const due = (yield* Effect.forEach(topics, (topic) => agendas.due(topic, now, limits.itemsMax))).flat()
      yield* Effect.forEach(due, (item) => one(fence, item), { concurrency: limits.concurrency, discard: true })
      // what failed is still due: it is tried again at the pace of an idle process, not at once
      yield* Effect.sleep(limits.idleMs)
    }
  })
  return Effect.gen(function* () {
    const leadership = yield* Leadership
    return yield* leadership.lead(name, term)
  }) as Effect.Effect<never, never, Agendas | Leadership | R> // `lead` takes the scope off the needs, of which there is none
}
