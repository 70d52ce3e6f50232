import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { isAlive, spawn } from "@bursar/simulator-kit/SupervisedProcess"
import { startScript, untilGone } from "./support/processes.ts"
import { tempDir } from "@bursar/simulator-kit/tempDir"
import * as EmbeddedPostgres from "@bursar/simulator-postgres/EmbeddedPostgres"

const Held = Schema.fromJsonString(
  Schema.Struct({
    postgres: Schema.Int,
    anvil: Schema.Int,
    supervisors: Schema.Array(Schema.Int)
  })
)

describe("SupervisedProcess", () => {
  it.live("leaves neither the program nor its supervisor when the scope closes", () =>
    Effect.gen(function* () {
      const [pid, supervisor] = yield* Effect.scoped(
        Effect.gen(function* () {
          const running = yield* spawn({ command: "/bin/sleep", args: ["600"], stopSignal: "SIGTERM", graceMs: 1_000 })
          assert.isTrue(isAlive(running.pid))
          return [running.pid, running.supervisorPid] as const
        })
      )
      assert.isFalse(isAlive(pid))
      assert.isFalse(isAlive(supervisor))
    })
  )

  it.live("kills a program that does not heed the signal", () =>
    Effect.gen(function* () {
      const pid = yield* Effect.scoped(
        Effect.gen(function* () {
          const stubborn = yield* spawn({
            command: process.execPath,
            args: ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('deaf')"],
            stopSignal: "SIGTERM",
            graceMs: 100
          })
          yield* stubborn.waitForLine((line) => (line === "deaf" ? true : undefined), "10 seconds")
          return stubborn.pid
        })
      )
      assert.isFalse(isAlive(pid))
    })
  )

  it.live("reports a program that cannot be started", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Effect.scoped(spawn({ command: "/no/such/program", args: [], stopSignal: "SIGTERM", graceMs: 100 }))
      )
      assert.strictEqual(error.code, "process_failed")
      assert.include(error.message, "/no/such/program")
    })
  )

  it.live("gives the output of a program that ends before it is ready", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Effect.scoped(
          Effect.gen(function* () {
            const short = yield* spawn({
              command: "/bin/sh",
              args: ["-c", "echo reason >&2; exit 3"],
              stopSignal: "SIGTERM",
              graceMs: 100
            })
            return yield* short.waitForLine(() => undefined, "10 seconds")
          })
        )
      )
      assert.strictEqual(error.code, "process_failed")
      assert.include(error.message, "ended with code 3")
      assert.include(error.message, "reason")
    })
  )

  it.live(
    "stops the nodes of a process killed by SIGKILL, and the next start recovers",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* tempDir
        const holder = yield* startScript("holdNodes.ts", [dataDir])
        const held = yield* Schema.decodeUnknownEffect(Held)(holder.line)
        holder.kill("SIGKILL")
        yield* Effect.forEach([held.postgres, held.anvil, ...held.supervisors], untilGone)
        const postgres = yield* EmbeddedPostgres.make({ dataDir, persistent: true })
        assert.isTrue(isAlive(postgres.process.pid))
      }),
    60_000
  )

  it.live(
    "recovers a data directory whose server was orphaned",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* tempDir
        const holder = yield* startScript("holdNodes.ts", [dataDir])
        const held = yield* Schema.decodeUnknownEffect(Held)(holder.line)
        // Nobody is left to stop the nodes: neither the parent nor the supervisors.
        for (const pid of held.supervisors) process.kill(pid, "SIGKILL")
        holder.kill("SIGKILL")
        yield* Effect.forEach(held.supervisors, untilGone)
        const postgres = yield* EmbeddedPostgres.make({ dataDir, persistent: true })
        assert.notStrictEqual(postgres.process.pid, held.postgres)
        yield* untilGone(held.postgres)
        process.kill(held.anvil, "SIGKILL")
      }),
    60_000
  )
})
