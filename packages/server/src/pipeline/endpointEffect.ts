import { Caller } from "@bursar/api/middleware/Caller"
import { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import { Clock, Context, Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import type { makeOverstepping } from "../keys/overstepping.ts"
import { makeAnswer } from "./answers.ts"
import { type Arrived, type Check, callerOf } from "../http/Arrived.ts"
import { makeDecoding } from "./decoding.ts"
import { isApiError, refusalResponse } from "./refusalResponse.ts"
import { through } from "../http/Step.ts"
import { sharedReads } from "./sharedReads.ts"

/** What carries an endpoint out, given what was read of its request. */
export type Handler = (request: object) => Effect.Effect<unknown, unknown, Caller>

/** An endpoint with all that answers it. */
export interface CompiledEndpoint {
  readonly api: HttpApi.Top
  readonly group: HttpApiGroup.Top
  readonly endpoint: HttpApiEndpoint.Top
  readonly handler: Handler
  /** In the order in which the contract wants them. */
  readonly checks: ReadonlyArray<Check>
  readonly overstepping: ReturnType<typeof makeOverstepping>
}

/** What a handler finds around it beside the services of the server: who calls, and by what signature. */
const surroundingsOf = (arrived: Arrived): Context.Context<Caller> => {
  const known = Context.add(arrived.context, Caller, callerOf(arrived))
  return arrived.verified === null ? known : Context.add(known, VerifiedSignature, arrived.verified)
}

/**
 * Answers the requests of one endpoint: takes them through its checks, reads them by the contract, has them carried out, and writes what
 * came of it. All that follows from the contract is worked out once, here.
 */
export const endpointEffect = ({ api, checks, endpoint, group, handler, overstepping }: CompiledEndpoint) => {
  const route = `${endpoint.method} ${endpoint.path}`
  const annotations = Context.merge(Context.merge(api.annotations, group.annotations), endpoint.annotations)
  const decode = makeDecoding(endpoint, annotations)
  const answer = makeAnswer(endpoint)

  const carryOut = (arrived: Arrived): Effect.Effect<HttpServerResponse.HttpServerResponse, unknown> => {
    const { context, request } = arrived
    const params = Context.getUnsafe(context, HttpRouter.RouteContext).params
    const query = Context.getUnsafe(context, HttpServerRequest.ParsedSearchParams)
    return Effect.flatMapEager(decode({ request, params, query }), (decoded) => {
      const carriedOut: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, Caller> = Effect.flatMap(
        handler({ request, endpoint, group, ...decoded }),
        answer
      )
      // those of the request itself: a shared answer may be made by a fiber that another request has begun
      return Effect.updateContext(carriedOut, () => surroundingsOf(arrived))
    })
  }
  // what a read is answered follows from who asks for what, and from nothing else of the request
  const isRead = endpoint.method === "GET" && endpoint.headers === undefined
  const shared = isRead ? sharedReads(carryOut) : carryOut
  const walk = through<Arrived, HttpServerResponse.HttpServerResponse, unknown, never, unknown, never>(
    checks,
    (arrived) => (arrived.verified === null ? shared(arrived) : carryOut(arrived))
  )

  return Effect.withFiber<HttpServerResponse.HttpServerResponse>(({ context }) => {
    const facts = Context.get(context, CurrentRequest)
    facts.route = route
    const arrived: Arrived = {
      request: Context.getUnsafe(context, HttpServerRequest.HttpServerRequest),
      clock: Context.get(context, Clock.Clock),
      facts,
      context,
      caller: null,
      verified: null
    }
    return Effect.catchEager(
      walk(arrived),
      // an error that the contract does not have is a bug
      (error) =>
        isApiError(error)
          ? Effect.andThen(overstepping(arrived, error), refusalResponse(error, facts.id))
          : Effect.die(error)
    )
  })
}
