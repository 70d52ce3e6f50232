import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

// A process of its own, so that it takes no time from the worker's event loop: it takes whatever comes.
if (import.meta.main) {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end())
  })
  // a TCP server that listens has an AddressInfo
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port))
}
