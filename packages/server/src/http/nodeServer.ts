import { randomUUID } from "node:crypto"
import { createServer, type Server, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { errorBody } from "@bursar/api/errors/ApiError"
import { type AddressRanges, addressGroup, isWithin } from "./clientAddress.ts"
import { securityHeaders } from "./securityHeaders.ts"

/** What clients may hold of a server, and for how long. Times are in milliseconds. */
export interface ConnectionLimits {
  /** Connections in all; further ones are dropped. */
  readonly connectionsMax: number
  /** Connections of one address, or of a /64 of IPv6; those of trusted proxies are counted in all alone. */
  readonly connectionsPerAddressMax: number
  /** How long a client may take to send its headers, and its whole request. */
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  /** How long nothing may move on a connection. */
  readonly idleTimeoutMs: number
  /** How long a client that was refused may leave its own side open. */
  readonly lingerMs: number
  /** How often the times of headers and requests are looked at. */
  readonly checkIntervalMs: number
}

/** The usual {@link ConnectionLimits}. A connection that is not known yet holds 64 KiB of a body at most. */
export const connectionLimits: ConnectionLimits = {
  connectionsMax: 1_024,
  connectionsPerAddressMax: 256,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 120_000,
  lingerMs: 2_000,
  checkIntervalMs: 5_000
}

/** The answer to what cannot be read, with the error body and a request id like every other. */
const unreadable = (): string => {
  const requestId = randomUUID()
  const body = JSON.stringify(errorBody("malformed_request", { requestId }))
  const head = [
    `HTTP/1.1 400 ${STATUS_CODES[400] ?? ""}`,
    "connection: close",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`)
  ]
  return `${head.join("\r\n")}\r\n\r\n${body}`
}

/**
 * Answers what cannot even be read as HTTP, or does not come in time. Then the connection goes, whether its client closes its
 * own side or not.
 */
const refuseUnreadable =
  (lingerMs: number) =>
  (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code === "ECONNRESET") return void socket.destroy()
    // browsers open connections ahead, and would take this for the answer to what they ask next
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && socket.bytesRead === 0) return void socket.destroy()
    // what follows the last request of a connection is nobody's: that request is answered, and then the connection goes
    if (error.code === "HPE_CLOSED_CONNECTION") return
    if (socket.writable) socket.end(unreadable())
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once("close", () => clearTimeout(timer))
  }

/** Destroys a connection beyond those that its address may have. */
const limitPerAddress = (server: Server, max: number, proxies: AddressRanges): void => {
  const open = new Map<string, number>()
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? ""
    if (isWithin(proxies, address)) return
    const group = addressGroup(address)
    const count = (open.get(group) ?? 0) + 1
    if (count > max) return void socket.destroy()
    open.set(group, count)
    socket.once("close", () => {
      const left = (open.get(group) ?? 1) - 1
      if (left === 0) open.delete(group)
      else open.set(group, left)
    })
  })
}

/** A node:http server with bounds on what clients may hold of it and take their time for. */
export const makeNodeServer = (proxies: AddressRanges, limits: ConnectionLimits = connectionLimits): Server => {
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    requireHostHeader: false,
    // a connection that was handed over would be under none of these limits, and nothing here speaks another protocol
    shouldUpgradeCallback: () => false
  })
  server.maxConnections = limits.connectionsMax
  // nobody listens for it, so that what is idle is destroyed
  server.setTimeout(limits.idleTimeoutMs)
  limitPerAddress(server, limits.connectionsPerAddressMax, proxies)
  server.on("clientError", refuseUnreadable(limits.lingerMs))
  // An expectation that is not known does not keep a request from being answered.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server
}
