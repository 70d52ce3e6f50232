import { PartnerApi } from "@bursar/api/PartnerApi"
import type { KeyUnreadable, PrivateJwk } from "@bursar/api/signature/Ed25519"
import { Effect, Layer, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { type PatienceOptions, patienceOf } from "./call/CallSettings.ts"
import { keyedCalls } from "./call/keyedCalls.ts"
import { layerCalls } from "./call/layerCalls.ts"
import { layerSignature } from "./call/layerSignature.ts"
import { openSigner } from "./requestSigner.ts"

/** Where the service is, the key to call it with, and how patient to be. */
export interface PartnerClientOptions extends PatienceOptions {
  /** The base address, such as `https://api.example.com`. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
}

/** The options of a client that signs what must be signed. */
export interface SigningClientOptions extends PartnerClientOptions {
  readonly signing: {
    /** The Ed25519 pair as a JWK; its public half has been registered by the operators for this API key. */
    readonly privateJwk: Redacted.Redacted<PrivateJwk>
  }
}

/** Every endpoint of the partner interface as a typed function, by group. */
export type PartnerClient = HttpApiClient.ForApi<typeof PartnerApi>

/**
 * A client of the partner interface, derived from the contract: every endpoint is a typed function that checks what it
 * sends and what it gets. Refusals are the classes of `@bursar/api/errors/WireErrors`. Needs an `HttpClient`. With
 * `signing`, the operations that must be signed are; it fails where that key is none.
 *
 * Readings and operations that take an idempotency key are tried again where that may help. Where no key is given, it is
 * made when the endpoint is called: an effect that runs again, as under `Effect.retry`, asks under the same one. An answer
 * to such an operation that breaks the contract is an `HttpClientError`, whose request has the key.
 */
export function makePartnerClient(
  options: PartnerClientOptions & { readonly signing?: undefined }
): Effect.Effect<PartnerClient, never, HttpClient.HttpClient>
export function makePartnerClient(
  options: SigningClientOptions
): Effect.Effect<PartnerClient, KeyUnreadable, HttpClient.HttpClient>
export function makePartnerClient(
  options: PartnerClientOptions & { readonly signing?: SigningClientOptions["signing"] | undefined }
): Effect.Effect<PartnerClient, KeyUnreadable, HttpClient.HttpClient> {
  const { apiKey, baseUrl, signing } = options
  const opened = signing === undefined ? Effect.undefined : openSigner(Redacted.value(signing.privateJwk))
  return Effect.flatMap(opened, (signer) => {
    const calls = layerCalls({ apiKey, baseUrl, signer, patience: patienceOf(options) })
    return HttpApiClient.make(PartnerApi, { baseUrl }).pipe(
      Effect.provide(Layer.merge(calls, layerSignature(signer, baseUrl))),
      Effect.map(keyedCalls)
    )
  })
}
