import { EmbeddedPostgres } from "@bursar/simulator-postgres"
import { Effect, Exit, Option, Scope } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openGate, type Gate } from "./Gate.ts"
import { openLimitedDisk } from "./limitedDisk.ts"

/** A PostgreSQL that can be killed and comes back with what it had, and the ways to it. */
export interface Database {
  /** Its address by a way of its own. */
  readonly openWay: Effect.Effect<{ readonly url: string; readonly gate: Gate }, never, Scope.Scope>
  /** Kills every process of the server with SIGKILL, and starts it again, which recovers from its log. */
  readonly kill: Effect.Effect<void>
  /** Leaves it no room to write for a while, and starts it again if it has gone because of that. Undefined where nothing can be mounted. */
  readonly fill: ((ms: number) => Effect.Effect<void>) | undefined
  /** Its processes get a tenth of their time for a while, as if they waited for a disk. */
  readonly slow: (ms: number) => Effect.Effect<void>
}

/** How long it stands still, and how long it then runs. */
const [standsMs, runsMs] = [90, 10]

/** How long it may take to notice that it cannot go on. */
const goesWithin = "2 seconds"

const processesOf = (pid: number): ReadonlyArray<number> => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)
]

/** Sends a signal to processes, some of which may have gone. */
const signalAll = (pids: ReadonlyArray<number>, signal: "SIGSTOP" | "SIGCONT") =>
  Effect.sync(() => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal)
      } catch {
        // it has ended
      }
    }
  })

const standStill = (pid: number) =>
  Effect.acquireUseRelease(
    Effect.suspend(() => {
      const pids = processesOf(pid)
      return Effect.as(signalAll(pids, "SIGSTOP"), pids)
    }),
    () => Effect.sleep(standsMs),
    (pids) => signalAll(pids, "SIGCONT")
  )

const name = "bursar"

/** Starts PostgreSQL in a folder, on a disk of its own where one can be mounted. It ends with the scope. */
export const openDatabase = Effect.fn("soak.openDatabase")(function* (folder: string) {
  const scope = yield* Effect.scope
  const gates = new Set<Gate>()
  const disk = yield* openLimitedDisk(join(folder, "disk"))
  const dataDir = join(disk?.folder ?? folder, "postgres")
  const start = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const server = yield* Scope.provide(EmbeddedPostgres.make({ dataDir, persistent: true }), own)
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
  const startAgain = Effect.gen(function* () {
    yield* now.server.process.exited
    yield* Scope.close(now.own, Exit.void)
    now = yield* start
  })
  const kill = Effect.suspend(() => {
    process.kill(now.server.process.pid, "SIGKILL")
    return startAgain
  })
  const fillOf = (fill: (ms: number) => Effect.Effect<void>) =>
    Effect.fnUntraced(function* (ms: number) {
      yield* fill(ms)
      const gone = yield* Effect.timeoutOption(now.server.process.exited, goesWithin)
      if (Option.isSome(gone)) yield* Effect.orDie(startAgain)
    })
  const slow = (ms: number) =>
    Effect.suspend(() => Effect.andThen(standStill(now.server.process.pid), Effect.sleep(runsMs))).pipe(
      Effect.repeat({ times: Math.ceil(ms / (standsMs + runsMs)) }),
      Effect.asVoid
    )
  const database: Database = {
    openWay,
    kill: Effect.orDie(kill),
    fill: disk === undefined ? undefined : fillOf(disk.fill),
    slow
  }
  return database
})
