import { type Clock, Effect, Exit } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { CurrentRequestFacts } from "./CurrentRequest.ts"

/** A request that is being answered: what came, what is known of it so far, and the clock by which it is judged. */
export interface Underway {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly facts: CurrentRequestFacts
  readonly clock: Clock.Clock
}

/**
 * A check that a request has to pass. It gives {@link pass} where the request goes on, and else what takes its place: an answer, a failure, or
 * an effect that waits for either. What needs not wait is decided at once, without a fiber having to come back to it.
 */
export type Step<S, A = never, E = never, R = never> = (subject: S) => Effect.Effect<A | undefined, E, R>

/** A check before any route: it answers for itself. */
export type Gate<E = never, R = never> = Step<Underway, HttpServerResponse.HttpServerResponse, E, R>

/** The request goes on. */
export const pass: Effect.Effect<undefined> = Effect.succeed(undefined)

/** Whether a step has let the request pass without waiting for anything. */
const passed = (outcome: Effect.Effect<unknown, unknown, unknown>): boolean =>
  outcome === pass || (Exit.isExit(outcome) && Exit.isSuccess(outcome) && outcome.value === undefined)

/** Takes a subject through all steps in their order, then to `last`; the first step that does not let it pass has the last word. */
export const through = <S, A, E, R, E2, R2>(
  steps: ReadonlyArray<Step<S, A, E, R>>,
  last: (subject: S) => Effect.Effect<A, E2, R2>
): ((subject: S) => Effect.Effect<A, E | E2, R | R2>) => {
  const from = (at: number, subject: S): Effect.Effect<A, E | E2, R | R2> => {
    for (let next = at; next < steps.length; next++) {
      const step = steps[next]
      if (step === undefined) continue
      const outcome = step(subject)
      if (!passed(outcome)) return after(outcome, next + 1, subject)
    }
    return last(subject)
  }
  // by itself, so that the loop makes no closure for steps that let the request pass
  const after = (outcome: Effect.Effect<A | undefined, E, R>, next: number, subject: S) =>
    Effect.flatMap(outcome, (answer): Effect.Effect<A, E | E2, R | R2> =>
      answer === undefined ? from(next, subject) : Effect.succeed(answer)
    )
  return (subject) => from(0, subject)
}
