import { Authenticated } from "@bursar/api/middleware/Authenticated"
import { Signed } from "@bursar/api/middleware/Signed"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect, Layer, type Redacted } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"

/** Where the service is, and the key to call it with. */
export interface ClientOptions {
  /** The base address, such as `https://api.example.com`. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
}

/** Every endpoint of the partner interface as a typed function, by group. */
export type PartnerClient = HttpApiClient.ForApi<typeof PartnerApi>

/** Sends the API key with every call of the partner interface. */
const layerKey = (apiKey: Redacted.Redacted) =>
  HttpApiMiddleware.layerClient(Authenticated, ({ next, request }) =>
    next(HttpClientRequest.bearerToken(request, apiKey))
  )

/** Requests that the contract wants signed go out as they are, and the service answers `signature_missing`. */
const layerUnsigned = HttpApiMiddleware.layerClient(Signed, ({ next, request }) => next(request))

/**
 * A client of the partner interface, derived from the contract: every endpoint is a typed function that checks what it
 * sends and what it gets. Refusals are the classes of `@bursar/api/errors/WireErrors`. Needs an `HttpClient`.
 */
export const makePartnerClient = ({
  apiKey,
  baseUrl
}: ClientOptions): Effect.Effect<PartnerClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(PartnerApi, { baseUrl }).pipe(Effect.provide(Layer.merge(layerKey(apiKey), layerUnsigned)))
