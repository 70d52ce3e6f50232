import { EmbeddedPostgres } from "@bursar/simulator-postgres"
import { Effect, Exit, Scope } from "effect"
import { openGate, type Gate } from "./Gate.ts"

/** A PostgreSQL that can be killed and comes back with what it had, and the ways to it. */
export interface Database {
  /** Its address by a way of its own. */
  readonly openWay: Effect.Effect<{ readonly url: string; readonly gate: Gate }, never, Scope.Scope>
  /** Kills every process of the server with SIGKILL, and starts it again, which recovers from its log. */
  readonly kill: Effect.Effect<void>
}

const name = "bursar"

/** Starts PostgreSQL in a folder. It ends with the scope, and its data stays. */
export const openDatabase = Effect.fn("soak.openDatabase")(function* (folder: string) {
  const scope = yield* Effect.scope
  const gates = new Set<Gate>()
  const start = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const server = yield* Scope.provide(EmbeddedPostgres.make({ dataDir: folder, persistent: true }), own)
    const url = yield* server.ensureDatabase(name)
    for (const gate of gates) gate.leadTo(server.port)
    return { own, server, url }
  })
  let now = yield* start
  const openWay = Effect.gen(function* () {
    const gate = yield* openGate
    gates.add(gate)
    gate.leadTo(now.server.port)
    const url = new URL(now.url)
    url.port = String(gate.port)
    return { gate, url: url.href }
  })
  const kill = Effect.gen(function* () {
    process.kill(now.server.process.pid, "SIGKILL")
    yield* now.server.process.exited
    yield* Scope.close(now.own, Exit.void)
    now = yield* start
  })
  const database: Database = { openWay, kill: Effect.orDie(kill) }
  return database
})
