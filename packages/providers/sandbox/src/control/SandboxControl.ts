import { Effect, Result } from "effect"
import type { Scope } from "effect"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { ControlError, type ControlRoute } from "./ControlRoute.ts"

const bodyBytesMax = 1024 * 1024

const statuses = { invalid_request: 422, not_found: 404, failed: 502 } as const

/** The controls of the sandbox, listening. */
export interface SandboxControl {
  readonly url: string
  readonly port: number
}

interface Answer {
  readonly status: number
  readonly body: string
}

const refusal = (status: number, code: string, message: string, hint: string): Answer => ({
  status,
  body: JSON.stringify({ error: { code, message, hint } })
})

const bodyOf = (request: IncomingMessage) =>
  Effect.callback<string, "too large" | "broken">((resume) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bodyBytesMax) chunks.push(chunk)
    })
    request.on("end", () =>
      resume(bytes > bodyBytesMax ? Effect.fail("too large") : Effect.succeed(Buffer.concat(chunks).toString("utf8")))
    )
    request.on("error", () => resume(Effect.fail("broken")))
  })

const decoded = (segment: string) =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(segment)),
    () => segment
  )

/** What the segments in braces stand for, or undefined where the path is another. */
const matched = (pattern: string, path: string): Readonly<Record<string, string>> | undefined => {
  const wanted = pattern.split("/")
  const given = path.split("/")
  if (wanted.length !== given.length) return undefined
  const found: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    const actual = given[index] ?? ""
    if (segment.startsWith("{")) found[segment.slice(1, -1)] = decoded(actual)
    else if (segment !== actual) return undefined
  }
  return found
}

const parsed = (text: string) =>
  Effect.try({
    try: (): unknown => (text === "" ? {} : JSON.parse(text)),
    catch: () =>
      new ControlError({ code: "invalid_request", message: "the body is not JSON", hint: "Send a JSON object." })
  })

const answer = (routes: ReadonlyArray<ControlRoute>, request: IncomingMessage): Effect.Effect<Answer> => {
  const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1")
  const known = routes.map(({ method, path }) => `${method} ${path}`).join(", ")
  for (const route of routes) {
    const path = request.method === route.method ? matched(route.path, pathname) : undefined
    if (path === undefined) continue
    // A page of another origin cannot send this content type unasked.
    if (route.method === "POST" && !String(request.headers["content-type"]).startsWith("application/json")) {
      return Effect.succeed(
        refusal(415, "not_json", "the body must be application/json", "Set the content-type header.")
      )
    }
    return bodyOf(request).pipe(
      Effect.flatMap(parsed),
      Effect.flatMap((body) => route.handle({ path, body })),
      Effect.match({
        onSuccess: (result) => ({ status: 200, body: JSON.stringify(result) }),
        onFailure: (error) =>
          error === "too large" || error === "broken"
            ? refusal(413, "body_too_large", `the body is ${error}`, "Send less.")
            : refusal(statuses[error.code], error.code, error.message, error.hint)
      })
    )
  }
  return Effect.succeed(refusal(404, "not_found", "no such control", `There are ${known}.`))
}

const opened = (port: number, server: Server) =>
  Effect.callback<Server, ControlError>((resume) => {
    server.once("error", (cause) =>
      resume(
        Effect.fail(
          new ControlError({
            code: "failed",
            message: `cannot listen on 127.0.0.1:${port}: ${cause.message}`,
            hint: "Another program has the port. Stop it, or choose port 0 for a free one."
          })
        )
      )
    )
    server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
  })

/**
 * Serves the controls of every area as JSON over HTTP on 127.0.0.1 until the scope closes; port 0 takes a free one. 200 with
 * a result; 422 for a body that is wrong, 404 for what is not there, 502 where it could not be done, each with
 * `{ error: { code, message, hint } }`.
 */
export const serve = Effect.fn("SandboxControl.serve")(function* (
  routes: ReadonlyArray<ControlRoute>,
  port = 0
): Effect.fn.Return<SandboxControl, ControlError, Scope.Scope> {
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context())
  const server = createServer((request, response) => {
    const handled = answer(routes, request).pipe(
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logError("sandbox.control_failed", cause),
          refusal(500, "internal_error", "the sandbox failed", "See its log.")
        )
      ),
      Effect.flatMap(({ body, status }) =>
        Effect.sync(() => void response.writeHead(status, { "content-type": "application/json" }).end(body))
      )
    )
    run(Effect.forkIn(handled, scope))
  })
  yield* Effect.acquireRelease(opened(port, server), (listening) =>
    Effect.callback<void>((resume) => {
      listening.close(() => resume(Effect.void))
      listening.closeAllConnections()
    })
  )
  // The address of a TCP server that listens is an AddressInfo.
  const listening = (server.address() as AddressInfo).port
  return { url: `http://127.0.0.1:${listening}`, port: listening }
})
