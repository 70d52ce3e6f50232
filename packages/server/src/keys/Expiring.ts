import { Clock, Duration, Effect } from "effect"

/** Something read from storage and believed for a while. */
export interface Expiring<K, A, E> {
  readonly get: (key: K) => Effect.Effect<A, E>
}

/** How an {@link Expiring} reads, for how long it believes, and how much it holds. */
export interface ExpiringOptions<K, A, E> {
  readonly load: (key: K) => Effect.Effect<A, E>
  /** Whether a value may be kept; what is not kept is read again every time. */
  readonly keep: (value: A) => boolean
  readonly ttl: Duration.Input
  readonly capacity: number
}

/**
 * Remembers what was read for at most `ttl`, counted from before the reading began, so that nothing older than that is
 * ever answered. Failures are not remembered. When it is full, what was read first goes first.
 */
export const makeExpiring = <K, A, E>({ capacity, keep, load, ttl }: ExpiringOptions<K, A, E>): Expiring<K, A, E> => {
  const ttlMs = Duration.toMillis(Duration.fromInputUnsafe(ttl))
  const entries = new Map<K, { readonly value: A; readonly until: number }>()
  return {
    get: (key) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const known = entries.get(key)
        if (known !== undefined && now < known.until && known.until <= now + ttlMs) return Effect.succeed(known.value)
        return Effect.map(load(key), (value) => {
          entries.delete(key)
          if (!keep(value)) return value
          entries.set(key, { value, until: now + ttlMs })
          const [oldest] = entries.keys()
          if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
          return value
        })
      })
  }
}
