import { HttpApiMiddleware } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import type { Caller } from "./Caller.ts"

/** Counts the request against the key's and the tenant's rates; it answers `rate_limited`. */
export class Limited extends HttpApiMiddleware.Service<Limited, { requires: Caller }>()("@bursar/api/Limited", {
  error: wireErrors
}) {}
