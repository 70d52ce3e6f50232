import { connect, type Socket } from "node:net"

/** The host that a URL names, in the order in which the driver looks for it (libpq's): its parameter, its authority, this machine. */
const hostOf = (url: URL): string =>
  url.searchParams.getAll("host").at(-1) ??
  (url.hostname === "" ? "localhost" : decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/u, "$1")))

const portOf = (url: URL): number => {
  const said = url.searchParams.getAll("port").at(-1) ?? url.port
  return said === "" ? 5432 : Number(said)
}

/**
 * Opens the sockets of sessions whose peer has to be heard: one on which nothing passes for `silenceMs` is closed, and with it fails what
 * waits for an answer. To be longer than any statement may take. TCP alone would wait for a quarter of an hour for a host that vanished
 * while it owed an acknowledgement, for it sends no probes of keep-alive meanwhile. Undefined for a Unix socket, whose peer is on this
 * machine.
 */
export const heardSocket = (databaseUrl: string, silenceMs: number): (() => Socket) | undefined => {
  const url = new URL(databaseUrl)
  const host = hostOf(url)
  if (host.startsWith("/")) return undefined
  return () => {
    const socket = connect({ host, port: portOf(url), noDelay: true })
    return socket.setTimeout(silenceMs, () =>
      socket.destroy(new Error(`the database was silent for ${silenceMs / 1000} s`))
    )
  }
}
