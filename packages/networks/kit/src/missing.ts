import { Clock, Effect } from "effect"

/** How long a node is not asked again for what it said it does not have. */
const askAgainMs = 60_000

/**
 * What a node has said that it does not have, so that it is not asked in vain for every block. It is asked again after a minute: a balancer says the
 * same while a node behind it is gone, and the other way to ask costs far more.
 */
export interface Missing {
  /** Takes note that the node does not have it. */
  readonly note: (name: string) => Effect.Effect<void>
  /** Whether the node has said so within the last minute. */
  readonly has: (name: string) => Effect.Effect<boolean>
  /** Forgets it, so that it is asked for next time. */
  readonly forget: (name: string) => void
}

/** Of a node that has said nothing yet. */
export const makeMissing = (): Missing => {
  const until = new Map<string, number>()
  return {
    note: (name) => Effect.map(Clock.currentTimeMillis, (now) => void until.set(name, now + askAgainMs)),
    has: (name) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const left = (until.get(name) ?? now) - now
        // one that seems longer than a minute is of a clock that was ahead
        return left > 0 && left <= askAgainMs
      }),
    forget: (name) => void until.delete(name)
  }
}
