import { Clock, Effect, Ref } from "effect"

/** A rate, per second. */
export interface Rate {
  readonly perSecond: number
  readonly count: number
}

/** Runs `work` over and over from `callers` fibers for `seconds` and counts how often it ended in that time. */
export const throughput = Effect.fnUntraced(function* <E, R>(
  callers: number,
  seconds: number,
  work: (n: number) => Effect.Effect<unknown, E, R>
) {
  const issued = yield* Ref.make(0)
  const started = yield* Clock.currentTimeMillis
  const until = started + seconds * 1000
  let count = 0
  const caller = Effect.gen(function* () {
    while ((yield* Clock.currentTimeMillis) < until) {
      yield* work(yield* Ref.getAndUpdate(issued, (n) => n + 1))
      count += 1
    }
  })
  yield* Effect.all(
    Array.from({ length: callers }, () => caller),
    { concurrency: "unbounded", discard: true }
  )
  const took = ((yield* Clock.currentTimeMillis) - started) / 1000
  return { perSecond: count / took, count } satisfies Rate
})
