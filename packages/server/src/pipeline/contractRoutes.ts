import { Effect, type Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import { makeOverstepping } from "../keys/overstepping.ts"
import type { MakeCheck } from "../http/Arrived.ts"
import { endpointEffect, type Handler } from "./endpointEffect.ts"

/** What `HttpApiBuilder.group` has put together of a group: its handlers by the names of their endpoints. */
interface BuiltGroup {
  readonly handlers: ReadonlyMap<
    string,
    { readonly endpoint: HttpApiEndpoint.Top; readonly handler: Handler; readonly uninterruptible: boolean }
  >
}

/** The checks that stand for the middleware of a contract, by their keys. */
export type Checks = ReadonlyMap<string, MakeCheck>

/** The checks of an endpoint in the order of the contract, which names the outermost last. One that nobody makes is a mistake of the assembly. */
const checksOf = (endpoint: HttpApiEndpoint.Top, checks: Checks) =>
  [...endpoint.middlewares].toReversed().map((key) => {
    const { key: name } = key as HttpApiMiddleware.AnyService // they are services, which the types of an endpoint do not say
    const make = checks.get(name)
    if (make === undefined) throw new Error(`nothing checks ${name} of ${endpoint.identifier}`)
    return make(endpoint)
  })

/**
 * Every endpoint of a contract as a route, compiled once, when the server starts: one function of checks, reading, carrying out and writing.
 * `checks` has what stands for each of the contract's middleware. The groups' handlers come from the context, as `HttpApiBuilder.group` puts
 * them there. An endpoint without a handler, or a middleware without a check, keeps the server from starting.
 */
export const contractRoutes = <Id extends string, Groups extends HttpApiGroup.Constraint, R>(
  api: HttpApi.HttpApi<Id, Groups>,
  checks: Effect.Effect<Checks, never, R>
): Layer.Layer<never, never, HttpRouter.HttpRouter | HttpApiGroup.ToService<Id, Groups> | R> =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const services = yield* Effect.context<never>()
      const made = yield* checks
      const overstepping = makeOverstepping()
      // the groups of a contract, whose types say only what their clients need
      const groups = Object.values(api.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>
      for (const group of groups) {
        const built = services.mapUnsafe.get(group.key) as BuiltGroup | undefined // put there by `HttpApiBuilder.group`
        for (const name of Object.keys(group.endpoints)) {
          const found = built?.handlers.get(name)
          if (found === undefined) throw new Error(`the endpoint ${group.identifier}.${name} has no handler`)
          const { endpoint, handler, uninterruptible } = found
          const effect = endpointEffect({
            api: api as unknown as HttpApi.Top, // see above
            group,
            endpoint,
            handler,
            checks: checksOf(endpoint, made),
            overstepping
          })
          const { method, path } = endpoint as { readonly method: "GET"; readonly path: HttpRouter.PathInput } // or another method that routers know
          yield* router.add(method, path, effect, { uninterruptible })
        }
      }
    })
  )
