import type { Timestamp } from "@bursar/core/base/Timestamp"
import { Cause, Clock, Deferred, Duration, Effect, Exit } from "effect"

/** Something read from storage and believed for a while. */
export interface Expiring<K, A, E> {
  /** What is known of a key now, at once where it was read lately. */
  readonly get: (key: K, now: Timestamp) => Effect.Effect<A, E>
}

/** How an {@link Expiring} reads, for how long it believes, and how much it holds. */
export interface ExpiringOptions<K, A, E> {
  readonly load: (key: K) => Effect.Effect<A, E>
  /** Whether a value may be kept; what is not kept is read again every time. */
  readonly keep: (value: A) => boolean
  readonly ttl: Duration.Input
  readonly capacity: number
}

/** A reading that is on its way. */
interface Reading<A, E> {
  readonly since: number
  readonly done: Deferred.Deferred<Exit.Exit<A, E>>
}

/**
 * Remembers what was read for at most `ttl`, counted from before the reading began, so that nothing older than that is
 * ever answered. Failures are not remembered. When it is full, what was read first goes first.
 *
 * **Details**
 *
 * Who asks while a reading is on its way waits for it: a thousand requests that come when something has expired cost one
 * reading. What may not be kept, such as that there is no such key, is read by each for itself: it may be there by now.
 */
export const makeExpiring = <K, A, E>({ capacity, keep, load, ttl }: ExpiringOptions<K, A, E>): Expiring<K, A, E> => {
  const ttlMs = Duration.toMillis(Duration.fromInputUnsafe(ttl))
  const entries = new Map<K, { readonly value: A; readonly until: number }>()
  const readings = new Map<K, Reading<A, E>>()

  const read = (key: K, now: number): Effect.Effect<A, E> =>
    Effect.map(load(key), (value) => {
      entries.delete(key)
      if (!keep(value)) return value
      entries.set(key, { value, until: now + ttlMs })
      const [oldest] = entries.keys()
      if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
      return value
    })

  const follow = (key: K, now: number, { done }: Reading<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(Deferred.await(done), (exit) => {
      if (Exit.isSuccess(exit)) return keep(exit.value) ? Effect.succeed(exit.value) : read(key, now)
      // who was reading has gone away: somebody else has to
      return Cause.hasInterruptsOnly(exit.cause)
        ? Effect.flatMap(Clock.currentTimeMillis, (later) => get(key, later))
        : exit
    })

  const get = (key: K, now: Timestamp): Effect.Effect<A, E> => {
    const isRecent = (since: number): boolean => since <= now && now < since + ttlMs
    const known = entries.get(key)
    if (known !== undefined && isRecent(known.until - ttlMs)) return Effect.succeed(known.value)
    return Effect.uninterruptibleMask((restore) => {
      const there = readings.get(key)
      if (there !== undefined && isRecent(there.since)) return restore(follow(key, now, there))
      // at once, before the fiber can give way: who asks from now on waits for this one
      const own: Reading<A, E> = { since: now, done: Deferred.makeUnsafe() }
      readings.set(key, own)
      return Effect.onExit(restore(read(key, now)), (exit) =>
        Effect.sync(() => {
          if (readings.get(key) === own) readings.delete(key)
          Deferred.doneUnsafe(own.done, Exit.succeed(exit))
        })
      )
    })
  }

  return { get }
}
