import { HttpApiMiddleware } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import type { Operator } from "./Operator.ts"

/**
 * Checks that an action is asked for by whom the page shows, and the role that the endpoint needs; it answers `another_operator`, and
 * `scope_missing` with `detail.required_role`.
 */
export class OperatorPermitted extends HttpApiMiddleware.Service<OperatorPermitted, { requires: Operator }>()(
  "@bursar/api/OperatorPermitted",
  { error: wireErrors }
) {}
