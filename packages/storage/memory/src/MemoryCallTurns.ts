import { CallTurns } from "@bursar/core/port/CallTurns"
import { Clock, Effect, Layer, Semaphore } from "effect"
import { Store } from "./Store.ts"

/** Turns of calling providers, in memory. A turn is never taken from whoever holds it: that ends with the process. */
export const layer = Layer.effect(
  CallTurns,
  Effect.map(Store, ({ callTurns }) =>
    CallTurns.of({
      inTurn: (key, _holdMs, call) =>
        Effect.suspend(() => {
          const turn = callTurns.get(key) ?? { free: Semaphore.makeUnsafe(1), last: 0n }
          callTurns.set(key, turn)
          const next = Effect.map(Clock.currentTimeMillis, (now) => {
            const micros = BigInt(now) * 1_000n
            return (turn.last = micros > turn.last ? micros : turn.last + 1n)
          })
          return Semaphore.withPermits(turn.free, 1)(Effect.flatMap(next, call))
        })
    })
  )
)
