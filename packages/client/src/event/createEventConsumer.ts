import type { Event } from "@bursar/api/wire/Event"
import { Cause, Effect, Exit, Queue } from "effect"
import { isBursarError } from "../error/BursarError.ts"
import { toldSafely } from "../toldSafely.ts"
import type { Client } from "../promise/Client.ts"
import { type ConsumerPace, consumeEvents, CursorStoreFailed } from "./consumeEvents.ts"
import type { CursorStore } from "./CursorStore.ts"

/** What a consumer is made of. */
export interface EventConsumerOptions extends ConsumerPace {
  readonly client: Pick<Client, "events">
  /** Where the consumer keeps how far it has come. */
  readonly store: CursorStore
  /**
   * Handles an event. The cursor moves on once it has resolved. Where it rejects, the same event comes again, after a wait;
   * those behind it wait, too. The signal is that of `run`.
   */
  readonly onEvent: (event: Event, signal: AbortSignal | undefined) => void | Promise<void>
  /** Is told of every failure that is waited out, with the event where `onEvent` failed. What it throws itself goes to the console. */
  readonly onError?: ((error: unknown, event: Event | undefined) => void) | undefined
}

/** Reads the feed of events for as long as it runs. */
export interface EventConsumer {
  /**
   * Hands over events until the signal ends it; it then finishes the event at hand and resolves. Rejects where the feed
   * refuses for good, such as for a revoked key, and where the store fails. One run at a time.
   */
  readonly run: (options?: { readonly signal?: AbortSignal | undefined }) => Promise<void>
  /** Has a waiting run look for events now, such as when a webhook came. */
  readonly nudge: () => void
}

/** What the client has given up on for now, and what the service did not write; anything else is there to stay. */
const mayPass = (error: unknown): boolean =>
  isBursarError(error) && (error.retryable || error.code === "answer_unreadable")

/**
 * A consumer of the feed of events, which delivers every event at least once, in order, across restarts. Events carry an
 * id that counts up, for handlers that must not act twice.
 */
export const createEventConsumer = ({
  client,
  onError,
  onEvent,
  store,
  ...pace
}: EventConsumerOptions): EventConsumer => {
  const nudges = Effect.runSync(Queue.sliding<void>(1))
  let running = false

  const consume = (signal: AbortSignal | undefined) =>
    consumeEvents({
      ...pace,
      store,
      nudges,
      mayPass,
      retryAfterMs: (error) => (isBursarError(error) ? error.retryAfterMs : undefined),
      list: (query) => Effect.tryPromise({ try: (ended) => client.events.list(query, { signal: ended }), catch: asIs }),
      handle: (event) => Effect.tryPromise({ try: async () => onEvent(event, signal), catch: asIs }),
      onFailure: (error, event) => Effect.sync(() => toldSafely(() => onError?.(error, event)))
    })

  const run: EventConsumer["run"] = async ({ signal } = {}) => {
    if (running) throw new TypeError("The consumer is running.")
    running = true
    const exit = await Effect.runPromiseExit(consume(signal), signal === undefined ? {} : { signal })
    running = false
    if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return
    const failure = Cause.squash(exit.cause)
    throw failure instanceof CursorStoreFailed ? failure.cause : failure
  }

  return { run, nudge: () => void Queue.offerUnsafe(nudges, undefined) }
}

const asIs = (error: unknown): unknown => error
