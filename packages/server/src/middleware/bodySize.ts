import { Limits } from "@bursar/api/Limits"
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { errorResponse } from "../http/errorResponse.ts"
import type { HttpApp } from "./HttpApp.ts"

const limit = ByteSize.bytes(Limits.bodyBytesMax)

/** What a connection buffers anyway, in bytes: a body of no more is read before anything else is done. */
const readAtOnceMax = 65_536

/**
 * Refuses a body of more than 1 MiB, before anything else is looked at. A declared length is believed, since no more is
 * read than declared; a body without one is read up to the limit here and kept for whoever decodes it. So is a small one:
 * a request that has arrived whole is carried out, though its client hangs up while its key is looked up.
 */
export const bodySize = <E, R>(app: HttpApp<E, R>): HttpApp<E, R> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { id } = yield* CurrentRequest
    const refuse = Effect.sync(() => errorResponse("body_too_large", { requestId: id }))
    const declared = request.headers["content-length"]
    const length = declared === undefined ? undefined : Number(declared)
    if (length !== undefined && length > Limits.bodyBytesMax) return yield* refuse
    const waits = length === undefined ? request.headers["transfer-encoding"] === undefined : length > readAtOnceMax
    if (waits || length === 0) return yield* app
    return yield* Effect.matchEffect(Effect.interruptible(request.arrayBuffer), {
      onFailure: ({ reason }) =>
        reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
          ? refuse
          : Effect.succeed(errorResponse("malformed_request", { requestId: id })),
      onSuccess: () => app
    })
  }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, limit))
