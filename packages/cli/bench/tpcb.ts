import { PgClient } from "@effect/sql-pg"
import { Effect, Random, Redacted } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { throughput } from "./measure.ts"

const run = promisify(execFile)

const scale = 1
const accounts = 100_000 * scale
const clients = 16

/** The tables of pgbench's TPC-B, for a server where pgbench itself is not installed. */
const initialise = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`create table pgbench_branches (bid int primary key, bbalance int, filler char(88)) with (fillfactor=100)`
  yield* sql`create table pgbench_tellers (tid int primary key, bid int, tbalance int, filler char(84)) with (fillfactor=100)`
  yield* sql`create table pgbench_accounts (aid int primary key, bid int, abalance int, filler char(84)) with (fillfactor=100)`
  yield* sql`create table pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))`
  yield* sql`insert into pgbench_branches select n, 0 from generate_series(1, ${scale}) n`
  yield* sql`insert into pgbench_tellers select n, 1, 0 from generate_series(1, ${10 * scale}) n`
  yield* sql`insert into pgbench_accounts select n, 1, 0 from generate_series(1, ${accounts}) n`
})

const transaction = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const aid = yield* Random.nextIntBetween(1, accounts)
  const tid = yield* Random.nextIntBetween(1, 10 * scale)
  const delta = yield* Random.nextIntBetween(-5000, 5000)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`update pgbench_accounts set abalance = abalance + ${delta} where aid = ${aid}`
      yield* sql`select abalance from pgbench_accounts where aid = ${aid}`
      yield* sql`update pgbench_tellers set tbalance = tbalance + ${delta} where tid = ${tid}`
      yield* sql`update pgbench_branches set bbalance = bbalance + ${delta} where bid = 1`
      yield* sql`insert into pgbench_history (tid, bid, aid, delta, mtime) values (${tid}, 1, ${aid}, ${delta}, current_timestamp)`
    })
  )
})

const byPgbench = Effect.fnUntraced(function* (url: string, seconds: number) {
  yield* Effect.tryPromise(() => run("pgbench", ["--initialize", "--quiet", "--scale", String(scale), url]))
  const { stdout } = yield* Effect.tryPromise(() =>
    run("pgbench", [
      "--no-vacuum",
      "--client",
      String(clients),
      "--jobs",
      "2",
      "--time",
      String(seconds),
      "--protocol",
      "prepared",
      url
    ])
  )
  const match = /tps = ([0-9.]+)/u.exec(stdout)
  return Number(match?.[1])
})

/**
 * The baseline: transactions per second of pgbench's TPC-B on the same server, 16 clients, scale 1. Where pgbench is not
 * installed, the same script through the driver.
 */
export const tpcb = Effect.fnUntraced(function* (url: string, seconds: number) {
  const installed = yield* Effect.isSuccess(Effect.tryPromise(() => run("pgbench", ["--version"])))
  if (installed) return { tps: yield* byPgbench(url, seconds), by: "pgbench" }
  const { perSecond } = yield* Effect.andThen(
    initialise,
    throughput(clients, seconds, () => transaction)
  ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: clients })))
  return { tps: perSecond, by: "the same script through the driver" }
})
