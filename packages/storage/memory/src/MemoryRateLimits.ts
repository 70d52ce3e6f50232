import { type RateDecision, RateLimits, type RateWindow } from "@bursar/core/port/RateLimits"
import { Clock, Effect, Layer } from "effect"
import { type State, Store } from "./Store.ts"

const windowSeconds = 60

/** The requests of a subject by second, without those that have left the window. */
const recent = (state: State, subject: string, second: number): Map<number, number> => {
  const kept = new Map([...(state.requests.get(subject) ?? [])].filter(([at]) => at > second - windowSeconds))
  if (kept.size === 0) state.requests.delete(subject)
  else state.requests.set(subject, kept)
  return kept
}

const total = (counts: ReadonlyMap<number, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0)

/** In how many seconds enough of the oldest requests will have left the window for another one to pass. */
const secondsUntilFree = (counts: ReadonlyMap<number, number>, limit: number, second: number): number => {
  let left = total(counts)
  for (const [at, count] of [...counts].toSorted(([one], [other]) => one - other)) {
    left -= count
    if (left < limit) return at + windowSeconds - second
  }
  return windowSeconds
}

const take = (state: State, windows: ReadonlyArray<RateWindow>, now: number): RateDecision => {
  const second = Math.floor(now / 1_000)
  const counted = windows.map(({ limit, subject }) => ({ limit, subject, counts: recent(state, subject, second) }))
  const full = counted
    .filter(({ counts, limit }) => total(counts) >= limit)
    .map(({ counts, limit }) => ({ limit, retryAfterSeconds: secondsUntilFree(counts, limit, second) }))
    .toSorted((left, right) => right.retryAfterSeconds - left.retryAfterSeconds)[0]
  if (full !== undefined) return { _tag: "Denied", ...full }
  for (const { counts, subject } of counted) {
    state.requests.set(subject, new Map(counts).set(second, (counts.get(second) ?? 0) + 1))
  }
  return {
    _tag: "Allowed",
    remaining: Math.min(...counted.map(({ counts, limit }) => limit - total(counts) - 1)),
    resetSeconds: Math.max(...counted.map(({ counts }) => Math.min(second, ...counts.keys()) + windowSeconds - second))
  }
}

/** Clocks that differ by less count as one. */
const clockDifferenceMinMs = 2_000

/** Sliding windows of sixty one-second buckets, in memory. The clock of the store is that under which the layer was built. */
export const layer = Layer.effect(
  RateLimits,
  Effect.gen(function* () {
    const state = yield* Store
    const storeClock = yield* Clock.Clock
    return RateLimits.of({
      take: (windows, now) =>
        Effect.clockWith((clock) =>
          Effect.sync(() => {
            const difference = storeClock.currentTimeMillisUnsafe() - clock.currentTimeMillisUnsafe()
            return take(state, windows, Math.abs(difference) < clockDifferenceMinMs ? now : now + difference)
          })
        )
    })
  })
)
