import { HttpApiMiddleware } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import type { Operator } from "./Operator.ts"

/** Checks the role that the endpoint needs; it answers `scope_missing` with `detail.required_role`. */
export class OperatorPermitted extends HttpApiMiddleware.Service<OperatorPermitted, { requires: Operator }>()(
  "@bursar/api/OperatorPermitted",
  { error: wireErrors }
) {}
