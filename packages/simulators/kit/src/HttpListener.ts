import { Effect } from "effect"
import type { Scope } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { DevnetError } from "./DevnetError.ts"

/** The largest request body that is read. */
const bodyBytesMax = 8 * 1024 * 1024

/** One request with its body, and the means to answer it or to break its connection. */
export interface Exchange {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
  readonly answer: (status: number, body: string, headers?: Readonly<Record<string, string>>) => Effect.Effect<void>
  /** Announces more bytes than it sends, then breaks the connection. */
  readonly truncate: (body: string) => Effect.Effect<void>
  /** Breaks the connection without an answer. */
  readonly drop: Effect.Effect<void>
}

const read = (request: IncomingMessage) =>
  Effect.callback<string, undefined>((resume) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bodyBytesMax) chunks.push(chunk)
    })
    request.on("end", () =>
      resume(bytes > bodyBytesMax ? Effect.fail(undefined) : Effect.succeed(Buffer.concat(chunks).toString("utf8")))
    )
    request.on("error", () => resume(Effect.fail(undefined)))
  })

const exchange = (request: IncomingMessage, response: ServerResponse, body: string): Exchange => {
  const url = new URL(request.url ?? "/", "http://127.0.0.1")
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body,
    answer: (status, text, headers = {}) =>
      Effect.sync(() => {
        response.writeHead(status, { "content-type": "application/json", ...headers }).end(text)
      }),
    truncate: (text) =>
      Effect.callback((resume) => {
        const bytes = Buffer.from(text)
        response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length })
        response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => {
          response.destroy()
          resume(Effect.void)
        })
      }),
    drop: Effect.sync(() => {
      request.socket.destroy()
    })
  }
}

const opened = (port: number, onRequest: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.callback<Server, DevnetError>((resume) => {
    const server = createServer(onRequest)
    server.on("error", (cause) =>
      resume(
        Effect.fail(
          new DevnetError({
            code: "listen_failed",
            message: `cannot listen on 127.0.0.1:${port}: ${cause.message}`,
            hint: "Another program has the port. Stop it, or choose port 0 for a free one.",
            cause
          })
        )
      )
    )
    server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
  })

/**
 * Listens on 127.0.0.1 (port 0 takes a free one) until the scope closes, and gives the port. A handler that dies
 * answers 500; one whose caller has gone is left to finish.
 */
export const listen = Effect.fn("HttpListener.listen")(function* (
  port: number,
  handle: (exchange: Exchange) => Effect.Effect<void>
): Effect.fn.Return<number, DevnetError, Scope.Scope> {
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context())
  const server = yield* Effect.acquireRelease(
    opened(port, (request, response) => {
      const handled = Effect.flatMap(read(request), (body) => handle(exchange(request, response, body))).pipe(
        Effect.catch(() => Effect.sync(() => request.socket.destroy())),
        Effect.catchCause((cause) =>
          Effect.andThen(
            Effect.logError("simulator.request_failed", cause),
            Effect.sync(() => {
              if (!response.headersSent) response.writeHead(500)
              response.end()
            })
          )
        )
      )
      run(Effect.forkIn(handled, scope))
    }),
    (listening) =>
      Effect.callback<void>((resume) => {
        listening.close(() => resume(Effect.void))
        listening.closeAllConnections()
      })
  )
  // The address of a TCP server that listens is an AddressInfo.
  return (server.address() as AddressInfo).port
})
