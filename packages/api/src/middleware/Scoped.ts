import { HttpApiMiddleware } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import type { Caller } from "./Caller.ts"

/** Checks the endpoint's `RequiredScope`; it answers `scope_missing` with `detail.required_scope`. */
export class Scoped extends HttpApiMiddleware.Service<Scoped, { requires: Caller }>()("@bursar/api/Scoped", {
  error: wireErrors
}) {}
