import type { Event, EventPage } from "@bursar/api/wire/Event"
import { Data, Effect, Queue, Random, Result } from "effect"
import type { CursorStore } from "./CursorStore.ts"

/** A cursor store did not do what it was asked for. */
export class CursorStoreFailed extends Data.TaggedError("CursorStoreFailed")<{ readonly cause: unknown }> {
  override get message() {
    return `The cursor store failed: ${String(this.cause)}`
  }
}

/** How a consumer waits. */
export interface ConsumerPace {
  /** How long to wait when there is no new event, in milliseconds; 2,000 unless told. */
  readonly pollIntervalMs?: number | undefined
  /**
   * What the wait after failures never grows beyond, in milliseconds; it begins at a second and doubles, and is at least what the service asks
   * for by `Retry-After`. 60,000 unless told.
   */
  readonly failureDelayMsMax?: number | undefined
  /** How many events to ask for at once, from 1 to 500; 100 unless told. */
  readonly pageSize?: number | undefined
}

/** What a consumer of events needs. */
export interface ConsumeOptions<E, R, E2, R2> extends ConsumerPace {
  /** Reads a page of the feed: `client.events.list`. */
  readonly list: (query: { readonly after: number; readonly limit: number }) => Effect.Effect<EventPage, E, R>
  readonly store: CursorStore
  /** Handles an event. The cursor moves on once it has succeeded; where it fails, the same event comes again. */
  readonly handle: (event: Event) => Effect.Effect<void, E2, R2>
  /** Whether a failure to read the feed may pass; the others end the consumer. */
  readonly mayPass: (error: E) => boolean
  /** How long a failure asks to wait, in milliseconds, such as by `Retry-After`; nothing where it does not say. */
  readonly retryAfterMs?: ((error: E | E2) => number | null | undefined) | undefined
  /** Is told of every failure that is waited out, with the event where the handler failed. */
  readonly onFailure?: ((error: E | E2, event: Event | undefined) => Effect.Effect<void>) | undefined
  /** Cuts the wait for new events short whenever something is put in, such as by a webhook. */
  readonly nudges?: Queue.Dequeue<void> | undefined
}

const firstDelayMs = 1_000

const stored = <A>(operation: () => Promise<A>): Effect.Effect<A, CursorStoreFailed> =>
  Effect.tryPromise({ try: operation, catch: (cause) => new CursorStoreFailed({ cause }) })

interface Waiting<E> {
  readonly mayPass: (error: E) => boolean
  readonly onFailure: (error: E) => Effect.Effect<void>
  readonly askedMs: (error: E) => number
  readonly delayMsMax: number
}

/** Runs the effect until it succeeds, waiting longer after each failure that may pass, and at least as long as it asks for. */
const untilDone = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { askedMs, delayMsMax, mayPass, onFailure }: Waiting<E>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    let delayMs = firstDelayMs
    while (true) {
      const outcome = yield* Effect.result(effect)
      if (Result.isSuccess(outcome)) return outcome.success
      if (!mayPass(outcome.failure)) return yield* Effect.fail(outcome.failure)
      yield* onFailure(outcome.failure)
      const backoffMs = (yield* Random.nextBetween(0.5, 1)) * Math.min(delayMs, delayMsMax)
      yield* Effect.sleep(Math.max(backoffMs, Math.min(askedMs(outcome.failure), delayMsMax)))
      delayMs *= 2
    }
  })

/**
 * Hands every event to a handler, in order, from where the store says on, and never ends by itself. The cursor is saved
 * after the handler has succeeded, so an event comes at least once, and again where the process died between the two; an
 * interruption waits for both. An event that cannot be handled holds up those behind it: what must not wait, the handler
 * lets pass. Fails where the feed refuses for good, such as for a revoked key, and where the store fails.
 */
export const consumeEvents = <E, R, E2, R2>({
  failureDelayMsMax = 60_000,
  handle,
  list,
  mayPass,
  nudges,
  onFailure = () => Effect.void,
  pageSize = 100,
  pollIntervalMs = 2_000,
  retryAfterMs = () => undefined,
  store
}: ConsumeOptions<E, R, E2, R2>): Effect.Effect<never, E | E2 | CursorStoreFailed, R | R2> =>
  Effect.gen(function* () {
    let cursor = (yield* stored(store.load)) ?? 0
    const askedMs = (error: E | E2) => retryAfterMs(error) ?? 0
    const idle =
      nudges === undefined
        ? Effect.sleep(pollIntervalMs)
        : Effect.raceFirst(Effect.sleep(pollIntervalMs), Queue.take(nudges))
    while (true) {
      const page = yield* untilDone(
        Effect.suspend(() => list({ after: cursor, limit: pageSize })),
        { mayPass, askedMs, onFailure: (error) => onFailure(error, undefined), delayMsMax: failureDelayMsMax }
      )
      for (const event of page.events) {
        yield* untilDone(
          // What has begun is finished: an event that was handled and not saved would come again.
          Effect.uninterruptible(
            Effect.andThen(
              handle(event),
              stored(() => store.save(event.id))
            )
          ),
          {
            mayPass: (error) => !(error instanceof CursorStoreFailed),
            onFailure: (error) => (error instanceof CursorStoreFailed ? Effect.void : onFailure(error, event)),
            askedMs: (error) => (error instanceof CursorStoreFailed ? 0 : askedMs(error)),
            delayMsMax: failureDelayMsMax
          }
        )
        cursor = event.id
      }
      if (page.events.length === 0) yield* idle
    }
  })
