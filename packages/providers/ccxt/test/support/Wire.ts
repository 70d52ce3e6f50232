import type { Credentials, ExchangeName } from "@bursar/ccxt"
import type { OrderKind } from "@bursar/testkit/suites/custodian/CustodianWorld"
import { Effect } from "effect"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { type Book, Denied } from "./Book.ts"

/** A request as an exchange sees it. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  /** With the question mark; empty where there is none. */
  readonly search: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage["headers"]
  readonly body: string
  readonly origin: string
}

/** What it answers. */
export interface WireReply {
  readonly status: number
  readonly body: unknown
}

/** How an exchange speaks: what it demands of a signature, and what it answers from its book. */
export interface Wire {
  readonly name: ExchangeName
  readonly credentials: Credentials
  readonly book: Book
  /** Which orders a request gives, if any. */
  readonly gives: (request: WireRequest) => OrderKind | undefined
  /** What is wrong with the signature; undefined where nothing is, or none is needed. */
  readonly denies: (request: WireRequest) => WireReply | undefined
  /** Undefined where there is no such endpoint. `outcome` is that of an order. */
  readonly answer: (request: WireRequest, outcome: string) => WireReply | undefined
  /** Its own "no". */
  readonly denial: (denied: Denied) => WireReply
}

/** An answer with status 200. */
export const ok = (body: unknown): WireReply => ({ status: 200, body })

/** The same exchange, which answers otherwise. */
export const changed = (wire: Wire, change: (request: WireRequest, reply: WireReply) => WireReply): Wire => ({
  ...wire,
  answer: (request, outcome) => {
    const reply = wire.answer(request, outcome)
    return reply && change(request, reply)
  }
})

const read = (request: IncomingMessage) =>
  new Promise<string>((resolve) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")))
  })

const reply = (wire: Wire, request: WireRequest, outcome: string): WireReply => {
  const denied = wire.denies(request)
  if (denied !== undefined) return denied
  try {
    return wire.answer(request, outcome) ?? { status: 404, body: { no: `${request.method} ${request.path}` } }
  } catch (error) {
    if (error instanceof Denied) return wire.denial(error)
    throw error
  }
}

/** Every request that came, as `METHOD /path`. */
export interface Served {
  readonly url: string
  readonly requests: Array<WireRequest>
  /** Signatures that were refused. */
  readonly denied: Array<WireReply>
  /** Requests that are taken and never answered. */
  readonly held: Set<string>
}

/** Serves an exchange over HTTP on 127.0.0.1 until the scope closes. */
export const serve = (wire: Wire) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const served = {
          url: "",
          requests: [] as Array<WireRequest>,
          denied: [] as Array<WireReply>,
          held: new Set<string>()
        }
        const server = createServer((incoming, response) => {
          void read(incoming).then((body) => {
            const url = new URL(incoming.url ?? "/", served.url)
            const request: WireRequest = {
              method: incoming.method ?? "GET",
              path: url.pathname,
              search: url.search,
              query: url.searchParams,
              headers: incoming.headers,
              body,
              origin: served.url
            }
            served.requests.push(request)
            const kind = wire.gives(request)
            const outcome = kind === undefined ? "settle" : wire.book.outcome(kind)
            if (wire.book.silent || outcome === "lost") return incoming.socket.destroy()
            const { body: answer, status } = reply(wire, request, outcome)
            if (status === 401) served.denied.push({ status, body: answer })
            if (served.held.has(request.path)) return undefined
            if (outcome.startsWith("silent")) return incoming.socket.destroy()
            if (outcome.startsWith("garbage")) return response.writeHead(200).end("<html>busy</html>")
            const fails = wire.book.failing || outcome.startsWith("error")
            const text = JSON.stringify(fails ? { code: -1013, msg: "?" } : answer)
            return response.writeHead(fails ? 502 : status, { "content-type": "application/json" }).end(text)
          })
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        return { server, served }
      }),
      ({ server }) =>
        Effect.promise(
          () =>
            new Promise((resolve) => {
              server.close(resolve)
              server.closeAllConnections()
            })
        )
    ),
    ({ served }): Served => served
  )
