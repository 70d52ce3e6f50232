import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A node:http server that answers a JSON body and does nothing else. */
export const bareServer = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly close: Effect.Effect<void> }>((resume) => {
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        response.writeHead(200, { "content-type": "application/json" }).end('{"currencies":[]}')
      })
    })
    server.listen(0, "127.0.0.1", () => {
      // a TCP server that listens has an AddressInfo
      const { port } = server.address() as AddressInfo
      const close = Effect.callback<void>((closed) => {
        server.closeAllConnections()
        server.close(() => closed(Effect.void))
      })
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
    })
  }),
  ({ close }) => close
)
