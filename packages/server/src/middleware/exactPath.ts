import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import { errorResponse } from "../http/errorResponse.ts"
import { pathOf } from "../http/pathOf.ts"
import type { RouteTable } from "../http/RouteTable.ts"
import { type Gate, pass } from "../http/Step.ts"

const authority = /^https?:\/\/[^/?#\\]*/iu

/** Whether the path is as it was sent. Of a target with an authority the server takes dots, backslashes and a fragment out. */
const isAsSent = ({ source, url }: HttpServerRequest.HttpServerRequest): boolean => {
  const target = source instanceof IncomingMessage ? (source.url ?? "") : url
  return target === url || pathOf(target.replace(authority, "")) === pathOf(url)
}

/**
 * Answers 404 to every path that is not, to the letter, one of the contract. The router itself is lenient: it would take
 * another case, a slash too many or an escape for the same route, and a signature covers the path as it was sent.
 */
export const exactPath =
  (routes: RouteTable): Gate =>
  ({ facts, request }) =>
    routes.isExact(request.url) && isAsSent(request)
      ? pass
      : Effect.succeed(errorResponse("not_found", { requestId: facts.id }))
