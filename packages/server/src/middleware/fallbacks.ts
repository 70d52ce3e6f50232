import type { ErrorCode } from "@bursar/api/errors/Catalogue"
import { Cause, Effect } from "effect"
import { HttpServerError } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { errorResponse } from "../http/errorResponse.ts"
import type { RouteTable } from "../http/RouteTable.ts"
import type { Underway } from "../http/Step.ts"

const codes: Readonly<Record<number, ErrorCode>> = {
  400: "malformed_request",
  404: "not_found",
  413: "body_too_large"
}

/** What is logged of a defect: where a schema is at fault its message holds the data itself, so only its place is told. */
const describedCause = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> => {
  const error = Cause.squash(cause)
  return HttpApiError.HttpApiSchemaError.is(error)
    ? Cause.fail(`the answer's ${error.kind} breaks its own schema`)
    : cause
}

/**
 * Answers what no endpoint has answered: an unknown route (404) or method (405 with `Allow`), a body that is too large
 * or broken off, a defect (500, without its cause), a server that shuts down (503). A client that hung up gets nothing.
 */
export const fallbacks =
  (routes: RouteTable) =>
  <E>({ facts, request: { method, url } }: Underway, cause: Cause.Cause<E>) =>
    Effect.gen(function* () {
      const [{ status }] = yield* HttpServerError.causeResponse(cause)
      if (status === 499) return yield* Effect.failCause(cause)
      if (status === 404) {
        const allowed = routes.methodsOf(url)
        if (allowed.length > 0 && !allowed.includes(method)) {
          facts.responseHeaders["allow"] = allowed.join(", ")
          return errorResponse("method_not_allowed", { requestId: facts.id })
        }
      }
      if (status === 503) {
        const code = method === "GET" ? "provider_unavailable" : "read_only"
        return errorResponse(code, { requestId: facts.id, message: "The service is shutting down." })
      }
      const code = codes[status]
      if (code === undefined)
        yield* Effect.logError("request.failed", describedCause(cause)).pipe(
          Effect.annotateLogs({ request_id: facts.id })
        )
      return errorResponse(code ?? "internal_error", { requestId: facts.id })
    })
