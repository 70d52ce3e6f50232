import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Logger, References, Scope } from "effect"
import { TestClock } from "effect/testing"
import { connect, createServer, type Server, type Socket } from "node:net"
import { showMetrics } from "../src/assemble/metrics.ts"

/** What is logged by a program, and a wait for the first line of each kind. */
const hearing = Effect.gen(function* () {
  const said: Array<string> = []
  const [started, refused] = [yield* Deferred.make<URL>(), yield* Deferred.make<void>()]
  const logger = Logger.make(({ fiber, message }) => {
    const line = String(message)
    said.push(line)
    const at = String(fiber.getRef(References.CurrentLogAnnotations)["at"])
    if (line === "metrics.started") Deferred.doneUnsafe(started, Effect.succeed(new URL(at)))
    if (line === "metrics.not_shown") Deferred.doneUnsafe(refused, Effect.void)
  })
  return { said, started: Deferred.await(started), refused: Deferred.await(refused), logs: Logger.layer([logger]) }
})

const host = "127.0.0.1"

/** A port of this machine that somebody else has, until it is given free. */
const taken = Effect.acquireRelease(
  Effect.callback<Server>((resume) => {
    const server = createServer().listen(0, host, () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => server.close())
)

const portOf = (server: Server): number => {
  const address = server.address()
  assert(address !== null && typeof address === "object")
  return address.port
}

const givenFree = (server: Server) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
  })

describe("the port of the metrics of a process", () => {
  it.effect("does not hold its stop while a client leaves half of a request open", () =>
    Effect.gen(function* () {
      const { logs, started } = yield* hearing
      const scope = yield* Scope.make()
      yield* showMetrics({ metrics: { host, port: 0 } }).pipe(Scope.provide(scope), Effect.provide(logs))
      const at = yield* started
      let answer = ""
      const socket = yield* Effect.acquireRelease(
        Effect.callback<Socket>((resume) => {
          const one = connect(Number(at.port), host, () => resume(Effect.succeed(one)))
          one.on("error", () => undefined)
          one.on("data", (bytes) => (answer += bytes.toString()))
        }),
        (one) => Effect.sync(() => one.destroy())
      )
      yield* Effect.callback<void>((resume) => {
        socket.write("GET /metrics HTTP/1.1\r\nHost: x\r\n", () => resume(Effect.void))
      })
      // what came after it is answered, so the server has the half
      yield* Effect.promise(async () => (await fetch(new URL("/metrics", at))).text())
      // no time passes by itself here: a stop that waits for the client never ends
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(answer, "", "the stop waited until the client was refused for its slowness")
    }).pipe(Effect.scoped)
  )

  it.effect("does not hold its start while somebody else has it, and shows them once it is free", () =>
    Effect.gen(function* () {
      const { logs, refused, said, started } = yield* hearing
      const other = yield* taken
      const port = portOf(other)
      yield* Effect.provide(showMetrics({ metrics: { host, port } }), logs)
      yield* refused
      yield* givenFree(other)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* started).port, String(port))
      assert.deepStrictEqual(said, ["metrics.not_shown", "metrics.started"])
    }).pipe(Effect.scoped)
  )
})
