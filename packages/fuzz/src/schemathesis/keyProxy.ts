import { Effect } from "effect"
import { createServer, request as ask } from "node:http"
import type { AddressInfo } from "node:net"

/** A key that is none: the proxy puts one of its own in its place. */
export const placeholder = "any-key-of-the-tenant"

/** As many loopback addresses, one after the other; a system that has 127.0.0.1 alone makes each call from there. */
const callersCount = 250
const callerOf = (call: number): string =>
  process.platform === "linux" ? `127.0.0.${2 + (call % callersCount)}` : "127.0.0.1"

/**
 * Listens before a service, gives each request that carries the placeholder another key, and has each come from another address, since
 * a key may call, and an address may fail to sign in, only so often.
 */
export const keyProxy = Effect.fn("fuzz.keyProxy")(function* (url: string, keys: ReadonlyArray<string>) {
  const { hostname, port } = new URL(url)
  let calls = 0
  const server = createServer((request, response) => {
    calls += 1
    const { authorization } = request.headers
    const key = `Bearer ${keys[calls % keys.length] ?? ""}`
    const headers =
      authorization === `Bearer ${placeholder}` ? { ...request.headers, authorization: key } : request.headers
    const localAddress = callerOf(calls)
    const passed = ask(
      { hostname, port, localAddress, method: request.method, path: request.url, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      }
    )
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
