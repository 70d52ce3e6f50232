import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ReadableStream } from "node:stream/web"
import type { Service } from "example-service"
import express, { type Express } from "express"

/** A request of Node's as one of the web's, its body unread. */
const toRequest = (incoming: IncomingMessage, url: string): Request => {
  const method = incoming.method ?? "GET"
  const hasBody = method !== "GET" && method !== "HEAD"
  return new Request(new URL(url, `http://${incoming.headers.host ?? "localhost"}`), {
    method,
    headers: Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value])
    ),
    // Node's types and the browser's name the same stream twice
    ...(hasBody ? { body: Readable.toWeb(incoming) as unknown as BodyInit, duplex: "half" } : {})
  })
}

/** An application with pages of its own and the service below `/v1`. */
export const makeApp = (service: Pick<Service, "handler">): Express => {
  const app = express()
  app.disable("x-powered-by")

  app.get("/", (_request, response) => void response.send("A shop."))

  // Express 5 takes what the promise rejects with as an error.
  // oxlint-disable-next-line oxc/no-async-endpoint-handlers
  app.use(async (request, response, next) => {
    if (!request.originalUrl.startsWith("/v1/")) return next()
    const answer = await service.handler(toRequest(request, request.originalUrl), {
      clientAddress: request.socket.remoteAddress
    })
    response.status(answer.status).setHeaders(answer.headers)
    if (answer.body === null) return void response.end()
    // the same two names of one stream
    await pipeline(Readable.fromWeb(answer.body as ReadableStream), response)
  })
  return app
}
