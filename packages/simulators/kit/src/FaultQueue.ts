import { Effect, type Schema } from "effect"
import { decodeRequest } from "./ControlServer.ts"
import type { DevnetError } from "./DevnetError.ts"
import type { FaultKind } from "./Fault.ts"

/** What the queue reads of a fault. */
interface Queued {
  readonly kind: FaultKind
  readonly times: number
  readonly method?: string | ReadonlyArray<string>
}

/** The faults of a node as they are told to it from outside. */
export interface Faults<F> {
  /** Lets the next requests that match suffer the fault. Faults that match the same request take turns in the order they were added. */
  readonly inject: (fault: F) => Effect.Effect<void>
  /** Forgets all faults that have not happened yet. */
  readonly clear: Effect.Effect<void>
  /** What is still to come, with the times left. */
  readonly pending: Effect.Effect<ReadonlyArray<F>>
}

/** Faults waiting for their requests, in the order in which they were asked for. */
export interface FaultQueue<F> extends Faults<F> {
  /**
   * The first fault, of one of these kinds if some are given, that concerns a request of one of these names; it counts as
   * having happened.
   */
  readonly take: (methods: ReadonlyArray<string>, kinds?: ReadonlyArray<FaultKind>) => F | undefined
  /** Whether a fault of one of these kinds waits for any request. */
  readonly waits: (kinds: ReadonlyArray<FaultKind>) => boolean
}

/** An empty queue. `duplicate` concerns requests of the names in `submissions` alone: those that hand in transactions. */
export const makeFaultQueue = <F extends Queued>(submissions: ReadonlySet<string>): FaultQueue<F> => {
  let waiting: ReadonlyArray<F> = []

  const concerns = ({ kind, method }: F, name: string): boolean => {
    if (kind === "duplicate" && !submissions.has(name)) return false
    if (method === undefined) return true
    return typeof method === "string" ? method === name : method.includes(name)
  }

  return {
    inject: (fault) => Effect.sync(() => void (waiting = [...waiting, fault])),
    clear: Effect.sync(() => void (waiting = [])),
    pending: Effect.sync(() => waiting),
    waits: (kinds) => waiting.some(({ kind }) => kinds.includes(kind)),
    take: (methods, kinds) => {
      const found = waiting.find(
        (fault) => kinds?.includes(fault.kind) !== false && methods.some((name) => concerns(fault, name))
      )
      waiting = waiting.flatMap((fault) => {
        if (fault !== found) return [fault]
        return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : []
      })
      return found
    }
  }
}

/** The control `POST /fault`: adds the fault of the body, or forgets all at `{"kind":"none"}`, and tells what is still to come. */
export const controlFaults =
  <S extends Schema.Codec<Schema.Json, unknown>>(schema: S, { clear, inject, pending }: Faults<S["Type"]>) =>
  (body: unknown): Effect.Effect<{ readonly faults: ReadonlyArray<S["Type"]> }, DevnetError> => {
    const none = typeof body === "object" && body !== null && "kind" in body && body.kind === "none"
    const changed = none ? clear : Effect.flatMap(decodeRequest(schema, body), inject)
    return Effect.andThen(
      changed,
      Effect.map(pending, (faults) => ({ faults }))
    )
  }
