import { Signed } from "@bursar/api/middleware/Signed"
import type { Signer } from "@bursar/api/signature/signRequest"
import { Effect } from "effect"
import { HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { signatureHeadersOf } from "../requestSigner.ts"

/** The request with its signature. The contract's bodies are JSON, which the client has made into bytes by now. */
export const signed = (
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

/**
 * Signs what the contract wants signed, each attempt anew. Without a signer such requests go out as they are, and the
 * service answers `signature_missing`.
 */
export const layerSignature = (signer: Signer | undefined, baseUrl: string) =>
  HttpApiMiddleware.layerClient(Signed, ({ next, request }) =>
    signer === undefined ? next(request) : Effect.flatMap(signed(signer, baseUrl, request), next)
  )
