import { Limits } from "@bursar/api/Limits"
import { RequestId } from "@bursar/api/errors/RequestId"
import { RandomBytes, uuidV7 } from "@bursar/core/engine/Ids"
import { type Cause, Clock, Context, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { bodyLimit } from "../middleware/bodySize.ts"
import { beginRequest, CurrentRequest, type CurrentRequestFacts } from "../http/CurrentRequest.ts"
import type { HttpApp } from "../http/HttpApp.ts"
import { securityHeaders } from "../http/securityHeaders.ts"
import { withHeaders } from "../http/withHeaders.ts"
import type { fallbacks } from "../middleware/fallbacks.ts"
import type { requestLog } from "../middleware/requestLog.ts"
import { type Gate, through, type Underway } from "../http/Step.ts"

const visibleAscii = new RegExp(`^[\\x21-\\x7e]{1,${Limits.requestIdLengthMax}}$`, "u")

/** The caller's own id if it is at most 128 characters of visible ASCII, else a new one. */
const idOf = (given: string | undefined, clock: Clock.Clock, randomBytes: (count: number) => Uint8Array): string =>
  given !== undefined && visibleAscii.test(given) ? given : uuidV7(clock.currentTimeMillisUnsafe(), randomBytes(10))

/** Takes a request as far as it goes without waiting; gives what is left to be waited for. */
const begun = <E, R>(
  walk: (underway: Underway) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  underway: Underway
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> => {
  try {
    return walk(underway)
  } catch (defect) {
    return Effect.die(defect)
  }
}

/** How a server surrounds its routes. */
export interface Surroundings {
  readonly log: ReturnType<typeof requestLog>
  readonly lastWords: ReturnType<typeof fallbacks>
  /** What a request has to pass before it is routed, in this order. They may need the app: for pages that it makes. */
  readonly gates: <E, R>(app: HttpApp<E, R>) => ReadonlyArray<Gate<E, R | HttpServerRequest.HttpServerRequest>>
}

/**
 * Answers every request, whatever it asks for: gives it its id, takes it through the gates to the app, has last words where nothing answered,
 * writes its line of log, and gives every answer its `X-Request-Id`, the headers that checks have collected, and those by which browsers and
 * caches do no more with it than is meant. Outermost, so that no answer goes without.
 */
export const surround =
  ({ gates, lastWords, log }: Surroundings) =>
  <E, R>(app: HttpApp<E, R>): HttpApp<E, R> => {
    const walk = through(gates(app), () => app)
    /** What carries the request on where it has not been answered at once, with what is known of it for whoever asks. */
    const inContext = <A, E2, R2>(effect: Effect.Effect<A, E2, R2>, facts: CurrentRequestFacts) =>
      Effect.updateContext(effect, (outer: Context.Context<R2>) =>
        outer.pipe(
          Context.add(RequestId, facts.id),
          Context.add(CurrentRequest, facts),
          Context.add(HttpIncomingMessage.MaxBodySize, bodyLimit)
        )
      )
    return Effect.withFiber(({ context }) => {
      const request = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
      const clock = Context.get(context, Clock.Clock)
      const facts = beginRequest(idOf(request.headers["x-request-id"], clock, Context.get(context, RandomBytes)))
      const underway: Underway = { request, facts, clock }
      const logged = log(underway)
      const sent = (response: HttpServerResponse.HttpServerResponse) =>
        Effect.as(
          logged(response.status, context),
          withHeaders(response, securityHeaders, response.headers, facts.responseHeaders, { "x-request-id": facts.id })
        )
      return Effect.matchCauseEffect(inContext(begun(walk, underway), facts), {
        onSuccess: sent,
        onFailure: (cause: Cause.Cause<E>) =>
          Effect.matchCauseEffect(lastWords(underway, cause), {
            onSuccess: sent,
            // only a client that hangs up leaves no answer here
            onFailure: (unanswered) => Effect.andThen(logged(499, context), Effect.failCause(unanswered))
          })
      })
    })
  }
