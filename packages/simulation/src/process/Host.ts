import { Cause, Effect, Logger } from "effect"
import type { Kernel } from "../kernel/Kernel.ts"
import type { Random } from "../kernel/Random.ts"
import type { Faults } from "../outside/Faults.ts"

/** A process of the service. Once it is dead nothing that is left of it reaches anything outside of it. */
export interface Host {
  readonly name: string
  readonly alive: () => boolean
  /** How far its clock is off, in milliseconds. */
  offMs: number
  readonly die: () => void
  /** Does something when it dies; at once where it is dead. */
  readonly onDeath: (then: () => void) => void
}

/** A process that lives. */
export const makeHost = (name: string): Host => {
  let alive = true
  const then: Array<() => void> = []
  return {
    name,
    offMs: 0,
    alive: () => alive,
    die: () => {
      if (!alive) return
      alive = false
      for (const one of then) one()
    },
    onDeath: (one) => {
      if (alive) then.push(one)
      else one()
    }
  }
}

/** What the calls of a process go through. */
export interface Gate {
  readonly host: Host
  readonly kernel: Kernel
  readonly faults: Faults
  readonly random: Random
}

/** What a call of a dead process comes to. */
class Dead extends Error {}

const died = Effect.suspend(() => Effect.die(new Dead("the process is dead")))

/** Tells of each defect that a process logs while it lives. That a call came to nothing because it died is none. */
export const defectLogger = (host: Host, tell: (defect: string) => void): Logger.Logger<unknown, void> =>
  Logger.make(({ cause, message }) => {
    for (const reason of cause.reasons)
      if (Cause.isDieReason(reason) && !(reason.defect instanceof Dead) && host.alive())
        tell(`${String(message)}: ${String(reason.defect)}`)
  })

/**
 * A call out of a process: it takes a while, and the process may die before it or after it. `refusal` is what it may fail with instead,
 * having done nothing.
 */
export const passing = <A, E, R>(
  { faults, host, random }: Gate,
  what: string,
  call: Effect.Effect<A, E, R>,
  refusal?: () => E
): Effect.Effect<A, E, R> =>
  Effect.suspend((): Effect.Effect<A, E, R> => {
    if (!host.alive()) return died
    if (faults.strikes("process.dies_before", what)) {
      host.die()
      return died
    }
    const wait = faults.strikes("storage.slow", what) ? Effect.sleep(1 + random.below(3_000)) : Effect.yieldNow
    const answer = Effect.flatMap(wait, (): Effect.Effect<A, E, R> => {
      if (!host.alive()) return died
      return refusal !== undefined && faults.strikes("storage.refuses", what) ? Effect.fail(refusal()) : call
    })
    return Effect.onExit(answer, () =>
      Effect.suspend(() => {
        if (host.alive() && faults.strikes("process.dies_after", what)) host.die()
        return host.alive() ? Effect.void : died
      })
    )
  })
