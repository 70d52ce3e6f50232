import { errorBody, type ErrorOptions } from "@bursar/api/errors/ApiError"
import { entryOf, type ErrorCode } from "@bursar/api/errors/Catalogue"
import { errorHeaders } from "@bursar/api/errors/errorHeaders"
import { HttpServerResponse } from "effect/http"

/** The answer of an error code, for places outside the contract's own encoder; `requestId` must be the request's. */
export const errorResponse = (
  code: ErrorCode,
  options: ErrorOptions & { readonly requestId: string }
): HttpServerResponse.HttpServerResponse => {
  const body = errorBody(code, options)
  return HttpServerResponse.text(JSON.stringify(body), {
    status: entryOf(code).status,
    contentType: "application/json",
    headers: { ...errorHeaders(body) }
  })
}
