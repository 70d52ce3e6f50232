import { Context, Effect, Layer, Option } from "effect"
import { Headers, HttpRouter, HttpServerRequest } from "effect/http"
import { routerConfig } from "./http/routerConfig.ts"

/** What the host of a web handler must say of a request, since a `Request` does not know it. */
export interface WebConnection {
  /**
   * The address of the client, or of the trusted proxy before the service, as the host's own connection or platform
   * tells it; never from a header that clients can write. Where it is undefined, only tenants that admit every address
   * can be called.
   */
  readonly clientAddress: string | undefined
}

/** The service as a function of the web platform, with what it holds open. */
export interface WebHandler {
  /** Answers a request, whatever it is. Rejects only where the layers could not be built. */
  readonly handler: (request: Request, connection: WebConnection) => Promise<Response>
  /** Lets go of what the layers hold. Requests under way are not waited for. */
  readonly dispose: () => Promise<void>
}

/** The connection of the request in progress. */
const CurrentConnection = Context.Reference<WebConnection>("@bursar/server/toWebHandler/CurrentConnection", {
  defaultValue: () => ({ clientAddress: undefined })
})

/** The headers as a connection of HTTP/1.1 would have brought them: with the authority, and how the body's end is told. */
const connectionHeaders = (headers: Headers.Headers, request: Request): Headers.Headers => {
  const addressed = headers["host"] === undefined ? Headers.set(headers, "host", new URL(request.url).host) : headers
  const unmeasured =
    request.body !== null && headers["content-length"] === undefined && headers["transfer-encoding"] === undefined
  return unmeasured ? Headers.set(addressed, "transfer-encoding", "chunked") : addressed
}

/** Outside everything else: what a connection would have known of the request. */
const asConnected = HttpRouter.middleware(
  (app) =>
    Effect.gen(function* () {
      const { clientAddress } = yield* CurrentConnection
      const request = yield* HttpServerRequest.HttpServerRequest
      const { source } = request
      if (!(source instanceof Request)) return yield* app
      const connected = request.modify({
        remoteAddress: Option.fromUndefinedOr(clientAddress),
        headers: connectionHeaders(request.headers, source)
      })
      return yield* Effect.provideService(app, HttpServerRequest.HttpServerRequest, connected)
    }),
  { global: true }
)

/**
 * Routes, such as `PartnerServer.routes`, over the services that they need, as a handler of web `Request`s: for hosts that
 * have a server of their own (Next.js, Hono, Bun, Deno, or Express and Fastify with a bridge). The layers are built at
 * once, and the first requests wait for them. Loggers and tracers among the services are in force for every request.
 * Paths are those of the contract, so mount it at the root of an authority: signatures cover the path as it was sent.
 *
 * A host that runs on Effect can give `routes` to `HttpRouter.serve` instead, in a router of its own, since the allowlist
 * stands before every route of it.
 */
export const toWebHandler = <E, R, ES>(
  routes: Layer.Layer<never, E, HttpRouter.HttpRouter | R>,
  services: Layer.Layer<R, ES>
): WebHandler => {
  const complete: Layer.Layer<never, E | ES, unknown> = routes.pipe(
    Layer.provide(asConnected),
    Layer.provideMerge(services)
  )
  // TypeScript does not see that of `R | HttpRouter`, less `R`, only the router is left
  const { dispose, handler } = HttpRouter.toWebHandler(complete as Layer.Layer<never, E | ES, HttpRouter.HttpRouter>, {
    disableLogger: true,
    routerConfig
  })
  return {
    dispose,
    handler: (request, connection) => handler(request, Context.make(CurrentConnection, connection))
  }
}
