import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Partner } from "./support/Partner.ts"
import { rawRequest, sendBytes } from "./support/rawRequest.ts"
import { type Trouble, troubledPorts } from "./support/troubled.ts"
import { addressOf } from "./support/written.ts"

/** A request as bytes, its headers one a line. */
const bytesOf = (first: string, headers: ReadonlyArray<string>, body = ""): string =>
  `${[`${first} HTTP/1.1`, "host: api.example.test", ...headers].join("\r\n")}\r\n\r\n${body}`

const statusesIn = (heard: string): ReadonlyArray<number> =>
  Array.from(heard.matchAll(/HTTP\/1\.1 (\d{3}) /gu), ([, status]) => Number(status))

/** An open connection, and what has come over it until something of it is what is waited for. */
const open = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { hostname, port } = new URL(url)
      const socket: Socket = connect(Number(port), hostname)
      await once(socket, "connect")
      let heard = ""
      const until = async (wanted: RegExp): Promise<string> => {
        while (!wanted.test(heard)) {
          // oxlint-disable-next-line no-await-in-loop -- what comes next comes after this
          const [chunk] = await once(socket, "data")
          heard += String(chunk)
        }
        return heard
      }
      return { socket, until: (wanted: RegExp) => Effect.promise(() => until(wanted)) }
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

const registration = (n: number): string =>
  JSON.stringify({ addresses: [{ network: "ethereum", address: addressOf(n), reference: "r" }] })

layer(Partner.layer(), { excludeTestServices: true })("the edge of the partner server", (it) => {
  const setUp = Effect.gen(function* () {
    const { seeder, url } = yield* Partner
    const key = yield* seeder.key(yield* seeder.tenant())
    return { url, authorized: `authorization: Bearer ${key}` }
  })

  const post = "POST /v1/deposit-addresses"
  const json = "content-type: application/json"

  it.effect("asks for a body that waits to be asked for, and carries the request out", () =>
    Effect.gen(function* () {
      const { authorized, url } = yield* setUp
      const body = registration(1)
      const { socket, until } = yield* open(url)
      const headers = [authorized, json, "idempotency-key: k", `content-length: ${body.length}`, "expect: 100-continue"]
      socket.write(bytesOf(post, [...headers, "connection: close"]))
      yield* until(/^HTTP\/1\.1 100 /u)
      socket.write(body)
      assert.deepStrictEqual(statusesIn(yield* until(/"registered"/u)), [100, 200])
    }).pipe(Effect.scoped)
  )

  it.effect("asks nobody for a body whose request is refused without it", () =>
    Effect.gen(function* () {
      const { authorized, url } = yield* setUp
      const waiting = ["content-length: 100000", "expect: 100-continue", json]
      const stranger = yield* sendBytes(url, bytesOf(post, [...waiting, "authorization: Bearer nothing"]))
      assert.deepStrictEqual(statusesIn(stranger), [401])
      const elsewhere = yield* sendBytes(url, bytesOf("POST /v1/nothing", [...waiting, authorized]))
      assert.deepStrictEqual(statusesIn(elsewhere), [404])
      const tooLarge = ["content-length: 2000000", "expect: 100-continue", json, authorized]
      assert.deepStrictEqual(statusesIn(yield* sendBytes(url, bytesOf(post, tooLarge))), [413])
    })
  )

  it.effect("answers HEAD as GET, without its body", () =>
    Effect.gen(function* () {
      const { authorized, url } = yield* setUp
      const own = ["x-request-id: one", authorized]
      const get = yield* rawRequest(url, "GET", "/v1/whoami", own)
      const head = yield* rawRequest(url, "HEAD", "/v1/whoami", own)
      const lasting = (text: string) => text.replace(/\r\n(?:date|ratelimit): [^\r]*/giu, "")
      assert.strictEqual(lasting(head.head), lasting(get.head))
      assert.match(head.head, /\r\ncontent-length: [1-9]/iu)
      assert.deepStrictEqual([head.body, get.body === ""], ["", false])
    })
  )

  it.effect("knows no OPTIONS of anything, and gives no tunnel", () =>
    Effect.gen(function* () {
      const { authorized, url } = yield* setUp
      assert.match((yield* rawRequest(url, "OPTIONS", "/v1/whoami", [authorized])).head, /^HTTP\/1\.1 405 /u)
      assert.match((yield* rawRequest(url, "OPTIONS", "*", [authorized])).head, /^HTTP\/1\.1 404 /u)
      // nobody listens for it: the connection is closed
      assert.strictEqual(yield* sendBytes(url, bytesOf("CONNECT api.example.test:443", [authorized])), "")
    })
  )

  it.effect("refuses a head that is too large, with the body and id of every refusal", () =>
    Effect.gen(function* () {
      const { authorized, url } = yield* setUp
      const { body, head } = yield* rawRequest(url, "GET", "/v1/whoami", [authorized, `x-large: ${"x".repeat(20_000)}`])
      assert.match(head, /^HTTP\/1\.1 400 [^]*\r\nx-request-id: /u)
      assert.strictEqual(JSON.parse(body).error.code, "malformed_request")
    })
  )

  it.effect("goes on with the connection after a small body that nobody reads, and ends it after a large one", () =>
    Effect.gen(function* () {
      const { authorized, url } = yield* setUp
      const next = bytesOf("GET /v1/whoami", [authorized, "connection: close"])
      const small = bytesOf("POST /v1/nothing", [authorized, json, "content-length: 10000"], "x".repeat(10_000))
      assert.deepStrictEqual(statusesIn(yield* sendBytes(url, small + next)), [404, 200])
      const large = bytesOf("POST /v1/nothing", [authorized, json, "content-length: 900000"])
      const heard = yield* sendBytes(url, large)
      assert.deepStrictEqual(statusesIn(heard), [404])
      assert.match(heard, /\r\nconnection: close\r\n/iu)
    })
  )
})

const trouble: Trouble = { state: "none", defect: null }

layer(Partner.layer({ directoryTtl: "1 minute" }, troubledPorts(trouble)), { excludeTestServices: true })(
  "a client that hangs up while its answer is made",
  (it) => {
    it.effect("ends its own request, and nobody else's", () =>
      Effect.gen(function* () {
        const { logged, seeder, send, url } = yield* Partner
        const key = yield* seeder.key(yield* seeder.tenant())
        const patient = { key, headers: { "x-request-id": "patient" } }
        assert.strictEqual((yield* send("GET", "/v1/float", patient)).status, 200)
        const gate = yield* Deferred.make<void>()
        trouble.state = gate
        const { socket } = yield* open(url)
        socket.write(bytesOf("GET /v1/float", [`authorization: Bearer ${key}`, "x-request-id: gone"]))
        const other = yield* Effect.forkChild(send("GET", "/v1/float", patient), { startImmediately: true })
        socket.destroy()
        const ended = () => logged.some((line) => line.includes('"gone"') && line.includes("499"))
        while (!ended()) yield* Effect.yieldNow
        yield* Deferred.succeed(gate, undefined)
        trouble.state = "none"
        assert.strictEqual((yield* Fiber.join(other)).status, 200)
      }).pipe(Effect.scoped)
    )
  }
)
