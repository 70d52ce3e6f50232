import { Authenticated } from "@bursar/api/middleware/Authenticated"
import { Signed } from "@bursar/api/middleware/Signed"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { KeyUnreadable, PrivateJwk } from "@bursar/api/signature/Ed25519"
import type { Signer } from "@bursar/api/signature/signRequest"
import { Effect, Layer, Redacted } from "effect"
import { type HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { openSigner, signatureHeadersOf } from "./requestSigner.ts"

/** Where the service is, and the key to call it with. */
export interface ClientOptions {
  /** The base address, such as `https://api.example.com`. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
}

/** The options of a client that signs what must be signed. */
export interface SigningClientOptions extends ClientOptions {
  readonly signing: {
    /** The Ed25519 pair as a JWK; its public half has been registered by the operators for this API key. */
    readonly privateJwk: Redacted.Redacted<PrivateJwk>
  }
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

/** The request with its signature. The contract's bodies are JSON, which the client has made into bytes by now. */
const sign = (
  signer: Signer,
  baseUrl: string,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpClientRequest.HttpClientRequest, HttpClientError.HttpClientError> =>
  signatureHeadersOf(signer, {
    method: request.method,
    url: HttpClientRequest.prependUrl(request, baseUrl).url,
    headers: { ...request.headers },
    body: request.body._tag === "Uint8Array" ? request.body.body : ""
  }).pipe(
    Effect.map((headers) => HttpClientRequest.setHeaders(request, { ...headers })),
    Effect.mapError(
      (cause) =>
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.EncodeError({ request, cause, description: cause.message })
        })
    )
  )

/** Signs what the contract wants signed. */
const layerSigned = (signer: Signer, baseUrl: string) =>
  HttpApiMiddleware.layerClient(Signed, ({ next, request }) => Effect.flatMap(sign(signer, baseUrl, request), next))

/**
 * A client of the partner interface, derived from the contract: every endpoint is a typed function that checks what it
 * sends and what it gets. Refusals are the classes of `@bursar/api/errors/WireErrors`. Needs an `HttpClient`. With
 * `signing`, the operations that must be signed are; it fails where that key is none.
 */
export function makePartnerClient(
  options: ClientOptions & { readonly signing?: undefined }
): Effect.Effect<PartnerClient, never, HttpClient.HttpClient>
export function makePartnerClient(
  options: SigningClientOptions
): Effect.Effect<PartnerClient, KeyUnreadable, HttpClient.HttpClient>
export function makePartnerClient({
  apiKey,
  baseUrl,
  signing
}: ClientOptions & { readonly signing?: SigningClientOptions["signing"] | undefined }): Effect.Effect<
  PartnerClient,
  KeyUnreadable,
  HttpClient.HttpClient
> {
  const layerSignature =
    signing === undefined
      ? Effect.succeed(layerUnsigned)
      : Effect.map(openSigner(Redacted.value(signing.privateJwk)), (signer) => layerSigned(signer, baseUrl))
  return Effect.flatMap(layerSignature, (signature) =>
    HttpApiClient.make(PartnerApi, { baseUrl }).pipe(Effect.provide(Layer.merge(layerKey(apiKey), signature)))
  )
}
