import { Clock, Duration, Effect } from "effect"
import type { Scheduler } from "effect/Scheduler"
import type { Random } from "./Random.ts"

/** One clock and one scheduler for everything that lives in a world. */
export interface Kernel {
  /** The true time of the world, in Unix milliseconds. */
  readonly now: () => number
  readonly scheduler: Scheduler
  /** Runs something at the true time of the world. */
  readonly start: (effect: Effect.Effect<unknown>) => void
  /** A clock that is so many milliseconds off. It may jump; sleeping takes as long as it takes. */
  readonly clock: (offMs: () => number) => Clock.Clock
  /** Says that promises of the platform are under way, which have to come to rest before time goes on. */
  readonly stirred: () => void
  /** Says that somebody waits for a promise that may take virtual time. Gives what ends the waiting. */
  readonly waiting: () => () => void
  /** Waits until something is so, or for so long. It is looked at once in a second, which takes no step of a fiber. */
  readonly waitFor: (isSo: () => boolean, atMostMs: number) => Effect.Effect<void>
  /** Lets the world go on until a moment, or until it is enough. */
  readonly run: (until: number, enough: () => boolean) => Effect.Effect<void>
  /** How many steps of fibers it has taken. */
  readonly steps: () => number
}

interface Timer {
  readonly at: number
  readonly order: number
  readonly fire: () => void
}

/** Timers by their moment; those of one moment in the order in which they were set. */
const makeTimers = () => {
  const heap: Array<Timer> = []
  const before = (one: Timer, other: Timer): boolean =>
    one.at < other.at || (one.at === other.at && one.order < other.order)
  const at = (index: number): Timer | undefined => heap[index]
  const swap = (one: number, other: number): void => {
    const [first, second] = [at(one), at(other)]
    if (first === undefined || second === undefined) return
    heap[one] = second
    heap[other] = first
  }
  const rise = (from: number): void => {
    for (let child = from; child > 0;) {
      const parent = (child - 1) >> 1
      const [below, above] = [at(child), at(parent)]
      if (below === undefined || above === undefined || !before(below, above)) return
      swap(child, parent)
      child = parent
    }
  }
  const sink = (): void => {
    for (let parent = 0; ;) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2]
      let first = parent
      for (const child of [left, right]) {
        const [one, other] = [at(child), at(first)]
        if (one !== undefined && other !== undefined && before(one, other)) first = child
      }
      if (first === parent) return
      swap(parent, first)
      parent = first
    }
  }
  return {
    first: () => at(0),
    add: (timer: Timer) => {
      heap.push(timer)
      rise(heap.length - 1)
    },
    take: (): Timer | undefined => {
      const first = heap[0]
      const last = heap.pop()
      if (first === undefined || last === undefined || first === last) return first
      heap[0] = last
      sink()
      return first
    }
  }
}

/** Lets everything run that the platform has ready. */
const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

const nanosPerMilli = 1_000_000n

/** How often somebody who waits for something looks whether it is so. */
const lookEveryMs = 1_000

/** After so many operations a fiber lets others run, as it does in a real process. */
const operationsAtOnce = 2_048

/** More steps than that in one moment are a loop that never waits for anything. */
const stepsAtOnceMax = 200_000

/** How a kernel differs from others. */
export interface KernelOptions {
  readonly startsAt: number
  /** It throws after so many steps. */
  readonly stepsMax: number
  /** The most operations after which a fiber lets others run, each time another number; null for as many as in a real process. */
  readonly pauseWithin?: number | null
}

/** A kernel that begins at a moment. Which of the fibers that are ready goes on is drawn. */
export const makeKernel = (random: Random, { pauseWithin = null, startsAt, stepsMax }: KernelOptions): Kernel => {
  const pauses = random.for("pauses")
  const drawPause = (): number => (pauseWithin === null ? operationsAtOnce : 1 + pauses.below(pauseWithin))
  let pauseAfter = drawPause()
  let now = startsAt
  let order = 0
  let steps = 0
  let stepsNow = 0
  let stirred = false
  let waiting = 0
  const ready: Array<() => void> = []
  const timers = makeTimers()

  const step = (): void => {
    const at = random.below(Math.min(ready.length, 8))
    const [task] = ready.splice(at, 1)
    steps += 1
    task?.()
  }

  /** Whether the platform had a turn since something was stirred, or somebody waited for it. */
  let turned = false

  /** Goes on until it is over, or until the platform has to have a turn: then it is true. */
  const goOn = (until: number, enough: () => boolean): boolean => {
    for (;;) {
      const moved = ready.length > 0
      while (ready.length > 0) {
        step()
        stepsNow += 1
        if (stepsNow > stepsAtOnceMax) throw new Error("something goes on and on without waiting")
        if (steps > stepsMax) throw new Error("it goes on for too long")
      }
      if (stirred || (waiting > 0 && (moved || !turned))) {
        stirred = false
        turned = true
        return true
      }
      turned = false
      if (enough()) return false
      const next = timers.first()
      if (next === undefined || next.at > until) {
        now = Math.max(now, until)
        return false
      }
      if (next.at > now) stepsNow = 0
      now = next.at
      timers.take()?.fire()
    }
  }

  const sleep = (duration: Duration.Duration): Effect.Effect<void> => {
    const millis = Duration.toMillis(duration)
    if (millis <= 0) return Effect.yieldNow
    return Effect.callback<void>((resume) => {
      timers.add({ at: now + millis, order: order++, fire: () => resume(Effect.void) })
    })
  }

  const waitFor = (isSo: () => boolean, atMostMs: number): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const latest = now + atMostMs
      let isLeft = false
      const look = (): void => {
        if (isLeft) return
        if (now >= latest || isSo()) resume(Effect.void)
        else timers.add({ at: now + lookEveryMs, order: order++, fire: look })
      }
      look()
      return Effect.sync(() => void (isLeft = true))
    })

  const scheduler: Scheduler = {
    executionMode: "async",
    shouldYield: (fiber) => {
      if (fiber.currentOpCount < pauseAfter) return false
      pauseAfter = drawPause()
      return true
    },
    makeDispatcher: () => ({
      scheduleTask: (task) => void ready.push(task),
      flush: () => undefined
    })
  }

  const clock = (offMs: () => number): Clock.Clock => {
    const millis = (): number => now + offMs()
    const nanos = (): bigint => BigInt(millis()) * nanosPerMilli
    const monotonic = (): bigint => BigInt(now - startsAt) * nanosPerMilli
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep
    }
  }

  const trueClock = clock(() => 0)

  return {
    now: () => now,
    steps: () => steps,
    stirred: () => {
      stirred = true
    },
    waiting: () => {
      waiting += 1
      return () => {
        waiting -= 1
      }
    },
    scheduler,
    clock,
    waitFor,
    start: (effect) => {
      Effect.runFork(Effect.provideService(effect, Clock.Clock, trueClock), { scheduler })
    },
    run: (until, enough) =>
      Effect.whileLoop({
        while: () => goOn(until, enough),
        body: () => turn,
        step: () => undefined
      })
  }
}
