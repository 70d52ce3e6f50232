import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { insist } from "../service/ask.ts"
import type { Service } from "../service/service.ts"

/** Registers an endpoint for all of a tenant's events, and gives the bodies that have come there so far. It closes with the scope. */
export const receive = Effect.fn("fuzz.receive")(function* ({ handshake }: Service, tenantId: string) {
  const bodies: Array<string> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      bodies.push(Buffer.concat(chunks).toString("utf8"))
      response.end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () => Effect.sync(() => server.closeAllConnections() ?? server.close())
  )
  const { port } = server.address() as AddressInfo // it listens on TCP
  yield* insist("POST", `${handshake.operator_url}/operator/v1/tenants/${tenantId}/webhooks`, {
    token: handshake.operator_token,
    headers: { "x-operator": "ann" },
    body: { url: `http://127.0.0.1:${port}/` }
  })
  return bodies
})
