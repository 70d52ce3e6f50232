import type { StorageError } from "@bursar/core/engine/StorageError"
import type { Fence } from "@bursar/core/engine/fenced"
import { type Fenced, Leadership } from "@bursar/core/port/Leadership"
import type { State } from "@bursar/memory"
import { Cause, Deferred, Effect } from "effect"
import type { Scope } from "effect/Scope"
import type { Random } from "../kernel/Random.ts"
import type { Host } from "./Host.ts"

/** Who leads what in a fleet. */
export interface Election {
  /** What is led by somebody now. */
  readonly led: () => ReadonlyArray<string>
  /** The process that leads something now; undefined where nobody does. */
  readonly leaderOf: (name: string) => Host | undefined
  /** Takes a leadership away from a process that is still at work: it learns of it late. */
  readonly depose: (name: string) => void
  /** The leadership as a process reaches it. */
  readonly reachedBy: (host: Host) => Leadership["Service"]
}

/** What elections are held with. */
export interface ElectionOptions {
  readonly state: State
  readonly random: Random
  /** Whether each term has an epoch of its own, as it must. */
  readonly epochsRise: boolean
}

interface Held {
  readonly epoch: number
  /** Comes to its end when the process learns that it leads no more. */
  readonly lost: Effect.Effect<void>
  readonly release: () => void
}

/** How long a process waits after a term before it stands for election again. */
const pauseMs = 1_000

/** How late a process may learn that it leads no more. */
const lateMs = 20_000

/** Elections over the epochs of a store, which its fences are checked against. */
export const makeElection = ({ epochsRise, random, state }: ElectionOptions): Election => {
  const leaders = new Map<string, { readonly host: Host; readonly depose: () => void }>()
  const queues = new Map<string, Array<() => void>>()

  const turnOf = (name: string, host: Host): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!leaders.has(name)) return Effect.void
      return Effect.callback<void>((resume) => {
        const queue = queues.get(name) ?? []
        queues.set(name, queue)
        const called = () => resume(Effect.void)
        queue.push(called)
        host.onDeath(() => {
          const at = queue.indexOf(called)
          if (at >= 0) queue.splice(at, 1)
        })
      })
    })

  const claim = (name: string, host: Host): Held | undefined => {
    if (leaders.has(name) || !host.alive()) return undefined
    const before = state.epochs.get(name) ?? 0
    const epoch = epochsRise || before === 0 ? before + 1 : before
    state.epochs.set(name, epoch)
    const told = Deferred.makeUnsafe<void>()
    const release = () => {
      if (leaders.get(name)?.depose !== depose) return
      leaders.delete(name)
      queues.get(name)?.shift()?.()
    }
    const depose = () => {
      release()
      Deferred.doneUnsafe(told, Effect.void)
    }
    leaders.set(name, { host, depose })
    host.onDeath(release)
    const lost = Effect.andThen(
      Deferred.await(told),
      Effect.suspend(() => Effect.sleep(random.below(lateMs)))
    )
    return { epoch, lost, release }
  }

  const term = <R>(name: string, host: Host, work: (fence: Fence) => Effect.Effect<void, StorageError | Fenced, R>) =>
    Effect.andThen(
      turnOf(name, host),
      Effect.suspend((): Effect.Effect<void, never, Exclude<R, Scope>> => {
        const held = claim(name, host)
        if (held === undefined) return Effect.void
        const working = Effect.scoped(work({ name, epoch: held.epoch }))
        return Effect.raceFirst(held.lost, working).pipe(
          Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.void)),
          Effect.ensuring(Effect.sync(held.release))
        )
      })
    )

  return {
    led: () => [...leaders.keys()],
    leaderOf: (name) => leaders.get(name)?.host,
    depose: (name) => leaders.get(name)?.depose(),
    reachedBy: (host) =>
      Leadership.of({
        lead: (name, work) => Effect.forever(Effect.andThen(term(name, host, work), Effect.sleep(pauseMs)))
      })
  }
}
