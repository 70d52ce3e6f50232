import { createServer, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { Effect, Redacted } from "effect"
import type { Json } from "./TamperingNode.ts"

/** An answer of Horizon with its status and the headers that matter here. */
export interface Answered {
  readonly status: number
  readonly body: Json
  readonly headers?: Readonly<Record<string, string>>
}

/** What takes the place of an answer to a path and query. */
export type Instead = (answer: Answered, path: string) => Answered

/** What Horizon says of what it does not know. */
export const notFound: Instead = () => ({ status: 404, body: { title: "Resource Missing", status: 404 } })

const forwarded = async (behind: string, request: IncomingMessage): Promise<Answered> => {
  const body = await text(request)
  const response = await fetch(`${behind}${request.url}`, {
    method: request.method ?? "GET",
    headers: { "content-type": request.headers["content-type"] ?? "" },
    ...(request.method === "POST" ? { body } : {})
  })
  const ledger = response.headers.get("latest-ledger")
  const headers: Record<string, string> = ledger === null ? {} : { "Latest-Ledger": ledger }
  // Horizon answers objects of JSON.
  return { status: response.status, body: (await response.json()) as Json, headers }
}

/** A node before another one that says what a test wants it to say, until the scope closes. */
export const tamper = Effect.fnUntraced(function* (behind: string) {
  const changes: Array<readonly [RegExp, Instead]> = []
  const server = createServer((request, response) => {
    const path = request.url ?? "/"
    const [, instead = (answer: Answered) => answer] = changes.findLast(([shape]) => shape.test(path)) ?? []
    void forwarded(behind, request).then((answer) => {
      const { body, headers = {}, status } = instead(answer, path)
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  const address = server.address()
  if (typeof address !== "object" || address === null) return yield* Effect.die(new Error("the node has no port"))
  return {
    horizonUrl: Redacted.make(`http://127.0.0.1:${address.port}`),
    /** Changes the answers to paths of a shape, from now on. */
    change: (path: RegExp, instead: Instead) => void changes.push([path, instead]),
    /** Lets all answers be as they are. */
    honest: () => {
      changes.length = 0
    }
  }
})
