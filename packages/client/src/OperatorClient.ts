import { OperatorAuthenticated } from "@bursar/api/operator/OperatorAuthenticated"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Effect, type Redacted } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"

/** Where the operator port is, and the token to call it with. */
export interface OperatorClientOptions {
  readonly baseUrl: string
  readonly token: Redacted.Redacted
  /** On whose behalf a token is used that operators share; absent where the token is a person's own. */
  readonly name?: string
}

/**
 * Every endpoint of the operator interface as a typed function, by group. An interface, because the compiler writes its name
 * into the declarations of whoever uses it, and all of it would be too long for that.
 */
export interface OperatorClient extends HttpApiClient.ForApi<typeof OperatorApi> {}

const layerToken = ({ name, token }: OperatorClientOptions) =>
  HttpApiMiddleware.layerClient(OperatorAuthenticated, ({ next, request }) => {
    const authorised = HttpClientRequest.bearerToken(request, token)
    return next(name === undefined ? authorised : HttpClientRequest.setHeader(authorised, "x-operator", name))
  })

/** A client of the operator interface, derived from the contract. Needs an `HttpClient`. */
export const makeOperatorClient = (
  options: OperatorClientOptions
): Effect.Effect<OperatorClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(OperatorApi, { baseUrl: options.baseUrl }).pipe(Effect.provide(layerToken(options)))
