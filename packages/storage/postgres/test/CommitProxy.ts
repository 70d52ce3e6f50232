import { Deferred, Effect, type Scope } from "effect"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/**
 * What becomes of the first COMMIT that comes by: it never arrives, it is carried out and its answer is lost, or it arrives
 * long after the client has lost its session.
 */
export type CommitFate = "lost" | "unheard" | "late"

/** A database seen through a TCP proxy that cuts the session of the first COMMIT. */
export interface CommitProxy {
  /** The same database, through the proxy. */
  readonly url: string
  /** Succeeds once the client's side of the session is cut. */
  readonly cut: Effect.Effect<void>
  /** Lets a COMMIT that is late arrive. */
  readonly deliver: Effect.Effect<void>
}

/** A statement that is to be met, and what its answer holds. */
export interface Exchange {
  readonly asked: string
  readonly answered: string
}

const commits: Exchange = { asked: "commit\0", answered: "COMMIT\0" }

/** Opens the proxy until the scope closes. So many sessions after the one that is cut are refused, as while a database is started again. Another statement may stand for COMMIT. */
export const commitProxy = Effect.fnUntraced(function* (
  databaseUrl: string,
  fate: CommitFate,
  refusals = 0,
  exchange = commits
): Effect.fn.Return<CommitProxy, never, Scope.Scope> {
  const target = new URL(databaseUrl)
  const commit = Buffer.from(exchange.asked)
  const committed = Buffer.from(exchange.answered)
  const cut = yield* Deferred.make<void>()
  const sockets = new Set<Socket>()
  let late = () => {}
  let met = false
  let refused = 0
  let isCut = false
  const server = createServer((client) => {
    if (isCut && refused < refusals) {
      refused += 1
      return void client.destroy()
    }
    const upstream = connect(Number(target.port || 5432), target.hostname)
    let here = false
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client]
    ] as const) {
      sockets.add(socket)
      socket.on("error", () => other.destroy())
      socket.on("close", () => (here && fate === "late" ? undefined : other.destroy()))
    }
    const cutClient = () => {
      isCut = true
      client.destroy()
      Deferred.doneUnsafe(cut, Effect.void)
    }
    client.on("data", (bytes: Buffer) => {
      if (met || !bytes.includes(commit)) return void upstream.write(bytes)
      met = true
      here = true
      if (fate === "unheard") return void upstream.write(bytes)
      if (fate === "late") {
        const at = bytes.indexOf(commit)
        // what stands before the message of the COMMIT leaves now: the transaction is open and holds its locks
        const start = bytes.lastIndexOf(Buffer.from([0x50]), at)
        upstream.write(bytes.subarray(0, start))
        late = () => void upstream.write(bytes.subarray(start))
      } else upstream.destroy()
      return cutClient()
    })
    upstream.on("data", (bytes: Buffer) => {
      if (here && bytes.includes(committed)) return cutClient()
      return client.destroyed ? undefined : void client.write(bytes)
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.promise(() => {
        for (const socket of sockets) socket.destroy()
        return new Promise<void>((resolve) => server.close(() => resolve()))
      })
  )
  const url = new URL(databaseUrl)
  url.hostname = "127.0.0.1"
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.toString(), cut: Deferred.await(cut), deliver: Effect.sync(() => late()) }
})
