import { HttpApiMiddleware } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"

/**
 * Turns a request that breaks its schema into a refusal of the catalogue; `schemaRefusal` says which.
 *
 * Implement it with `HttpApiMiddleware.layerSchemaErrorTransform`.
 */
export class SchemaRefusals extends HttpApiMiddleware.Service<SchemaRefusals>()("@bursar/api/SchemaRefusals", {
  error: wireErrors
}) {}
