import { Limits } from "@bursar/api/Limits"
import { RequestId } from "@bursar/api/errors/RequestId"
import { RandomBytes, uuidV7 } from "@bursar/core/engine/Ids"
import { Clock, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { beginRequest, CurrentRequest } from "../http/CurrentRequest.ts"
import type { HttpApp } from "../http/HttpApp.ts"

const visibleAscii = new RegExp(`^[\\x21-\\x7e]{1,${Limits.requestIdLengthMax}}$`, "u")

/**
 * Gives every request its id and every answer its `X-Request-Id`: the caller's own if it is at most 128 characters of
 * visible ASCII, else a new one. Outermost, so that no answer goes without.
 */
export const requestId = <E, R>(app: HttpApp<E, R>): HttpApp<E, R> =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const given = headers["x-request-id"]
    const randomBytes = yield* RandomBytes
    const id =
      given !== undefined && visibleAscii.test(given) ? given : uuidV7(yield* Clock.currentTimeMillis, randomBytes(10))
    const facts = beginRequest(id)
    const response = yield* app.pipe(Effect.provideService(RequestId, id), Effect.provideService(CurrentRequest, facts))
    return HttpServerResponse.setHeaders(response, { ...facts.responseHeaders, "x-request-id": id })
  })
