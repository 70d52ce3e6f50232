import type { Fence } from "@bursar/core/engine/fenced"
import { Leadership } from "@bursar/core/port/Leadership"
import { WatchState } from "@bursar/core/store/WatchState"
import { assert, describe, layer } from "@effect/vitest"
import { layer as layerPostgres } from "@bursar/postgres"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Redacted, References } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"
import { silentProxy } from "./silentProxy.ts"

const { ports, url } = await migratedDatabase()

const program = fileURLToPath(new URL("leaderProcess.ts", import.meta.url))

/** Starts another process that leads a name, and waits until it does. It is gone with the test. */
const leaderProcess = Effect.fnUntraced(function* (name: string) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [program, Redacted.value(url), name], { stdio: ["ignore", "pipe", "inherit"] })
    ),
    (started) => Effect.sync(() => started.kill("SIGKILL"))
  )
  return yield* Effect.callback<ChildProcess, Error>((resume) => {
    child.stdout.once("data", (line: Uint8Array) =>
      resume(
        new TextDecoder().decode(line) === "leading 1\n"
          ? Effect.succeed(child)
          : Effect.fail(new Error("the process said something else"))
      )
    )
    child.once("exit", () => resume(Effect.fail(new Error("the process ended before it led"))))
  })
})

/** Stands for election until `use` has been done with the fence. */
const leadOnce = Effect.fnUntraced(function* <A, E>(name: string, use: (fence: Fence) => Effect.Effect<A, E>) {
  const { lead } = yield* Leadership
  const done = yield* Deferred.make<A, E>()
  return yield* Effect.raceFirst(
    Deferred.await(done),
    lead(name, (fence) => Effect.andThen(Deferred.into(use(fence), done), Effect.never))
  )
})

describe("leadership", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("of a process that is killed passes on, and the fence of the dead one opens nothing any more", () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const child = yield* leaderProcess("killed")
        const epoch = yield* Effect.raceFirst(
          leadOnce("killed", (fence) => Effect.succeed(fence.epoch)),
          Effect.andThen(
            Effect.sync(() => child.kill("SIGKILL")),
            Effect.never
          )
        )
        assert.strictEqual(epoch, 2)
        const error = yield* Effect.flip(
          watch.report({ name: "killed", epoch: 1 }, "base", { latest: 1, nodes: [], problem: null, notice: null })
        )
        assert.strictEqual(error._tag, "Fenced")
      })
    )

    it.effect("whose session is ended by the server ends its work, and is won again with a higher epoch", () =>
      Effect.gen(function* () {
        const { lead } = yield* Leadership
        const sql = yield* client(url)
        const second = yield* Deferred.make<number>()
        let interrupted = 0
        const work = ({ epoch }: Fence) =>
          epoch === 1
            ? Effect.onInterrupt(
                Effect.andThen(
                  sql`select pg_terminate_backend(l.pid) from pg_locks l where l.locktype = 'advisory' and l.granted
                  and l.database = (select oid from pg_database where datname = current_database())`.pipe(Effect.orDie),
                  Effect.never
                ),
                () =>
                  Effect.sync(() => {
                    interrupted += 1
                  })
              )
            : Effect.andThen(Deferred.succeed(second, epoch), Effect.never)
        assert.strictEqual(yield* Effect.raceFirst(Deferred.await(second), lead("ended", work)), 2)
        assert.strictEqual(interrupted, 1)
      })
    )

    it.effect("is won by who stood by on a session that fell silent", () =>
      Effect.gen(function* () {
        const { lead } = yield* Leadership
        const proxy = yield* silentProxy(Redacted.value(url))
        const other = Context.get(yield* Layer.build(layerPostgres({ url: Redacted.make(proxy.url) })), Leadership)
        const leads = yield* Deferred.make<void>()
        const first = yield* Effect.forkScoped(
          lead("silent", () => Effect.andThen(Deferred.succeed(leads, undefined), Effect.never))
        )
        yield* Deferred.await(leads)
        const epoch = yield* Deferred.make<number>()
        yield* Effect.forkScoped(
          other.lead("silent", (fence) => Effect.andThen(Deferred.succeed(epoch, fence.epoch), Effect.never))
        )
        yield* proxy.sends("pg_try_advisory_lock")
        yield* proxy.hush
        yield* Fiber.interrupt(first)
        assert.strictEqual(yield* Deferred.await(epoch), 2)
      })
    )

    it.effect("that cannot be won because the database does not do it is told once, and won once it does", () => {
      const told: Array<string> = []
      return Effect.gen(function* () {
        const sql = yield* client(url)
        const tried = yield* Deferred.make<void>()
        const log = Logger.layer([
          Logger.make(({ logLevel, message }) => {
            if (JSON.stringify(message).includes("leadership.ended")) told.push(logLevel)
            if (told.length === 3) Deferred.doneUnsafe(tried, Exit.void)
          })
        ])
        yield* sql`alter table lease rename to lease_away`
        const back = Effect.andThen(Deferred.await(tried), sql`alter table lease_away rename to lease`)
        const led = Effect.provide(
          leadOnce("away", ({ epoch }) => Effect.succeed(epoch)),
          log
        ).pipe(Effect.provideService(References.MinimumLogLevel, "Debug"))
        const [epoch] = yield* Effect.all([led, back], { concurrency: "unbounded" })
        assert.strictEqual(epoch, 1)
        assert.strictEqual(told[0], "Warn")
        assert.deepStrictEqual([...new Set(told.slice(1))], ["Debug"])
      })
    })
  })
})
