import { HttpClientError, type HttpClientRequest, type HttpClientResponse } from "effect/http"

type Response = HttpClientResponse.HttpClientResponse

/**
 * An earlier attempt of a change got no readable answer, and a later one was refused before the service looked at the
 * idempotency key, as for a key that was rotated in between: the change may have been made all the same.
 */
export class AttemptLost extends Error {
  override readonly name = "AttemptLost"
}

/** The failure of such a change, with the refusal. No refusal by itself: that would say that nothing was made. */
export const attemptLost = (request: HttpClientRequest.HttpClientRequest, response: Response) => {
  const description = "an earlier attempt got no readable answer and may have been carried out"
  const cause = new AttemptLost(description)
  return new HttpClientError.HttpClientError({
    reason: new HttpClientError.StatusCodeError({ request, response, cause, description })
  })
}

/** The refusal in a failure of a change of which an attempt was lost; undefined for other failures. */
export const refusalAfterLoss = ({ reason }: HttpClientError.HttpClientError): Response | undefined =>
  reason._tag === "StatusCodeError" && reason.cause instanceof AttemptLost ? reason.response : undefined
