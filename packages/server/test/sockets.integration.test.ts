import { connect, type AddressInfo, type Socket } from "node:net"
import { once } from "node:events"
import type { Server } from "node:http"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { operationsOf } from "@bursar/api/openapi/Operation"
import { gunzipSync } from "node:zlib"
import { request as nodeRequest } from "node:http"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type ConnectionLimits, connectionLimits, makeNodeServer } from "../src/http/nodeServer.ts"
import { parseRanges } from "../src/http/clientAddress.ts"
import { pagesPerMinute } from "../src/middleware/staticPages.ts"
import { Operator } from "./support/Operator.ts"
import { Partner } from "./support/Partner.ts"

/** A server with limits of its own on a free port, and every connection that it took. */
const serve = (limits: Partial<ConnectionLimits>, proxies: ReadonlyArray<string> = []) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server: Server = makeNodeServer(parseRanges(proxies), { ...connectionLimits, ...limits })
      const taken: Array<Socket> = []
      server.on("connection", (socket: Socket) => void taken.push(socket))
      server.on("request", (_, response) => response.end("ok"))
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, taken, port: (server.address() as AddressInfo).port } // it listens on TCP
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )

/** A connection whose client never closes its own side. */
const open = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
      socket.on("error", () => {})
      await once(socket, "connect")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const closed = (socket: Socket) => Effect.promise(async () => (socket.closed ? undefined : once(socket, "close")))

/** What comes over a socket until this has come. */
const heard = (socket: Socket, wanted: RegExp) =>
  Effect.callback<string>((resume) => {
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      if (wanted.test(text)) resume(Effect.succeed(text))
    })
  })

describe("a connection", () => {
  const unfinished: ReadonlyArray<readonly [string, string]> = [
    ["that cannot be read as HTTP", "this is not HTTP\r\n\r\n"],
    ["whose headers do not end", "GET / HTTP/1.1\r\nhost: x\r\n"],
    ["whose body does not end", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nx"],
    ["on which nothing is sent", ""]
  ]
  for (const [what, bytes] of unfinished) {
    it.live(`${what} is destroyed though its client keeps its own side open`, () =>
      Effect.gen(function* () {
        const brief = {
          headersTimeoutMs: 20,
          requestTimeoutMs: 20,
          idleTimeoutMs: 60,
          lingerMs: 20,
          checkIntervalMs: 10
        }
        const { port, server, taken } = yield* serve(brief)
        server.removeAllListeners("request")
        const client = yield* open(port)
        if (bytes !== "") client.write(bytes)
        client.resume()
        while (taken.length === 0) yield* Effect.promise(() => once(server, "connection"))
        for (const socket of taken) yield* closed(socket)
        assert.isTrue(taken.every((socket) => socket.destroyed))
      })
    )
  }

  it.live(
    "on which nothing was asked for goes without an answer, which would be taken for that of the next request",
    () =>
      Effect.gen(function* () {
        const brief = { headersTimeoutMs: 20, requestTimeoutMs: 20, checkIntervalMs: 10 }
        for (const [bytes, answered] of [
          ["", /^$/u],
          ["GET / HTTP/1.1\r\nhost: x\r\n", /^HTTP\/1\.1 400 /u]
        ] as const) {
          const { port } = yield* serve(brief)
          const client = yield* open(port)
          let said = ""
          client.on("data", (chunk) => void (said += chunk.toString("latin1")))
          client.on("end", () => client.end())
          if (bytes !== "") client.write(bytes)
          yield* closed(client)
          assert.match(said, answered)
        }
      })
  )

  it.live("that says it is the last is answered once, whatever its client goes on to send", () =>
    Effect.gen(function* () {
      const { port, server } = yield* serve({})
      server.removeAllListeners("request")
      // the answer waits until what follows has been refused
      server.once("request", (_, response) => server.once("clientError", () => response.end("ok")))
      const client = yield* open(port)
      const heardAll = yield* Effect.forkChild(heard(client, /ok$/u), { startImmediately: true })
      client.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\nnothing that was asked for")
      assert.strictEqual((yield* Fiber.join(heardAll)).match(/HTTP\/1\.1 /gu)?.join(), "HTTP/1.1 ")
    })
  )

  it.live("more than an address may have is dropped, and its place is free again when one goes", () =>
    Effect.gen(function* () {
      const { port, taken } = yield* serve({ connectionsPerAddressMax: 2 })
      const [first] = [yield* open(port), yield* open(port)]
      const third = yield* open(port)
      third.resume()
      yield* Effect.promise(() => once(third, "end"))
      first.end("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
      first.resume()
      const [served] = taken
      if (served !== undefined) yield* closed(served)
      const fourth = yield* open(port)
      const answer = yield* Effect.forkChild(heard(fourth, /ok$/u), { startImmediately: true })
      fourth.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      assert.include(yield* Fiber.join(answer), "HTTP/1.1 200")
    })
  )

  it.live("of a trusted proxy is counted in all alone, and there are so many in all and no more", () =>
    Effect.gen(function* () {
      const { port, server } = yield* serve({ connectionsPerAddressMax: 1, connectionsMax: 3 }, ["127.0.0.0/8"])
      const dropped = once(server, "drop")
      for (let count = 0; count < 4; count++) yield* open(port)
      yield* Effect.promise(() => dropped)
      const held = yield* Effect.callback<number>((resume) => {
        server.getConnections((_, count) => resume(Effect.succeed(count)))
      })
      assert.strictEqual(held, 3)
    })
  )
})

layer(Partner.layer(), { excludeTestServices: true })("a body without end", (it) => {
  const head = (path: string, headers: ReadonlyArray<string>) =>
    [
      `POST ${path} HTTP/1.1`,
      "host: api.example.test",
      "content-type: application/json",
      "transfer-encoding: chunked",
      ...headers,
      "\r\n"
    ].join("\r\n")

  /** The answer to a request whose body has begun and never ends. */
  const answerTo = Effect.fnUntraced(function* (path: string, headers: ReadonlyArray<string> = []) {
    const { url } = yield* Partner
    const socket = yield* open(Number(new URL(url).port))
    const answer = yield* Effect.forkChild(heard(socket, /\r\n\r\n/u), { startImmediately: true })
    socket.write(`${head(path, headers)}400\r\n${"x".repeat(1_024)}\r\n`)
    return yield* Fiber.join(answer)
  })

  it.effect("is not waited for where the address, the path or the key is refused: nothing of it is kept", () =>
    Effect.gen(function* () {
      const { seeder } = yield* Partner
      assert.match(yield* answerTo("/v1/deposit-addresses"), /^HTTP\/1\.1 403 /u)
      yield* seeder.tenant({ policy: { ipAllowlist: ["192.0.2.1"] } })
      assert.match(yield* answerTo("/v1/deposit-addresses"), /^HTTP\/1\.1 403 /u)
      yield* seeder.tenant()
      assert.match(yield* answerTo("/v1/nothing"), /^HTTP\/1\.1 404 /u)
      assert.match(yield* answerTo("/v1/deposit-addresses"), /^HTTP\/1\.1 401 /u)
      assert.match(yield* answerTo("/v1/deposit-addresses", ["authorization: Bearer junk"]), /^HTTP\/1\.1 401 /u)
    })
  )

  it.effect("is refused at the limit, before it has ended, where the key is right", () =>
    Effect.gen(function* () {
      const { seeder, url } = yield* Partner
      const key = yield* seeder.key(yield* seeder.tenant())
      const socket = yield* open(Number(new URL(url).port))
      const answer = yield* Effect.forkChild(heard(socket, /\r\n\r\n/u), { startImmediately: true })
      socket.write(head("/v1/deposit-addresses", [`authorization: Bearer ${key}`, "idempotency-key: k"]))
      const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`
      for (let count = 0; count < 17; count++) socket.write(chunk)
      assert.match(yield* Fiber.join(answer), /^HTTP\/1\.1 413 /u)
    })
  )
})

layer(Partner.layer(), { excludeTestServices: true })("a connection that asks for another protocol", (it) => {
  const asks = (body: ReadonlyArray<string>) =>
    ["HTTP/1.1", "host: api.example.test", "connection: close, upgrade", ...body].join("\r\n")

  it.effect("is under the limits of all others: its client cannot keep it", () =>
    Effect.gen(function* () {
      const { url } = yield* Partner
      const port = Number(new URL(url).port)
      for (let count = 0; count < connectionLimits.connectionsPerAddressMax; count++) {
        const client = yield* open(port)
        const end = once(client, "end")
        client.resume()
        client.write(`GET /v1/float ${asks([`upgrade: ${count % 2 === 0 ? "h2c" : "websocket"}`])}\r\n\r\n`)
        yield* Effect.promise(() => end)
      }
      const last = yield* open(port)
      const answer = yield* Effect.forkChild(heard(last, /\r\n\r\n/u), { startImmediately: true })
      const dropped = Effect.as(
        Effect.promise(() => once(last, "end")),
        "dropped"
      )
      last.write("GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n")
      assert.match(yield* Effect.raceFirst(Fiber.join(answer), dropped), /^HTTP\/1\.1 200 /u)
    })
  )

  it.effect("is answered in the one that it speaks, its body included", () =>
    Effect.gen(function* () {
      const { seeder, url } = yield* Partner
      const key = yield* seeder.key(yield* seeder.tenant())
      for (const protocol of ["h2c", "websocket"]) {
        const socket = yield* open(Number(new URL(url).port))
        const answer = yield* Effect.forkChild(heard(socket, /\}$/u), { startImmediately: true })
        const headers = [
          `authorization: Bearer ${key}`,
          "idempotency-key: k",
          "transfer-encoding: chunked",
          `upgrade: ${protocol}`
        ]
        socket.write(`POST /v1/deposit-addresses ${asks(headers)}\r\n\r\n3\r\nno \r\n4\r\nJSON\r\n0\r\n\r\n`)
        assert.match(yield* Fiber.join(answer), /^HTTP\/1\.1 400 [^]*malformed_request/u)
      }
    })
  )
})

/** A GET with its answer's bytes as they came. */
const bytesOf = (url: string, path: string, headers: Readonly<Record<string, string>>) =>
  Effect.callback<{ status: number; headers: Readonly<Record<string, unknown>>; bytes: Buffer }>((resume) => {
    nodeRequest(`${url}${path}`, { headers, agent: false }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resume(
          Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) })
        )
      )
    }).end()
  })

layer(Partner.layer(), { excludeTestServices: true })("the pages", (it) => {
  for (const path of ["/openapi.json", "/docs"]) {
    it.effect(`at ${path} are compressed, and not sent again to whoever has them`, () =>
      Effect.gen(function* () {
        const { url } = yield* Partner
        const plain = yield* bytesOf(url, path, {})
        const zipped = yield* bytesOf(url, path, { "accept-encoding": "br, gzip" })
        assert.strictEqual(zipped.headers["content-encoding"], "gzip")
        assert.isTrue(gunzipSync(zipped.bytes).equals(plain.bytes))
        assert.isBelow(zipped.bytes.length, plain.bytes.length / 2)
        assert.strictEqual(zipped.headers["vary"], "accept-encoding")
        assert.isUndefined((yield* bytesOf(url, path, { "accept-encoding": "gzip;q=0" })).headers["content-encoding"])
        for (const etag of [plain.headers["etag"], zipped.headers["etag"]]) {
          const known = yield* bytesOf(url, path, { "if-none-match": `"other", ${String(etag)}` })
          assert.deepStrictEqual([known.status, known.bytes.length], [304, 0])
        }
        assert.strictEqual((yield* bytesOf(url, path, { "if-none-match": '"other"' })).status, 200)
        assert.match(String(plain.headers["cache-control"]), /^public, max-age=/u)
      })
    )
  }

  it.effect("run their own scripts alone, and stand in no frame", () =>
    Effect.gen(function* () {
      const { send } = yield* Partner
      const policy = String((yield* send("GET", "/docs")).headers["content-security-policy"])
      const scripts = policy.split("; ").find((directive) => directive.startsWith("script-src"))
      assert.match(scripts ?? "", /^script-src(?: 'sha256-[A-Za-z0-9+/]{43}='){2}$/u)
      assert.include(policy, "frame-ancestors 'none'")
    })
  )

  it.effect("have no origin where operators sign in: no session, and nobody to call", () =>
    Effect.gen(function* () {
      const { operatorUrl } = yield* Operator
      const page = yield* bytesOf(operatorUrl, "/docs", {})
      const policy = String(page.headers["content-security-policy"]).split("; ")
      assert.includeMembers(policy, ["sandbox allow-scripts", "connect-src 'none'", "frame-ancestors 'none'"])
      const scripts = policy.find((directive) => directive.startsWith("script-src"))
      assert.match(scripts ?? "", /^script-src(?: 'sha256-[A-Za-z0-9+/]{43}='){3}$/u)
      const document = yield* bytesOf(operatorUrl, "/openapi.json", {})
      const { paths } = JSON.parse(document.bytes.toString("utf8"))
      const told = Object.entries<object>(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
      )
      assert.sameMembers(
        told,
        operationsOf(OperatorApi).map(({ method, path }) => `${method} ${path}`)
      )
    }).pipe(Effect.provide(Operator.layer))
  )

  it.effect("are given to an address so many times a minute", () =>
    Effect.gen(function* () {
      const { send } = yield* Partner
      const answers = yield* Effect.forEach(Array.from({ length: pagesPerMinute + 1 }), () =>
        send("HEAD", "/openapi.json")
      )
      const denied = answers.find(({ status }) => status === 429)
      assert.isDefined(denied)
      assert.match(String(denied?.headers["retry-after"]), /^[1-9][0-9]*$/u)
    })
  )
})

layer(Operator.layer, { excludeTestServices: true })("every answer of both interfaces", (it) => {
  it.effect("is kept by no cache, and is nothing but what it says it is", () =>
    Effect.gen(function* () {
      const { ask, seeder, operate } = yield* Operator
      const key = yield* seeder.key(yield* seeder.tenant())
      const answers = [
        yield* ask("GET", "/v1/whoami", { key }),
        yield* ask("GET", "/v1/whoami"),
        yield* ask("GET", "/nothing"),
        yield* ask("PUT", "/v1/float"),
        yield* ask("GET", "/health/live"),
        yield* operate("GET", "/operator/v1/tenants"),
        yield* operate("GET", "/metrics")
      ]
      for (const { headers } of answers) {
        assert.deepInclude(headers, {
          "cache-control": "no-store",
          "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
          "referrer-policy": "no-referrer",
          "x-content-type-options": "nosniff"
        })
      }
    })
  )
})
