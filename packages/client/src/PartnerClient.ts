import { Authenticated } from "@bursar/api/middleware/Authenticated"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect, type Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"

/** Where the service is, and the key to call it with. */
export interface ClientOptions {
  /** The base address, such as `https://api.example.com`. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
}

/** Sends the API key with every call of the partner interface. */
const layerKey = (apiKey: Redacted.Redacted) =>
  HttpApiMiddleware.layerClient(
    Authenticated,
    ({ next, request }) => next(HttpClientRequest.bearerToken(request, apiKey))
  )

/**
 * A client of the partner interface, derived from the contract: every endpoint is a typed function that checks what it
 * sends and what it gets. Refusals are the classes of `@bursar/api/errors/WireErrors`. Needs an `HttpClient`.
 */
export const makePartnerClient = ({ apiKey, baseUrl }: ClientOptions) =>
  HttpApiClient.make(PartnerApi, { baseUrl }).pipe(Effect.provide(layerKey(apiKey)))
