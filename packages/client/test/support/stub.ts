import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { onTestFinished } from "vitest"

/** A request as the stub got it. */
export interface Heard {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** What the stub does with a request. */
export type Reaction = (response: ServerResponse, heard: Heard) => void

/** Answers JSON. */
export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reaction =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

/** Answers an error of the contract. */
export const refusal = (
  status: number,
  code: string,
  more: { readonly retryable?: boolean; readonly detail?: object; readonly retryAfter?: string } = {}
): Reaction =>
  json(
    status,
    {
      error: {
        code,
        message: `It is ${code}.`,
        request_id: "request-1",
        retryable: more.retryable ?? false,
        ...(more.detail === undefined ? {} : { detail: more.detail })
      }
    },
    more.retryAfter === undefined ? {} : { "retry-after": more.retryAfter }
  )

/** Breaks the connection without an answer. */
export const hangUp: Reaction = (response) => void response.socket?.destroy()

/** Never answers. */
export const silence: Reaction = () => undefined

/** A service on this machine that reacts to each request with the next of the reactions, and to the rest with the last. */
export const stub = async (...reactions: ReadonlyArray<Reaction>) => {
  const heard: Array<Heard> = []
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const one = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body }
      heard.push(one)
      const reaction = reactions[Math.min(heard.length, reactions.length) - 1] ?? silence
      reaction(response, one)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  )
  // It listens, so it has an address.
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}
