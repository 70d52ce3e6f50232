import { OperatorAuthenticated } from "@bursar/api/operator/OperatorAuthenticated"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Effect, type Redacted } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"

/** Where the operator port is, and the token to call it with. */
export interface OperatorClientOptions {
  readonly baseUrl: string
  readonly token: Redacted.Redacted
}

/** Every endpoint of the operator interface as a typed function, by group. */
export type OperatorClient = HttpApiClient.ForApi<typeof OperatorApi>

const layerToken = (token: Redacted.Redacted) =>
  HttpApiMiddleware.layerClient(OperatorAuthenticated, ({ next, request }) =>
    next(HttpClientRequest.bearerToken(request, token))
  )

/** A client of the operator interface, derived from the contract. Needs an `HttpClient`. */
export const makeOperatorClient = ({
  baseUrl,
  token
}: OperatorClientOptions): Effect.Effect<OperatorClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(OperatorApi, { baseUrl }).pipe(Effect.provide(layerToken(token)))
