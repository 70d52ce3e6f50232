import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A node whose answers are kept: each question is put to the real one once, and answered from memory from then on. */
export interface Replay {
  readonly url: string
  /** Bytes of all answers that are kept. */
  readonly bytes: () => number
}

const isHopByHop = new Set(["connection", "content-length", "host", "transfer-encoding"])

/** Two questions are the same where all but the number of a JSON-RPC call is. */
const withoutId = (body: string): string => body.replace(/"id":\s*(?:\d+|"[^"]*"),?/u, "")

/** Starts such a node in front of another, until the scope closes. */
export const makeReplay = Effect.fnUntraced(function* (target: string) {
  const kept = new Map<string, { readonly status: number; readonly type: string; readonly body: Buffer }>()
  const { origin, pathname } = new URL(target)
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      const path = request.url === "/" ? pathname : (request.url ?? "/")
      const key = `${request.method} ${path} ${withoutId(body)}`
      const known = kept.get(key)
      const answer = (one: NonNullable<typeof known>) =>
        response.writeHead(one.status, { "content-type": one.type }).end(one.body)
      if (known !== undefined) return void answer(known)
      const headers = Object.entries(request.headers).flatMap(([name, value]) =>
        isHopByHop.has(name) || typeof value !== "string" ? [] : [[name, value] as const]
      )
      const method = request.method ?? "GET"
      void fetch(new URL(path, origin), {
        method,
        headers: Object.fromEntries(headers),
        ...(body === "" ? {} : { body })
      })
        .then(async (given) => {
          const one = {
            status: given.status,
            type: given.headers.get("content-type") ?? "application/json",
            body: Buffer.from(await given.arrayBuffer())
          }
          kept.set(key, one)
          answer(one)
        })
        .catch(() => response.destroy())
      return undefined
    })
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
  // A TCP server that listens has an AddressInfo.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const bytes = () => [...kept.values()].reduce((sum, { body }) => sum + body.length, 0)
  return { url, bytes } satisfies Replay
})
