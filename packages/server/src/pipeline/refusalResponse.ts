import type { ApiError } from "@bursar/api/errors/ApiError"
import type { ErrorBody } from "@bursar/api/errors/ErrorBody"
import { errorHeaders } from "@bursar/api/errors/errorHeaders"
import { errorClasses } from "@bursar/api/errors/WireErrors"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"

const classes: ReadonlyArray<abstract new (...given: never) => unknown> = Object.values(errorClasses)

/** Whether an error is one of the interface's. */
export const isApiError = (error: unknown): error is ApiError => classes.some((one) => error instanceof one)

const statuses = new Map(Object.entries(errorClasses).map(([status, { name }]) => [name, Number(status)]))

/** The answer to a refused request: what the error says under its status, with the request's id and the headers that follow. */
export const refusalResponse = (
  error: ApiError,
  requestId: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const status = statuses.get(error._tag)
  if (status === undefined) return Effect.die(new Error(`no status is known of ${error._tag}`))
  const { detail, error: said } = error
  const body: ErrorBody = {
    error: { ...said, request_id: said.request_id === "" ? requestId : said.request_id },
    ...(detail === undefined ? {} : { detail })
  }
  return Effect.succeed(
    HttpServerResponse.text(JSON.stringify(body), {
      status,
      contentType: "application/json",
      headers: { ...errorHeaders(body) }
    })
  )
}
