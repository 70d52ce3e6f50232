import { Readable } from "node:stream"
import type { Service } from "example-service"
import fastify, { type FastifyInstance, type FastifyRequest } from "fastify"

/** A request of Fastify's as one of the web's. Where there is a body, it is the stream that the parser below left alone. */
const toRequest = ({ body, host, method, originalUrl, raw }: FastifyRequest): Request =>
  new Request(new URL(originalUrl, `http://${host}`), {
    method,
    headers: Object.entries(raw.headers).flatMap(([name, values = []]) =>
      [values].flat().map((value): [string, string] => [name, value])
    ),
    // Node's types and the browser's name the same stream twice
    ...(body instanceof Readable ? { body: Readable.toWeb(body) as unknown as BodyInit, duplex: "half" } : {})
  })

/** An application with pages of its own and the service below `/v1`. */
export const makeApp = (service: Pick<Service, "handler">): FastifyInstance => {
  const app = fastify()
  app.get("/", () => "A shop.")
  app.register((partner, _options, done) => {
    partner.removeAllContentTypeParsers()
    partner.addContentTypeParser("*", (_request, payload, parsed) => parsed(null, payload))
    partner.all("/v1/*", (request) =>
      service.handler(toRequest(request), { clientAddress: request.raw.socket.remoteAddress })
    )
    done()
  })
  return app
}
