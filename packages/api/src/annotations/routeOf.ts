import { SchemaAST } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"

/** How an endpoint of the contract is reached, and the status of its success. */
export interface EndpointRoute {
  readonly method: string
  /** The path template in OpenAPI's form, `/v1/swaps/{swap_id}`. */
  readonly path: string
  /** Method and path template, `POST /v1/withdrawals`. Idempotency records keep this name for ever. */
  readonly name: string
  /** The status of success. */
  readonly status: number
}

/** What of an endpoint says how it is reached, and what is said of it beside its schemas. */
export type RoutedEndpoint = Pick<HttpApiEndpoint.Top, "annotations" | "method" | "path" | "success">

const ownStatus = SchemaAST.resolveAt<number>("httpApiStatus")

/** `HttpApiSchema.status` says it of the schema or, where that has none of its own, of its place. */
const statusOf = (ast: SchemaAST.AST): number => {
  const status = ownStatus(ast) ?? ast.context?.annotations?.["httpApiStatus"]
  return typeof status === "number" ? status : 200
}

/** Routes that were read already: an endpoint does not change. */
const routes = new WeakMap<RoutedEndpoint, EndpointRoute>()

/** Reads the route of an endpoint from the contract, so that nobody repeats its method, path or status. */
export const routeOf = (endpoint: RoutedEndpoint): EndpointRoute => {
  const known = routes.get(endpoint)
  if (known !== undefined) return known
  const read = readRoute(endpoint)
  routes.set(endpoint, read)
  return read
}

const readRoute = ({ method, path: declared, success }: RoutedEndpoint): EndpointRoute => {
  const path = declared.replace(/:(\w+)/gu, "{$1}")
  const [status = 200] = Array.from(success, ({ ast }) => statusOf(ast))
  return { method, path, name: `${method} ${path}`, status }
}
