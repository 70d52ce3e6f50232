import { HttpApiMiddleware } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import type { Operator } from "./Operator.ts"

/** Writes every action down before it is done and after; one that cannot be written down is not done (`read_only`). */
export class OperatorAudited extends HttpApiMiddleware.Service<OperatorAudited, { requires: Operator }>()(
  "@bursar/api/OperatorAudited",
  { error: wireErrors }
) {}
