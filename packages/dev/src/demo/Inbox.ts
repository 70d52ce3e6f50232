import { createWebhookReceiver, type WebhookEvent, type WebhookReceiver } from "@bursar/client/webhooks"
import { Effect, type Scope } from "effect"
import { createServer, type Server } from "node:http"
import { SceneFailed } from "./SceneFailed.ts"

/** The partner's endpoint for webhooks: what it received, all of it verified. */
export interface Inbox {
  readonly url: string
  /** Begins to take what is signed with this secret, and nothing else. */
  readonly open: (secret: string) => void
  /** The first event that fits, received or yet to come. */
  readonly next: (fits: (event: WebhookEvent) => boolean) => Effect.Effect<WebhookEvent>
  readonly received: () => number
}

/** By this path the story finds the endpoints of its earlier runs. */
export const inboxPath = "/bursar-demo"

/** Listens on a free port of this machine until the scope closes. */
export const openInbox: Effect.Effect<Inbox, SceneFailed, Scope.Scope> = Effect.gen(function* () {
  const events: Array<WebhookEvent> = []
  const watching = new Set<(event: WebhookEvent) => void>()
  let receiver: WebhookReceiver | undefined
  const take = (event: WebhookEvent): void => {
    events.push(event)
    for (const look of watching) look(event)
  }
  const listen = Effect.callback<Server, SceneFailed>((resume) => {
    const server = createServer((request, response) => {
      if (receiver === undefined) response.writeHead(503).end()
      else void receiver.node(request, response)
    })
    server.once("error", ({ message }) =>
      resume(Effect.fail(new SceneFailed({ message: `no port to listen on for webhooks: ${message}` })))
    )
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  })
  const server = yield* Effect.acquireRelease(listen, (one) =>
    Effect.callback<void>((resume) => {
      one.close(() => resume(Effect.void))
      one.closeAllConnections()
    })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}${inboxPath}`,
    open: (secret) => void (receiver = createWebhookReceiver({ secrets: [secret], onEvent: take })),
    next: (fits) =>
      Effect.callback<WebhookEvent>((resume) => {
        const known = events.find(fits)
        if (known !== undefined) return resume(Effect.succeed(known))
        const look = (event: WebhookEvent): void => {
          if (!fits(event)) return
          watching.delete(look)
          resume(Effect.succeed(event))
        }
        watching.add(look)
        return Effect.sync(() => void watching.delete(look))
      }),
    received: () => events.length
  }
})
