import { Signed } from "@bursar/api/middleware/Signed"
import type { Signer } from "@bursar/api/signature/signRequest"
import { Effect } from "effect"
import { HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { signatureHeadersOf } from "../requestSigner.ts"

/** A signature covers the content type: a request without a body has the one of the contract, too. */
const typed = (request: HttpClientRequest.HttpClientRequest): HttpClientRequest.HttpClientRequest =>
  request.headers["content-type"] === undefined
    ? HttpClientRequest.setHeader(request, "content-type", "application/json")
    : request

/** The request with its signature. The contract's bodies are JSON, which the client has made into bytes by now. */
export const signed = (
  signer: Signer,
  baseUrl: string,
  unsigned: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpClientRequest.HttpClientRequest, HttpClientError.HttpClientError> => {
  const request = typed(unsigned)
  return signatureHeadersOf(signer, {
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
}

/**
 * Signs what the contract wants signed, each attempt anew. Without a signer such requests go out as they are, and the
 * service answers `signature_missing`.
 */
export const layerSignature = (signer: Signer | undefined, baseUrl: string) =>
  HttpApiMiddleware.layerClient(Signed, ({ next, request }) =>
    signer === undefined ? next(request) : Effect.flatMap(signed(signer, baseUrl, request), next)
  )
