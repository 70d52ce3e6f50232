import { Deferred, Effect, type Scope } from "effect"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A database seen through a TCP proxy whose sessions can fall silent: nothing of them is lost, and nothing arrives. */
export interface SilentProxy {
  /** The same database, through the proxy. */
  readonly url: string
  /** Succeeds once a client has sent something that holds this text. */
  readonly sends: (text: string) => Effect.Effect<void>
  /** Lets nothing pass any more on the sessions that are open now. */
  readonly hush: Effect.Effect<void>
  /** Lets no answer pass any more on a session whose client has sent something that holds this text: what is sent still arrives. */
  readonly hushAnswersTo: (text: string) => Effect.Effect<void>
}

/** Opens the proxy until the scope closes. */
export const silentProxy = Effect.fnUntraced(function* (
  databaseUrl: string
): Effect.fn.Return<SilentProxy, never, Scope.Scope> {
  const target = new URL(databaseUrl)
  const open = new Set<Socket>()
  let unanswered: string | undefined
  const waiting = new Map<string, Deferred.Deferred<void>>()
  const silent = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client]
    ] as const) {
      open.add(socket)
      socket.on("error", () => other.destroy())
      socket.on("close", () => (silent.has(socket) ? undefined : other.destroy()))
      socket.on("data", (bytes: Buffer) => {
        for (const [text, sent] of waiting) if (bytes.includes(text)) Deferred.doneUnsafe(sent, Effect.void)
        if (socket === client && unanswered !== undefined && bytes.includes(unanswered)) silent.add(upstream)
        if (!silent.has(socket)) other.write(bytes)
      })
    }
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.promise(() => {
        for (const socket of open) socket.destroy()
        return new Promise<void>((resolve) => server.close(() => resolve()))
      })
  )
  const url = new URL(databaseUrl)
  url.hostname = "127.0.0.1"
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.toString(),
    sends: (text) =>
      Effect.suspend(() => {
        const sent = waiting.get(text) ?? Deferred.makeUnsafe<void>()
        waiting.set(text, sent)
        return Deferred.await(sent)
      }),
    hush: Effect.sync(() => {
      for (const socket of open) silent.add(socket)
    }),
    hushAnswersTo: (text) =>
      Effect.sync(() => {
        unanswered = text
      })
  }
})
