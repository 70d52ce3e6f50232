import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Deferred, Duration, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { ServerConfig } from "./config/ServerConfig.ts"
import { parseProxies } from "./http/clientAddress.ts"
import { type ConnectionLimits, connectionLimits, makeNodeServer } from "./http/nodeServer.ts"
import { routerConfig } from "./http/routerConfig.ts"
import { Closing } from "./live/Closing.ts"

/** Where a server listens, and how long it lets requests finish when it is closed. */
export interface ListenOptions {
  /** 0 takes a free one. */
  readonly port: number
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Default 20 seconds; afterwards what is still running is answered 503. */
  readonly gracefulShutdownTimeout?: Duration.Input
  /** What clients may hold of the server, where that is not the usual. */
  readonly limits?: Partial<ConnectionLimits>
}

/** A server that listens. */
export interface Listening {
  readonly host: string
  readonly port: number
  /** `http://<host>:<port>`. */
  readonly url: string
}

/** How many services are added to a context before all of it is copied: a request adds about ten. */
const addedMax = 16

/** Runs an effect with the same services, to which those of a request are added without copying them. */
const withRoom = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(effect, ({ mapUnsafe }: Context.Context<R>) =>
    Context.makeUnsafe<R>(mapUnsafe, { maxDepth: addedMax })
  )

/**
 * Serves routes over HTTP until the scope closes; then it takes no more connections and lets requests finish. The ports
 * that the routes need come from the context, so that both servers of a process share them.
 */
export const listen = <A, E, R>(
  routes: Layer.Layer<A, E, R>,
  { gracefulShutdownTimeout = Duration.seconds(20), host = "127.0.0.1", limits, port }: ListenOptions
) =>
  Effect.gen(function* () {
    const proxies = Option.match(yield* Effect.serviceOption(ServerConfig), {
      onNone: () => [],
      onSome: ({ trustedProxies }) => parseProxies(trustedProxies)
    })
    const makeServer = () => makeNodeServer(proxies, { ...connectionLimits, ...limits })
    const closing = yield* Deferred.make<void>()
    const told = Layer.provide(routes, Layer.succeed(Closing, Deferred.await(closing)))
    const served = HttpRouter.serve(told, { disableLogger: true, disableListenLog: true, routerConfig }).pipe(
      Layer.provideMerge(NodeHttpServer.layer(makeServer, { host, port, gracefulShutdownTimeout }))
    )
    const { address } = Context.get(yield* withRoom(Layer.build(served)), HttpServer.HttpServer)
    // before the server itself closes, which waits for what is still being answered
    yield* Effect.addFinalizer(() => Deferred.succeed(closing, undefined))
    const bound = HttpServer.formatAddress(address)
    const url = new URL(bound)
    const listening: Listening = { host: url.hostname, port: Number(url.port), url: url.origin }
    return listening
  })
