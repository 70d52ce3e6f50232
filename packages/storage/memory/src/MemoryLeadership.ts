import type { Fence } from "@bursar/core/engine/fenced"
import { Fenced, Leadership } from "@bursar/core/port/Leadership"
import { Cause, Effect, Layer, Schedule, Semaphore } from "effect"
import { type State, Store } from "./Store.ts"

/** How long to wait after a term before standing for election again. */
const pauseMs = 100

const permitOf = (state: State, name: string): Semaphore.Semaphore => {
  const permit = state.leaders.get(name) ?? Semaphore.makeUnsafe(1)
  state.leaders.set(name, permit)
  return permit
}

const nextEpoch = (state: State, name: string): number => {
  const epoch = (state.epochs.get(name) ?? 0) + 1
  state.epochs.set(name, epoch)
  return epoch
}

/** Fails (`Fenced`) where another term has begun since. */
export const checkFence = (state: State, { epoch, name }: Fence): Effect.Effect<void, Fenced> =>
  Effect.suspend(() => (state.epochs.get(name) === epoch ? Effect.void : Effect.fail(new Fenced({ name }))))

/** Leadership among the fibers of one process: a permit per name, with an epoch that rises whenever it is taken. */
export const layer = Layer.effect(
  Leadership,
  Effect.gen(function* () {
    const state = yield* Store
    return Leadership.of({
      lead: (name, work) =>
        Effect.suspend(() => work({ name, epoch: nextEpoch(state, name) })).pipe(
          Effect.scoped,
          Semaphore.withPermit(permitOf(state, name)),
          // a supervising loop: a bug of the work ends its term, not the candidacy
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.interrupt
              : Effect.annotateLogs(Effect.logWarning("leadership.ended", cause), { name })
          ),
          Effect.repeat(Schedule.spaced(pauseMs)),
          Effect.andThen(Effect.never)
        )
    })
  })
)
