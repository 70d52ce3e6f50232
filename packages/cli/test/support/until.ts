import { type Duration, Effect, Schedule } from "effect"
import { patience } from "./bursar.ts"

interface Pace {
  readonly every: Duration.Input
  readonly duration: Duration.Input
}

const repeated = <A, E, R>(
  what: string,
  ask: Effect.Effect<A, E, R>,
  right: (answer: A) => boolean,
  { duration, every }: Pace
): Effect.Effect<A, E | Error, R> => {
  let last: A | undefined
  return ask.pipe(
    Effect.tap((answer) => Effect.sync(() => void (last = answer))),
    Effect.repeat({ until: right, schedule: Schedule.spaced(every) }),
    Effect.timeoutOrElse({
      duration,
      orElse: () => Effect.fail(new Error(`${what} did not happen; the last answer was ${show(last)}`))
    }),
    // `repeat` with a schedule gives what the schedule makes; the answer is the last one that was asked for.
    Effect.andThen(Effect.sync(() => last as A))
  )
}

/**
 * Asks again and again until the answer is as it should be, and gives it. A bound that no healthy run comes near turns
 * waiting for ever into a failure that shows the last answer. It asks seldom enough for a key to stay below its rate limit.
 */
export const until = <A, E, R>(
  what: string,
  ask: Effect.Effect<A, E, R>,
  right: (answer: A) => boolean,
  duration: Duration.Input = patience
): Effect.Effect<A, E | Error, R> => repeated(what, ask, right, { every: "400 millis", duration })

/** The same, of the test's own database or of what has no rate limit: it is asked often. */
export const soon = <A, E, R>(what: string, ask: Effect.Effect<A, E, R>, right: (answer: A) => boolean) =>
  repeated(what, ask, right, { every: "50 millis", duration: patience })

const show = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? `${each}` : each))?.slice(0, 2_000) ?? "none"
