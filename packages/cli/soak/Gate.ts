import { Effect, type Scope } from "effect"
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net"

/** A way between processes and a server that can be moved, cut and held, as a network between machines can. */
export interface Gate {
  readonly port: number
  /** Leads to another port of this machine from now on. */
  readonly leadTo: (port: number) => void
  /** Ends every connection, and refuses new ones for a while. */
  readonly cut: (ms: number) => Effect.Effect<void>
  /** Lets nothing through for a while, in either direction, and ends no connection. */
  readonly hold: (ms: number) => Effect.Effect<void>
}

/** Opens a gate on a free port, which leads nowhere yet. Closed with the scope. */
export const openGate: Effect.Effect<Gate, never, Scope.Scope> = Effect.acquireRelease(
  Effect.callback<Gate & { readonly close: () => void }>((resume) => {
    const pairs = new Set<readonly [Socket, Socket]>()
    let target: number | undefined
    let state: "open" | "cut" | "held" = "open"
    const endAll = () => {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
    }
    const server = createServer((from) => {
      if (target === undefined || state === "cut") return from.destroy()
      const to = createConnection({ port: target, host: "127.0.0.1" })
      const pair = [from, to] as const
      pairs.add(pair)
      for (const [one, other] of [pair, pair.toReversed() as [Socket, Socket]]) {
        one.on("error", () => undefined)
        one.on("close", () => {
          pairs.delete(pair)
          other.destroy()
        })
        one.on("data", (bytes: Buffer) => void other.write(bytes))
        if (state === "held") one.pause()
      }
      return undefined
    })
    const during = (next: "cut" | "held", ms: number, begin: () => void, end: () => void) =>
      Effect.gen(function* () {
        state = next
        begin()
        yield* Effect.sleep(ms)
        state = "open"
        end()
      })
    const each = (act: (socket: Socket) => void) => () => {
      for (const pair of pairs) for (const socket of pair) act(socket)
    }
    server.listen(0, "127.0.0.1", () => {
      // a TCP server that listens has an AddressInfo
      const { port } = server.address() as AddressInfo
      resume(
        Effect.succeed({
          port,
          leadTo: (next) => void (target = next),
          cut: (ms) => during("cut", ms, endAll, () => undefined),
          hold: (ms) =>
            during(
              "held",
              ms,
              each((socket) => void socket.pause()),
              each((socket) => void socket.resume())
            ),
          close: () => {
            endAll()
            server.close()
          }
        })
      )
    })
  }),
  ({ close }) => Effect.sync(close)
)
