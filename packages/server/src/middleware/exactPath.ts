import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { errorResponse } from "../http/errorResponse.ts"
import type { RouteTable } from "../http/RouteTable.ts"
import type { HttpApp } from "../http/HttpApp.ts"

/**
 * Answers 404 to every path that is not, to the letter, one of the contract. The router itself is lenient: it would take
 * another case, a slash too many or an escape for the same route, and a signature covers the path as it was sent.
 */
export const exactPath =
  (routes: RouteTable) =>
  <E, R>(app: HttpApp<E, R>): HttpApp<E, R> =>
    Effect.gen(function* () {
      const { url } = yield* HttpServerRequest.HttpServerRequest
      if (routes.isExact(url)) return yield* app
      return errorResponse("not_found", { requestId: (yield* CurrentRequest).id })
    })
