import { connect, type Socket } from "node:net"

/** The host that a URL names, in the order in which the driver looks for it (libpq's): its parameter, its authority, this machine. */
const hostOf = (url: URL): string | undefined => {
  try {
    const named = decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/u, "$1"))
    return url.searchParams.getAll("host").at(-1) ?? (named === "" ? "localhost" : named)
  } catch {
    return undefined
  }
}

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
  const url = URL.parse(databaseUrl)
  const host = url === null ? undefined : hostOf(url)
  // what makes no sense is the driver's to refuse
  if (url === null || host === undefined || host.startsWith("/")) return undefined
  return () => {
    const socket = connect({ host, port: portOf(url), noDelay: true })
    return socket.setTimeout(silenceMs, () =>
      socket.destroy(new Error(`the database was silent for ${silenceMs / 1000} s`))
    )
  }
}
