import type { Network } from "@bursar/core/money/Network"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { readFileSync, statSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { SignerAddress, TlsFiles } from "../SignerAddress.ts"
import { routes } from "./handlers.ts"
import { clearSocketPath, openSocketTo, SignerAddressUnsafe } from "./socketPath.ts"

/** Where a signer listens, and to whom. */
export interface ListenSignerOptions {
  readonly address: SignerAddress
  /** Who may connect to a socket: its owner, or its group too. Default the owner. */
  readonly socketFor?: "owner" | "group"
  /** Needed over TLS: nobody is listened to without a certificate of the authority. */
  readonly tls?: TlsFiles
  /** The networks that are signed for: none of them waits for another that does not answer. All others wait for each other, as all do by default. */
  readonly networks?: ReadonlyArray<Network>
}

/** What clients may hold of the server. Times are in milliseconds. */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // a connection that was handed over would be under none of these limits, and nothing here speaks another protocol
  shouldUpgradeCallback: () => false
}

const connectionsMax = 256

const bounded = <S extends Server>(server: S): S => {
  server.maxConnections = connectionsMax
  return server
}

const tlsServer = ({ ca, cert, key }: TlsFiles) =>
  createTlsServer({
    ...limits,
    ca: readFileSync(ca),
    cert: readFileSync(cert),
    key: readFileSync(key),
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.3"
  })

/** A socket is there for nobody else from its first moment: what others may do is taken away while it is made. */
const withoutOthers = (server: Server): Server => {
  const listen = server.listen.bind(server)
  server.listen = ((...given: Parameters<typeof listen>) => {
    const before = process.umask(0o177)
    try {
      return listen(...given)
    } finally {
      process.umask(before)
    }
  }) as typeof server.listen // the same overloads
  return server
}

const othersReadOrWrite = 0o077

/** Why nobody should be listened to with these files; undefined where that is safe. */
const tlsFault = (tls: TlsFiles | undefined): string | undefined => {
  if (tls === undefined) return "TLS needs a certificate, its key, and the authority of the clients."
  const { mode = 0 } = statSync(tls.key, { throwIfNoEntry: false }) ?? {}
  return (mode & othersReadOrWrite) === 0
    ? undefined
    : `others than its owner can read or write the key ${tls.key}. Run chmod 600 on it.`
}

const serverFor = ({ address, tls }: ListenSignerOptions) => {
  if (address._tag === "Socket") return Effect.succeed(() => bounded(withoutOthers(createServer(limits))))
  const fault = tlsFault(tls)
  return tls === undefined || fault !== undefined
    ? Effect.fail(new SignerAddressUnsafe({ reason: fault ?? "" }))
    : Effect.succeed(() => bounded(tlsServer(tls)))
}

/** Serves the signer's interface until the scope closes. The vault and the signer of transactions come from the context. */
export const listenSigner = Effect.fn("signer.listen")(function* (options: ListenSignerOptions) {
  const { address, networks = [], socketFor = "owner" } = options
  const makeServer = yield* serverFor(options)
  if (address._tag === "Socket") yield* clearSocketPath(address.path)
  const where = address._tag === "Socket" ? { path: address.path } : { host: address.host, port: address.port }
  const served = HttpRouter.serve(routes(networks), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(makeServer, { ...where, gracefulShutdownTimeout: "10 seconds" }))
  )
  const { address: bound } = Context.get(yield* Layer.build(served), HttpServer.HttpServer)
  if (address._tag === "Socket") openSocketTo(address.path, socketFor)
  return { url: HttpServer.formatAddress(bound) }
})
