import { apiError } from "@bursar/api/errors/ApiError"
import { Limits } from "@bursar/api/Limits"
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { errorResponse } from "../http/errorResponse.ts"
import type { HttpApp } from "../http/HttpApp.ts"

const limit = ByteSize.bytes(Limits.bodyBytesMax)

/** What a connection buffers anyway, in bytes: a body of no more is read as soon as its path and address are known. */
const readAtOnceMax = 65_536

const declaredLength = (request: HttpServerRequest.HttpServerRequest): number | undefined => {
  const declared = request.headers["content-length"]
  return declared === undefined ? undefined : Number(declared)
}

/** The body as it comes, up to the limit, kept for whoever decodes it. */
const receive = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.mapError(Effect.interruptible(request.arrayBuffer), ({ reason }) =>
    reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? "body_too_large" : "malformed_request"
  )

/**
 * Refuses a body that is declared to be of more than 1 MiB, before anything else is looked at, and bounds what is read of any
 * other. Nothing is read here.
 */
export const bodySize = <E, R>(app: HttpApp<E, R>): HttpApp<E, R> =>
  Effect.gen(function* () {
    const length = declaredLength(yield* HttpServerRequest.HttpServerRequest)
    if (length === undefined || length <= Limits.bodyBytesMax) return yield* app
    return errorResponse("body_too_large", { requestId: (yield* CurrentRequest).id })
  }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, limit))

/**
 * Reads a small body whose length is declared, which the connection holds already: a request that has arrived whole is
 * carried out, though its client hangs up while its key is looked up. It stands behind the check of the address.
 */
export const arrived = <E, R>(app: HttpApp<E, R>): HttpApp<E, R> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const length = declaredLength(request) ?? 0
    if (length === 0 || length > readAtOnceMax) return yield* app
    const { id: requestId } = yield* CurrentRequest
    return yield* Effect.matchEffect(receive(request), {
      onFailure: (code) => Effect.succeed(errorResponse(code, { requestId })),
      onSuccess: () => app
    })
  })

/**
 * Reads a body whose length is not declared, up to the limit. To be asked for once the sender is known: until then nothing of
 * what a stranger sends without end is kept.
 */
export const receiveUnmeasured = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (declaredLength(request) !== undefined || request.headers["transfer-encoding"] === undefined) return
  yield* Effect.mapError(receive(request), (code) => apiError(code))
})
