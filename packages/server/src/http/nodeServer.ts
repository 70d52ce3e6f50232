import { randomUUID } from "node:crypto"
import { createServer, type Server, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { errorBody } from "@bursar/api/errors/ApiError"

/** How long a client may take to send its headers, and its whole request. */
const headersTimeoutMs = 15_000
const requestTimeoutMs = 60_000

/** What cannot even be read as HTTP is answered like everything else: with the error body and a request id. */
const refuseUnreadable = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy()
  const requestId = randomUUID()
  const body = JSON.stringify(errorBody("malformed_request", { requestId }))
  const head = [
    `HTTP/1.1 400 ${STATUS_CODES[400] ?? ""}`,
    "connection: close",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
}

/** A node:http server with bounds on what a client may take its time for. */
export const makeNodeServer = (): Server => {
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    requireHostHeader: false
  })
  server.on("clientError", refuseUnreadable)
  // An expectation that is not known does not keep a request from being answered.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server
}
