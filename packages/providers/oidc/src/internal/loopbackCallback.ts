import { Deferred, Effect } from "effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

const path = "/callback"
// it listens on TCP, so it has a port
const portOf = (server: Server): number => (server.address() as AddressInfo).port

const done = "You are signed in. You can close this page."

/** A server on a free port of the loopback interface that waits for the browser to come back from the provider (RFC 8252). */
export const loopbackCallback = Effect.fnUntraced(function* (state: string) {
  const arrived = yield* Deferred.make<URL>()
  const server = createServer((request, response) => {
    // its own address, whatever name the browser was given for it
    const url = URL.parse(request.url ?? "", "http://127.0.0.1")
    // a page that another program opens does not end the wait: it does not know the state
    if (url?.pathname !== path || url.searchParams.get("state") !== state) return response.writeHead(404).end()
    url.port = String(portOf(server))
    const headers = {
      "content-type": "text/plain; charset=utf-8",
      connection: "close",
      "referrer-policy": "no-referrer"
    }
    response.writeHead(200, headers).end(done)
    return Deferred.doneUnsafe(arrived, Effect.succeed(url))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  return {
    url: `http://127.0.0.1:${portOf(server)}${path}`,
    /** The URL that the provider sent the browser to. */
    arrived: Deferred.await(arrived)
  }
})
