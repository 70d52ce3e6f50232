import { type ApiError, apiError } from "@bursar/api/errors/ApiError"
import { Limits } from "@bursar/api/Limits"
import { ByteSize, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { errorResponse } from "../http/errorResponse.ts"
import { type Gate, pass, type Step, type Underway } from "../http/Step.ts"

/** The most that is read of any body. */
export const bodyLimit = ByteSize.bytes(Limits.bodyBytesMax)

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

/** Refuses a body that is declared to be of more than 1 MiB, before anything else is looked at. Nothing is read here. */
export const bodySize: Gate = ({ facts, request }) => {
  const length = declaredLength(request)
  return length === undefined || length <= Limits.bodyBytesMax
    ? pass
    : Effect.succeed(errorResponse("body_too_large", { requestId: facts.id }))
}

/**
 * Reads a small body whose length is declared, which the connection holds already: a request that has arrived whole is
 * carried out, though its client hangs up while its key is looked up. It stands behind the check of the address.
 */
export const arrived: Gate = ({ facts, request }) => {
  const length = declaredLength(request) ?? 0
  if (length === 0 || length > readAtOnceMax) return pass
  return Effect.match(receive(request), {
    onFailure: (code) => errorResponse(code, { requestId: facts.id }),
    onSuccess: () => undefined
  })
}

const isUnmeasured = (request: HttpServerRequest.HttpServerRequest): boolean =>
  declaredLength(request) === undefined && request.headers["transfer-encoding"] !== undefined

/** Reads what is still to come of a body, up to the limit. */
export const receiveRest: Step<Pick<Underway, "request">, never, ApiError> = ({ request }) =>
  Effect.matchEffect(receive(request), {
    onFailure: (code) => Effect.fail(apiError(code)),
    onSuccess: () => pass
  })

/** Whether the body of a request may come long after its head: whoever sends it decides when it has come whole. */
export const comesLate = (request: HttpServerRequest.HttpServerRequest): boolean => {
  const { method } = request
  const isRead = method !== "GET" && method !== "HEAD"
  return isUnmeasured(request) || (isRead && (declaredLength(request) ?? 0) > readAtOnceMax)
}

/**
 * Reads a body whose length is not declared, up to the limit. To be asked for once the sender is known: until then nothing of
 * what a stranger sends without end is kept.
 */
export const receiveUnmeasured: Step<Pick<Underway, "request">, never, ApiError> = (underway) =>
  isUnmeasured(underway.request) ? receiveRest(underway) : pass
