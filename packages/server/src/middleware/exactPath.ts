import { Effect } from "effect"
import { errorResponse } from "../http/errorResponse.ts"
import type { RouteTable } from "../http/RouteTable.ts"
import { type Gate, pass } from "../http/Step.ts"

/**
 * Answers 404 to every path that is not, to the letter, one of the contract. The router itself is lenient: it would take
 * another case, a slash too many or an escape for the same route, and a signature covers the path as it was sent.
 */
export const exactPath =
  (routes: RouteTable): Gate =>
  ({ facts, request: { url } }) =>
    routes.isExact(url) ? pass : Effect.succeed(errorResponse("not_found", { requestId: facts.id }))
