import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { withConnection } from "../src/admin.ts"
import * as EmbeddedPostgres from "../src/EmbeddedPostgres.ts"
import { isAlive } from "@bursar/simulator-kit/SupervisedProcess"
import { tempDir } from "@bursar/simulator-kit/tempDir"

const minute = 60_000

describe("EmbeddedPostgres", () => {
  it.live(
    "is PostgreSQL 18 with the promised settings",
    () =>
      Effect.gen(function* () {
        const { url } = yield* EmbeddedPostgres.make({ dataDir: yield* tempDir, persistent: false })
        const settings = yield* withConnection(
          url,
          (sql) =>
            sql<{ readonly name: string; readonly setting: string }>`select name, setting from pg_settings where name in
          ('server_version_num', 'server_encoding', 'lc_collate', 'TimeZone', 'fsync', 'synchronous_commit', 'max_connections',
           'listen_addresses', 'unix_socket_directories', 'shared_buffers', 'password_encryption')`
        )
        const value = Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))
        assert.match(value["server_version_num"] ?? "", /^18/u)
        assert.deepInclude(value, {
          server_encoding: "UTF8",
          TimeZone: "UTC",
          fsync: "on",
          synchronous_commit: "on",
          max_connections: "200",
          listen_addresses: "127.0.0.1",
          unix_socket_directories: "",
          shared_buffers: String((256 * 1024) / 8),
          password_encryption: "scram-sha-256"
        })
        const [database] = yield* withConnection(
          url,
          (sql) => sql`select datcollate from pg_database where datname = current_database()`
        )
        assert.deepEqual(database, { datcollate: "C" })
      }),
    minute
  )

  it.live(
    "waits for no disk where nothing has to outlive a loss of power, and refuses a wrong password",
    () =>
      Effect.gen(function* () {
        const { url } = yield* EmbeddedPostgres.make({ dataDir: yield* tempDir, persistent: false, durable: false })
        assert.deepEqual(yield* withConnection(url, (sql) => sql`show fsync`), [{ fsync: "off" }])
        const wrong = new URL(url)
        wrong.password = "guess"
        const error = yield* Effect.flip(withConnection(wrong.toString(), (sql) => sql`select 1`))
        assert.strictEqual(error.code, "database_failed")
      }),
    minute
  )

  it.live(
    "keeps its data and password over a restart, and leaves no process and no pid file",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* tempDir
        const first = yield* Effect.scoped(
          Effect.gen(function* () {
            const server = yield* EmbeddedPostgres.make({ dataDir, persistent: true })
            const url = yield* server.createDatabase("kept")
            yield* withConnection(url, (sql) => sql`create table t as select 42 as n`)
            return server
          })
        )
        assert.isFalse(isAlive(first.process.pid))
        assert.isFalse(isAlive(first.process.supervisorPid))
        assert.isFalse(existsSync(join(dataDir, "cluster", "postmaster.pid")))
        const again = yield* EmbeddedPostgres.make({ dataDir, persistent: true })
        const rows = yield* withConnection(again.urlOf("kept"), (sql) => sql`select n from t`)
        assert.deepEqual(rows, [{ n: 42 }])
        assert.strictEqual(new URL(again.url).password, new URL(first.url).password)
      }),
    minute
  )

  it.live(
    "removes the directory of a server that is not persistent",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* tempDir
        yield* Effect.scoped(EmbeddedPostgres.make({ dataDir, persistent: false }))
        assert.isFalse(existsSync(dataDir))
      }),
    minute
  )

  it.live(
    "starts over a stale postmaster.pid that names a living stranger",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* tempDir
        yield* Effect.scoped(EmbeddedPostgres.make({ dataDir, persistent: true }))
        const pidFile = join(dataDir, "cluster", "postmaster.pid")
        yield* Effect.promise(() =>
          writeFile(pidFile, `${process.pid}\n${join(dataDir, "cluster")}\n1\n1\n\n127.0.0.1\n1 1\n`)
        )
        const server = yield* EmbeddedPostgres.make({ dataDir, persistent: true })
        assert.isTrue(isAlive(server.process.pid))
        assert.isTrue(isAlive(process.pid))
      }),
    minute
  )

  it.live(
    "starts after an initialisation that was killed half-way",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* tempDir
        yield* Effect.scoped(EmbeddedPostgres.make({ dataDir, persistent: true }))
        const unfinished = yield* tempDir
        yield* Effect.promise(() => writeFile(join(unfinished, "password"), "half\n"))
        yield* Effect.promise(async () => {
          await mkdir(join(unfinished, "cluster.unfinished"))
          await writeFile(join(unfinished, "cluster.unfinished", "PG_VERSION"), "18\n")
        })
        const server = yield* EmbeddedPostgres.make({ dataDir: unfinished, persistent: true })
        assert.isTrue(isAlive(server.process.pid))
      }),
    minute
  )

  it.live(
    "says that a directory is in use while another server has it",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* tempDir
        const server = yield* EmbeddedPostgres.make({ dataDir, persistent: true })
        const error = yield* Effect.flip(EmbeddedPostgres.make({ dataDir, persistent: true }))
        assert.strictEqual(error.code, "data_dir_in_use")
        assert.isTrue(isAlive(server.process.pid))
      }),
    minute
  )

  it.live.skipIf(process.getuid?.() !== 0)(
    "run by root, works below a directory that only root may enter",
    () =>
      Effect.gen(function* () {
        // tempDir is such a directory: mkdtemp makes it 0700.
        const dataDir = join(yield* tempDir, "deep", "data")
        const server = yield* EmbeddedPostgres.make({ dataDir, persistent: true })
        const uid = yield* Effect.promise(() => readFile(`/proc/${server.process.pid}/status`, "utf8"))
        assert.notMatch(uid, /^Uid:\s+0/mu)
        assert.lengthOf(yield* withConnection(server.url, (sql) => sql`select 1`), 1)
      }),
    minute
  )

  it.live(
    "copies, finds and drops databases",
    () =>
      Effect.gen(function* () {
        const server = yield* EmbeddedPostgres.make({ dataDir: yield* tempDir, persistent: false })
        const original = yield* server.createDatabase("original")
        yield* withConnection(original, (sql) => sql`create table t as select 7 as n`)
        const copy = yield* server.createDatabase("copy", "original")
        assert.deepEqual(yield* withConnection(copy, (sql) => sql`select n from t`), [{ n: 7 }])
        assert.strictEqual(yield* server.ensureDatabase("copy"), copy)
        assert.deepEqual(yield* withConnection(copy, (sql) => sql`select n from t`), [{ n: 7 }])
        assert.strictEqual((yield* Effect.flip(server.createDatabase("copy"))).code, "database_failed")
        yield* server.dropDatabase("copy")
        assert.strictEqual((yield* Effect.flip(withConnection(copy, (sql) => sql`select 1`))).code, "database_failed")
      }),
    minute
  )
})
