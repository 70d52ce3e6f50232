/**
 * Measures full operations per second of one hot tenant through the Writer, for a number of callers, and what one
 * costs in CPU time on either side: `node packages/storage/postgres/bench/run.ts [seconds] [callers …]`, on a PostgreSQL of
 * its own.
 */
import * as Writer from "@bursar/core/engine/Writer"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import * as EmbeddedPostgres from "@bursar/simulator-postgres/EmbeddedPostgres"
import { serverCpuMicros } from "@bursar/simulator-postgres/serverCpu"
import { layer, migrate } from "@bursar/postgres"
import { Clock, Console, Effect, Layer, Redacted } from "effect"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fullOperation } from "./fullOperation.ts"

const [seconds = 8, ...callers] = process.argv.slice(2).map(Number)

const server = Effect.gen(function* () {
  const dataDir = yield* Effect.promise(() => mkdtemp(join(tmpdir(), "bursar-bench-")))
  return yield* EmbeddedPostgres.make({ dataDir, persistent: false })
})

const measure = Effect.fnUntraced(function* (count: number, postmaster: number) {
  const writer = yield* Writer.Writer
  const tenants = yield* Tenants
  const now = yield* Clock.currentTimeMillis
  const id = TenantId(crypto.randomUUID())
  yield* tenants.create({
    id,
    slug: id,
    name: "Bench",
    kind: "LIVE",
    status: "ACTIVE",
    policy: defaultPolicy,
    createdAt: now
  })
  let done = 0
  const own = process.cpuUsage()
  const servers = serverCpuMicros(postmaster)
  const end = now + seconds * 1000
  const caller = (index: number) =>
    Effect.gen(function* () {
      for (let n = 0; (yield* Clock.currentTimeMillis) < end; n++) {
        yield* writer.submit(id, fullOperation(`${id}-${index}-${n}`))
        done += 1
      }
    })
  yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    caller,
    { concurrency: "unbounded", discard: true }
  )
  const took = ((yield* Clock.currentTimeMillis) - now) / 1000
  const { system, user } = process.cpuUsage(own)
  const serverMicros = servers === null ? null : (serverCpuMicros(postmaster) ?? 0) - servers
  const perOperation = (micros: number | null) => (micros === null ? "?" : (micros / done).toFixed(1))
  yield* Console.log(
    `${count} callers: ${Math.round(done / took)} operations/s; ` +
      `CPU per operation: ${perOperation(system + user)} µs here, ${perOperation(serverMicros)} µs in the server`
  )
})

const main = Effect.gen(function* () {
  const {
    process: { pid },
    url: text
  } = yield* server
  const url = Redacted.make(text)
  yield* migrate({ url })
  yield* Effect.forEach(callers.length === 0 ? [16, 64, 256, 1000] : callers, (count) => measure(count, pid)).pipe(
    Effect.provide(Writer.layer.pipe(Layer.provideMerge(layer({ url }))))
  )
}).pipe(Effect.scoped)

if (import.meta.main) await Effect.runPromise(main)
