import { Effect } from "effect"
import { createServer, request as ask } from "node:http"
import type { AddressInfo } from "node:net"

/** A key that is none: the proxy puts one of its own in its place. */
export const placeholder = "any-key-of-the-tenant"

/** Listens before a service and gives each request that carries the placeholder another key, since each may call only so often. */
export const keyProxy = Effect.fn("fuzz.keyProxy")(function* (url: string, keys: ReadonlyArray<string>) {
  const { hostname, port } = new URL(url)
  let calls = 0
  const server = createServer((request, response) => {
    calls += 1
    const { authorization } = request.headers
    const key = `Bearer ${keys[calls % keys.length] ?? ""}`
    const headers =
      authorization === `Bearer ${placeholder}` ? { ...request.headers, authorization: key } : request.headers
    const passed = ask({ hostname, port, method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on("error", () => response.destroy())
    request.pipe(passed)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  // it listens on TCP
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
