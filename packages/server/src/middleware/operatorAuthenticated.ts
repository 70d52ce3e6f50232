import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { Operator } from "@bursar/api/operator/Operator"
import { OperatorAuthenticated } from "@bursar/api/operator/OperatorAuthenticated"
import { OperatorSessions } from "@bursar/core/port/OperatorSessions"
import { RateLimits } from "@bursar/core/port/RateLimits"
import { Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { ServerConfig } from "../config/ServerConfig.ts"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { CurrentSession } from "../identity/Sessions.ts"
import { sessionIn } from "../identity/sessionCookie.ts"
import { StillOperator } from "../live/StillOperator.ts"
import { receiveUnmeasured } from "./bodySize.ts"
import { failOperatorLogin } from "./failedLogins.ts"
import { operatorBySession } from "./operatorBySession.ts"
import { makeOperatorByToken } from "./operatorByToken.ts"

/** Says on whose behalf the shared token is used: for the records, and so that two people can be told apart. */
export const nameHeader = "x-operator"

/** Establishes who acts on the operator side, by a bearer token or by the session of a browser. Failures are limited per client address. */
export const layer = Layer.effect(
  OperatorAuthenticated,
  Effect.gen(function* () {
    const settings = yield* ServerConfig
    const rates = yield* RateLimits
    const identify = yield* makeOperatorByToken
    const passes = yield* OperatorSessions

    const authenticate = Effect.fnUntraced(function* (token: string, route: string) {
      const facts = yield* CurrentRequest
      facts.route = route
      const refuse = (error: ApiError) => failOperatorLogin(rates, error)
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const secret = sessionIn(headers)
      if (token === "" && secret === undefined) return yield* refuse(apiError("key_missing"))
      const identified =
        token === "" && secret !== undefined
          ? operatorBySession({ passes, settings }, secret)
          : identify(token, headers[nameHeader])
      return yield* Effect.catch(identified, (error) =>
        error.error.code === "key_invalid" ? refuse(error) : Effect.fail(error)
      )
    })
    return OperatorAuthenticated.of({
      operator: (app, { credential, endpoint }) =>
        Effect.gen(function* () {
          const identified = authenticate(Redacted.value(credential), `${endpoint.method} ${endpoint.path}`)
          const { operator, session } = yield* identified
          const again = Effect.provide(identified, yield* Effect.context<HttpServerRequest.HttpServerRequest>())
          const request = yield* HttpServerRequest.HttpServerRequest
          return yield* receiveUnmeasured({ request }).pipe(
            Effect.andThen(Effect.provideService(app, Operator, Operator.of(operator))),
            Effect.provideService(CurrentSession, session),
            Effect.provideService(
              StillOperator,
              Effect.map(again, (now) => now.operator)
            )
          )
        })
    })
  })
)
