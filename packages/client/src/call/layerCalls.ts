import { SignedByPolicy } from "@bursar/api/annotations/SignedProduct"
import { SignatureGroup } from "@bursar/api/groups/Signature"
import { Authenticated } from "@bursar/api/middleware/Authenticated"
import type { Signer } from "@bursar/api/signature/signRequest"
import { Context, Effect, type Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { CallOverrides, type Patience } from "./CallSettings.ts"
import { AnswerRead, keyHeader, needsKey } from "./keyedCalls.ts"
import { signed } from "./layerSignature.ts"
import { withRetries } from "./withRetries.ts"

/** What every call needs. */
export interface CallOptions {
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  readonly patience: Patience
  readonly signer: Signer | undefined
}

/** A signature covers the key, also of a request that needs none. */
const withKey = (request: HttpClientRequest.HttpClientRequest): HttpClientRequest.HttpClientRequest =>
  request.headers[keyHeader] === undefined
    ? HttpClientRequest.setHeader(request, keyHeader, crypto.randomUUID())
    : request

/** Whether to send a request twice is to ask once: a reading, or a change that the service knows by its key. */
const isSafe = (endpoint: HttpApiEndpoint.Top): boolean => endpoint.method === "GET" || needsKey(endpoint)

/**
 * Carries a call out: the API key goes with it, and the idempotency key of its call. Every retry carries the same one.
 */
export const layerCalls = ({ apiKey, baseUrl, patience, signer }: CallOptions) =>
  HttpApiMiddleware.layerClient(Authenticated, ({ endpoint, group, next, request }) =>
    Effect.gen(function* () {
      const { requestId, timeoutMs = patience.timeoutMs } = yield* CallOverrides
      // The probe asks what a signed operation would make of the request, so it is sent as one.
      const isProbe = group.identifier === SignatureGroup.identifier
      // a tenant's policy may want it signed, and a signature that nobody wants does no harm
      const maySign = isProbe || Context.get(endpoint.annotations, SignedByPolicy) !== null
      const signs = maySign && signer !== undefined
      const keyed = signs ? withKey(request) : request
      const named = requestId === undefined ? keyed : HttpClientRequest.setHeader(keyed, "x-request-id", requestId)
      const ready = HttpClientRequest.bearerToken(named, apiKey)
      const attempt = signs ? Effect.flatMap(signed(signer, baseUrl, ready), next) : next(ready)
      const retriesMax = isSafe(endpoint) ? patience.retriesMax : 0
      const response = yield* withRetries(ready, attempt, { ...patience, timeoutMs, retriesMax })
      const read = yield* AnswerRead
      read.response = response
      return response
    })
  )
