import { verifyWebhook } from "@bursar/client/webhooks"
import { Effect, Result } from "effect"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"

/** What a receiver made of a delivery: its event's id and kind, or why it is not to be trusted. */
export type Received = { readonly id: number; readonly type: string } | { readonly problem: string }

const judge = async (request: IncomingMessage, secrets: ReadonlyArray<string>): Promise<Received> => {
  const verified = await verifyWebhook({
    rawBody: await buffer(request),
    header: (name) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value[0] : value
    },
    secrets,
    now: Date.now()
  })
  if (Result.isFailure(verified)) return { problem: verified.failure }
  const { id, type } = verified.success
  return request.headers["x-service-event-id"] === String(id) ? { id, type } : { problem: "another id in the header" }
}

/**
 * A partner's webhook receiver on this machine, which verifies what comes before it answers 200 and keeps it in order.
 * `secrets` may be filled after the endpoint was made.
 */
export const receiver = (secrets: ReadonlyArray<string>) => {
  const received: Array<Received> = []
  const listen = Effect.callback<Server>((resume) => {
    const server = createServer((request, response) => {
      void judge(request, secrets).then((one) => {
        received.push(one)
        response.writeHead("problem" in one ? 401 : 200).end()
      })
    })
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  })
  const close = (server: Server) =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
  return Effect.map(Effect.acquireRelease(listen, close), (server) => ({
    // It listens, so it has an address.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received
  }))
}
