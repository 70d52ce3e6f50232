import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createServer, type RequestListener } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls"
import { HostResolver, type HostResolvers } from "../../src/egress/HostResolver.ts"
import * as nodeEgress from "../../src/egress/nodeEgress.ts"
import { Egress, type EgressRequest } from "../../src/egress/Egress.ts"
import type { Reach } from "../../src/egress/Reach.ts"
import type { HostAddress } from "../../src/egress/resolveHost.ts"
import { certificate } from "./certificate.ts"

const everything: Reach = { http: true, local: true }
const publicOnly: Reach = { http: true, local: false }

/** A server on loopback for the length of a scope, with the paths that it was asked for. */
const serve = (listener: RequestListener, tls?: { readonly key: string; readonly cert: string }) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly seen: ReadonlyArray<string>; readonly close: () => void }>(
      (resume) => {
        const seen: Array<string> = []
        const answer: RequestListener = (request, response) => {
          seen.push(request.url ?? "")
          listener(request, response)
        }
        const server = tls === undefined ? createServer(answer) : createSecureServer(tls, answer)
        server.listen(0, "127.0.0.1", () => {
          const close = () => {
            server.closeAllConnections()
            server.close()
          }
          // a listening TCP server has an AddressInfo
          resume(Effect.succeed({ port: (server.address() as AddressInfo).port, seen, close }))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

const send = (url: string, more: Partial<EgressRequest> = {}) =>
  Effect.flatMap(Egress, (outbound) =>
    outbound.send({
      method: "POST",
      url,
      chosenBy: "tenant",
      reach: everything,
      headers: { "content-type": "application/json" },
      body: '{"a":1}',
      connectTimeoutMs: 5_000,
      totalTimeoutMs: 5_000,
      keepAlive: false,
      responseBytesMax: 1_024,
      ...more
    })
  )

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const overNames = (resolvers: HostResolvers) =>
  nodeEgress.layer.pipe(Layer.provide(Layer.succeed(HostResolver, resolvers)))

const unasked = () => Promise.reject(new Error("nobody was to be asked here"))

/** The client over names of tenants that resolve as scripted: answers in order, the last one for ever. */
const resolving = (...answers: ReadonlyArray<ReadonlyArray<HostAddress>>) => {
  let asked = 0
  const resolve = () => Promise.resolve(answers[Math.min(asked++, answers.length - 1)] ?? [])
  return { asked: () => asked, layer: overNames({ operator: unasked, tenant: resolve }) }
}

const loopback: HostAddress = { address: "127.0.0.1", family: 4 }

describe("the guarded client", () => {
  it.live("sends what it is given and returns status, headers and body", () =>
    Effect.gen(function* () {
      const server = yield* serve((request, response) => {
        let body = ""
        request.on("data", (chunk) => (body += String(chunk)))
        request.on("end", () =>
          response.writeHead(201, { "x-got": request.headers["content-type"] ?? "" }).end(`${request.method} ${body}`)
        )
      })
      const answer = yield* send(`http://127.0.0.1:${server.port}/hook?x=1`)
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers.get("x-got"), "application/json")
      assert.strictEqual(text(answer.body), 'POST {"a":1}')
      assert.isFalse(answer.truncated)
      assert.deepStrictEqual(server.seen, ["/hook?x=1"])
    }).pipe(Effect.scoped, Effect.provide(nodeEgress.layer))
  )

  it.live("is not rebound: it connects to the very address that it checked, having asked for it once", () => {
    const resolver = resolving([loopback], [{ address: "169.254.169.254", family: 4 }])
    return Effect.gen(function* () {
      const server = yield* serve((_, response) => response.end("ok"))
      const answer = yield* send(`http://hooks.example:${server.port}/`)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(resolver.asked(), 1)
      const error = yield* Effect.flip(send(`http://hooks.example:${server.port}/`))
      assert.strictEqual(error.reason, "refused")
      assert.include(error.detail, "169.254.169.254")
      assert.strictEqual(server.seen.length, 1)
    }).pipe(Effect.scoped, Effect.provide(resolver.layer))
  })

  it.live("checks the address again for each request: a name that turns private reaches nothing private", () => {
    const resolver = resolving([loopback])
    return Effect.gen(function* () {
      const server = yield* serve((_, response) => response.end("secret"))
      const error = yield* Effect.flip(send(`http://hooks.example:${server.port}/`, { reach: publicOnly }))
      assert.strictEqual(error.reason, "refused")
      assert.deepStrictEqual(server.seen, [])
    }).pipe(Effect.scoped, Effect.provide(resolver.layer))
  })

  it.live("uses a connection again that it made for the same reach, and no other", () => {
    const resolver = resolving([loopback])
    return Effect.gen(function* () {
      const ports = new Set<number | undefined>()
      const server = yield* serve((request, response) => {
        ports.add(request.socket.remotePort)
        request.resume().on("end", () => response.end("ok"))
      })
      const url = `http://hooks.example:${server.port}/`
      for (let times = 0; times < 5; times++) {
        assert.strictEqual(text((yield* send(url, { keepAlive: true })).body), "ok")
        // the connection is free once the answer's end was handled
        yield* Effect.yieldNow
      }
      assert.strictEqual(ports.size, 1)
      assert.strictEqual(resolver.asked(), 1)
      const error = yield* Effect.flip(send(url, { keepAlive: true, reach: publicOnly }))
      assert.strictEqual(error.reason, "refused")
      yield* send(url)
      assert.strictEqual(ports.size, 2)
    }).pipe(Effect.scoped, Effect.provide(resolver.layer))
  })

  it.live(
    "keeps a connection to the address that it checked, and makes no other once the name has turned private",
    () => {
      const resolver = resolving([loopback], [{ address: "169.254.169.254", family: 4 }])
      return Effect.gen(function* () {
        const sockets = new Set<{ readonly destroy: () => void }>()
        const server = yield* serve((request, response) => {
          sockets.add(request.socket)
          request.resume().on("end", () => response.end("ok"))
        })
        const url = `http://hooks.example:${server.port}/`
        for (let times = 0; times < 3; times++) {
          assert.strictEqual((yield* send(url, { keepAlive: true })).status, 200)
          yield* Effect.yieldNow
        }
        assert.deepStrictEqual([sockets.size, resolver.asked()], [1, 1])
        for (const socket of sockets) socket.destroy()
        const error = yield* Effect.flip(send(url, { keepAlive: true }))
        assert.deepStrictEqual([error.reason, error.detail.includes("169.254.169.254")], ["refused", true])
        assert.lengthOf(server.seen, 3)
      }).pipe(Effect.scoped, Effect.provide(resolver.layer))
    }
  )

  it.live(
    "takes what a host said that closed in the middle of its body, and sends the next on another connection",
    () => {
      const resolver = resolving([loopback])
      return Effect.gen(function* () {
        const server = yield* serve((request, response) => {
          request.resume().on("end", () => {
            response.writeHead(200, { "content-length": "1000" })
            response.write("half", () => request.socket.destroy())
          })
        })
        const url = `http://hooks.example:${server.port}/`
        for (let times = 0; times < 3; times++) {
          const answer = yield* send(url, { keepAlive: true })
          assert.deepStrictEqual([answer.status, text(answer.body), answer.truncated], [200, "half", true])
        }
        assert.lengthOf(server.seen, 3)
      }).pipe(Effect.scoped, Effect.provide(resolver.layer))
    }
  )

  it.live("sends a request again where the host closed the connection that was kept", () => {
    const resolver = resolving([loopback])
    return Effect.gen(function* () {
      const answered = new Set<object>()
      const server = yield* serve((request, response) => {
        // a host that takes one request per connection and does not say so
        if (answered.has(request.socket)) return request.socket.destroy()
        answered.add(request.socket)
        request.resume().on("end", () => response.end("ok"))
        return undefined
      })
      const url = `http://hooks.example:${server.port}/`
      for (let times = 0; times < 3; times++) assert.strictEqual((yield* send(url, { keepAlive: true })).status, 200)
      assert.strictEqual(answered.size, 3)
    }).pipe(Effect.scoped, Effect.provide(resolver.layer))
  })

  it.live("finds what an operator chose as the system does, and guards it alike", () => {
    const answers = [loopback, { address: "169.254.169.254", family: 4 }]
    const operator = () => Promise.resolve(answers.splice(0, 1))
    return Effect.gen(function* () {
      const server = yield* serve((_, response) => response.end("ok"))
      const url = `http://keycloak.auth:${server.port}/`
      assert.strictEqual((yield* send(url, { chosenBy: "operator" })).status, 200)
      const error = yield* Effect.flip(send(url, { chosenBy: "operator" }))
      assert.strictEqual(error.reason, "refused")
      assert.lengthOf(server.seen, 1)
    }).pipe(Effect.scoped, Effect.provide(overNames({ operator, tenant: unasked })))
  })

  it.live("says that a name leads nowhere, whoever chose it", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(send("http://nobody.invalid/", { chosenBy: "operator" }))
      assert.strictEqual(error.reason, "unresolved")
    }).pipe(Effect.provide(nodeEgress.layer))
  )

  it.live("refuses a name of which one address is not public", () => {
    const resolver = resolving([
      { address: "93.184.215.14", family: 4 },
      { address: "::1", family: 6 }
    ])
    return Effect.gen(function* () {
      const error = yield* Effect.flip(send("http://hooks.example/", { reach: publicOnly }))
      assert.strictEqual(error.reason, "refused")
      assert.include(error.detail, "::1")
    }).pipe(Effect.provide(resolver.layer))
  })

  for (const host of [
    "127.0.0.1",
    "169.254.169.254",
    "[::ffff:127.0.0.1]",
    "0.0.0.0",
    "2130706433",
    "0177.0.0.1",
    "[fd00::1]"
  ]) {
    it.live(`refuses ${host} without sending anything`, () =>
      Effect.gen(function* () {
        const server = yield* serve((_, response) => response.end("secret"))
        const error = yield* Effect.flip(send(`http://${host}:${server.port}/`, { reach: publicOnly }))
        assert.strictEqual(error.reason, "refused")
        assert.deepStrictEqual(server.seen, [])
      }).pipe(Effect.scoped, Effect.provide(nodeEgress.layer))
    )
  }

  it.live("refuses localhost by name", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => response.end("secret"))
      const error = yield* Effect.flip(send(`http://localhost:${server.port}/`, { reach: publicOnly }))
      assert.strictEqual(error.reason, "refused")
      assert.deepStrictEqual(server.seen, [])
    }).pipe(Effect.scoped, Effect.provide(nodeEgress.layer))
  )

  it.live("does not follow a redirect", () =>
    Effect.gen(function* () {
      const server = yield* serve((request, response) =>
        request.url === "/hook" ? response.writeHead(307, { location: "/elsewhere" }).end() : response.end("followed")
      )
      const answer = yield* send(`http://127.0.0.1:${server.port}/hook`)
      assert.strictEqual(answer.status, 307)
      assert.deepStrictEqual(server.seen, ["/hook"])
    }).pipe(Effect.scoped, Effect.provide(nodeEgress.layer))
  )

  it.live("reads no more of an endless answer than it is told", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => {
        const pour = () => {
          while (!response.destroyed && response.write("x".repeat(4_096)));
          if (!response.destroyed) response.once("drain", pour)
        }
        pour()
      })
      const answer = yield* send(`http://127.0.0.1:${server.port}/`)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.body.length, 1_024)
      assert.isTrue(answer.truncated)
    }).pipe(Effect.scoped, Effect.provide(nodeEgress.layer))
  )

  it.live("gives up on a host that never answers", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => {})
      const error = yield* Effect.flip(send(`http://127.0.0.1:${server.port}/`, { totalTimeoutMs: 200 }))
      assert.strictEqual(error.reason, "timeout")
      assert.strictEqual(server.seen.length, 1)
    }).pipe(Effect.scoped, Effect.provide(nodeEgress.layer))
  )

  it.live("takes the status of a host whose body never ends", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => {
        response.write("begun")
      })
      const answer = yield* send(`http://127.0.0.1:${server.port}/`, { totalTimeoutMs: 300 })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(text(answer.body), "begun")
      assert.isTrue(answer.truncated)
    }).pipe(Effect.scoped, Effect.provide(nodeEgress.layer))
  )

  it.live("gives up on a name that is not resolved in time", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(send("http://slow.example/", { connectTimeoutMs: 100 }))
      assert.strictEqual(error.reason, "connect_timeout")
    }).pipe(Effect.provide(overNames({ operator: unasked, tenant: () => new Promise<never>(() => {}) })))
  )

  it.live("says that a name leads nowhere", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(send("http://nobody.example/"))
      assert.deepStrictEqual([error.reason, error.detail], ["unresolved", "nobody.example has no address"])
    }).pipe(Effect.provide(resolving([]).layer))
  )

  it.live("says that nobody listens", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(
        Effect.map(
          serve(() => {}),
          (server) => server.port
        )
      )
      const error = yield* Effect.flip(send(`http://127.0.0.1:${port}/`))
      assert.strictEqual(error.reason, "unreachable")
    }).pipe(Effect.provide(nodeEgress.layer))
  )

  it.live(
    "speaks TLS with the name of the host at the address that it checked, and trusts no unknown certificate",
    () => {
      const resolver = resolving([loopback])
      return Effect.gen(function* () {
        const names: Array<string | false | null> = []
        const server = yield* serve((request, response) => {
          // a request to an https server comes over TLS
          names.push((request.socket as TLSSocket & { readonly servername: string | false | null }).servername)
          response.end("ok")
        }, certificate)
        const untrusted = yield* Effect.flip(send(`https://hooks.example:${server.port}/`))
        assert.strictEqual(untrusted.reason, "unreachable")
        assert.include(untrusted.detail, "certificate")
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            const before = getCACertificates("default")
            setDefaultCACertificates([...before, certificate.cert])
            return before
          }),
          (before) => Effect.sync(() => setDefaultCACertificates(before))
        )
        assert.strictEqual((yield* send(`https://hooks.example:${server.port}/`)).status, 200)
        const foreign = yield* Effect.flip(send(`https://other.example:${server.port}/`))
        assert.strictEqual(foreign.reason, "unreachable")
        assert.deepStrictEqual(names, ["hooks.example"])
      }).pipe(Effect.scoped, Effect.provide(resolver.layer))
    }
  )
})
