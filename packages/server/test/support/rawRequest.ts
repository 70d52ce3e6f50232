import { connect } from "node:net"
import { Effect } from "effect"

/** An answer as it came over the socket. */
export interface RawAnswer {
  readonly head: string
  readonly body: string
}

/** Sends bytes as they are over a socket of its own and gives all that comes back until the server closes it. */
export const sendBytes = (url: string, bytes: string): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let heard = ""
    socket.on("data", (chunk) => void (heard += chunk.toString("utf8")))
    socket.on("close", () => resume(Effect.succeed(heard)))
    socket.on("error", (error) => resume(Effect.die(error)))
  })

/** Sends a request whose target no client has had the chance to tidy up. */
export const rawRequest = (
  url: string,
  method: string,
  target: string,
  headers: ReadonlyArray<string> = []
): Effect.Effect<RawAnswer> => {
  const lines = [`${method} ${target} HTTP/1.1`, "host: api.example.test", "connection: close", ...headers]
  return Effect.map(sendBytes(url, `${lines.join("\r\n")}\r\n\r\n`), (heard) => {
    const end = heard.indexOf("\r\n\r\n")
    return { head: heard.slice(0, end), body: heard.slice(end + 4) }
  })
}
