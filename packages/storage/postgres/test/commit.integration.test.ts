import { Queries } from "@bursar/core/store/Queries"
import { Storage } from "@bursar/core/engine/Storage"
import { isUnstorable, StorageError } from "@bursar/core/engine/StorageError"
import * as Writer from "@bursar/core/engine/Writer"
import type { Command } from "@bursar/core/engine/Command"
import { Refusal } from "@bursar/core/base/Refusal"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import { prune } from "@bursar/postgres/storage/receipts"
import { emitting, contextAt, looking, writing } from "@bursar/testkit/fixtures/commands"
import { addressItem, newAddress, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { bareDeposit, bareOperation } from "@bursar/testkit/fixtures/records"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, layer } from "@effect/vitest"
import { Cause, Clock, Duration, Effect, Exit, Fiber, Option, Redacted } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { fullOperation } from "../bench/fullOperation.ts"
import { client } from "./client.ts"
import { commitProxy } from "./CommitProxy.ts"
import { migratedDatabase } from "./database.ts"
import { wrappedStorage } from "./wrapped.ts"
import { putRecord } from "@bursar/core/engine/Records"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { Operation } from "@bursar/core/operation/Operation"

const { ports, url } = await migratedDatabase()

const now = Effect.map(Clock.currentTimeMillis, contextAt)

const connectionLost = new SqlError({
  reason: new ConnectionError({ cause: new Error("cut by the test"), operation: "query" })
})

/** Has short waits take no time, though the clock goes on by them. */
const quickly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    let wentOnMs = 0
    const nowMs = () => clock.currentTimeMillisUnsafe() + wentOnMs
    const nowNanos = () => clock.currentTimeNanosUnsafe() + BigInt(wentOnMs) * 1_000_000n
    const monotonic = () => clock.monotonicTimeNanosUnsafe() + BigInt(wentOnMs) * 1_000_000n
    return Effect.provideService(effect, Clock.Clock, {
      ...clock,
      currentTimeMillisUnsafe: nowMs,
      currentTimeMillis: Effect.sync(nowMs),
      currentTimeNanosUnsafe: nowNanos,
      currentTimeNanos: Effect.sync(nowNanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) => {
        const ms = Math.ceil(Duration.toMillis(duration))
        if (ms >= 1_000) return clock.sleep(duration)
        wentOnMs += ms
        return Effect.yieldNow
      }
    })
  })

const operations = (count: number): ReadonlyArray<Command<unknown>> =>
  Array.from({ length: count }, (_, index) => fullOperation(`${count}-${index}`))

describe("a commit", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("sends as many statements for 500 commands as for one", () =>
      Effect.gen(function* () {
        const sent: Array<string> = []
        const storage = yield* wrappedStorage(url, (query) => (sql, ...rest) => {
          sent.push(sql)
          return query(sql, ...rest)
        })
        const statements = Effect.fnUntraced(function* (commands: ReadonlyArray<Command<unknown>>) {
          const tenant = yield* newTenant()
          sent.length = 0
          const exits = yield* storage.commit(tenant.id, commands, yield* now)
          assert.isTrue(exits.every(Exit.isSuccess))
          return [...sent]
        })
        const one = yield* statements(operations(1))
        assert.deepStrictEqual(yield* statements(operations(500)), one)
        // begin, lock, head, two kinds read; operations, legs, totals, claims, events, balances, head; commit
        assert.strictEqual(one.length, 13)
      })
    )

    it.effect("whose session is ended while it waits for the lock has written nothing, and the next one succeeds", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const sql = yield* client(url)
        // another client: a transaction sees the activity of the moment at which it first looked
        const other = yield* client(url)
        const tenant = yield* newTenant()
        const lost = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select 1 from tenant_head where tenant_id = ${tenant.id} for update`
            const waiting = yield* Effect.forkChild(Effect.exit(storage.commit(tenant.id, [emitting()], yield* now)), {
              startImmediately: true
            })
            const end = other`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%tenant_head%'`
            yield* Effect.repeat(end, { until: (ended) => ended.length === 1 })
            return yield* Fiber.join(waiting)
          })
        )
        assert.strictEqual(
          Exit.isFailure(lost) && lost.cause.reasons[0]?._tag === "Fail" && lost.cause.reasons[0].error._tag,
          "StorageError"
        )
        const queries = yield* Queries
        assert.deepStrictEqual(yield* queries.events(tenant.id, 0, 10), [])
        assert.deepStrictEqual(yield* storage.commit(tenant.id, [emitting()], yield* now), [Exit.succeed(1)])
      })
    )

    it.effect("that waited for the lock sees the tenant as it was left by who held it", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const sql = yield* client(url)
        const other = yield* client(url)
        const tenant = yield* newTenant()
        const asking = looking([], (view) => view.tenant.status)
        const waited = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select 1 from tenant_head where tenant_id = ${tenant.id} for update`
            const commit = yield* Effect.forkDetach(storage.commit(tenant.id, [asking], yield* now), {
              startImmediately: true
            })
            const waiting = other`select 1 from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock' and query like '%tenant_head%'`
            yield* Effect.repeat(waiting, { until: (rows) => rows.length === 1 })
            yield* sql`update tenant set status = 'SUSPENDED' where tenant_id = ${tenant.id}`
            return commit
          })
        )
        assert.deepStrictEqual(yield* Fiber.join(waited), [Exit.succeed("SUSPENDED")])
      })
    )

    it.effect("holds the lock while it decides also where its session has lost what begins and ends transactions", () =>
      Effect.gen(function* () {
        const sql = yield* client(url)
        const tenant = yield* newTenant()
        const free: Array<number> = []
        const storage = yield* wrappedStorage(url, (query) => (text, ...rest) => {
          if (text === "commit")
            return Effect.tap(query(text, ...rest), () =>
              query(
                "select name from pg_prepared_statements where statement in ('begin', 'commit', 'rollback')",
                [],
                false
              ).pipe(
                Effect.flatMap(({ rows }) =>
                  Effect.forEach(rows, ({ name }) => query(`deallocate "${String(name)}"`, [], false))
                )
              )
            )
          if (!text.includes("clock_timestamp()")) return query(text, ...rest)
          const lookedFor = sql`select 1 from tenant_head where tenant_id = ${tenant.id} for update skip locked`
          return Effect.tap(query(text, ...rest), () => Effect.map(lookedFor, (rows) => free.push(rows.length)))
        })
        for (const nth of [1, 2, 3])
          assert.deepStrictEqual(yield* storage.commit(tenant.id, [emitting()], yield* now), [Exit.succeed(nth)])
        assert.deepStrictEqual(free, [0, 0, 0])
      })
    )

    it.effect("whose session is lost before its COMMIT was carried out says so, and has written nothing", () =>
      Effect.gen(function* () {
        const queries = yield* Queries
        const tenant = yield* newTenant()
        const storage = yield* wrappedStorage(
          url,
          (query) =>
            (sql, ...rest) =>
              sql === "commit" ? Effect.andThen(query("rollback"), Effect.fail(connectionLost)) : query(sql, ...rest)
        )
        const error = yield* Effect.flip(storage.commit(tenant.id, [emitting()], yield* now))
        assert.strictEqual(error._tag, "StorageError")
        assert.deepStrictEqual(yield* queries.events(tenant.id, 0, 10), [])
      })
    )

    it.effect(
      "that the database refuses for what it would write is unstorable, and the others of its batch are written",
      () =>
        Effect.gen(function* () {
          const queries = yield* Queries
          const storage = yield* Storage
          const tenant = yield* newTenant()
          // an index holds no key of that length, which only the database knows
          const key = Array.from({ length: 400 }, () => crypto.randomUUID()).join("")
          const tooLong = writing(() => [{ _tag: "Scheduled", queue: "q", key, dueAt: 0 }] as const)
          const error = yield* Effect.flip(storage.commit(tenant.id, [emitting(), tooLong], yield* now))
          assert.isTrue(isUnstorable(error))
          assert.deepStrictEqual(yield* queries.events(tenant.id, 0, 10), [])
          const { submit } = yield* Writer.Writer
          const exits = yield* Effect.forEach(
            [emitting(), emitting(), tooLong, emitting()],
            (command: Command<unknown>) => Effect.exit(submit(tenant.id, command)),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true])
          assert.lengthOf(yield* queries.events(tenant.id, 0, 10), 3)
        }).pipe(Effect.provide(Writer.layer))
    )

    const asMoment = (time: number) => ({ block: { number: 7, hash: newTxHash(), time } })
    for (const [what, time] of [
      ["no moment", Number.NaN],
      ["beyond all moments", 1.8e22]
    ] as const)
      it.effect(`of which the driver cannot send one value (${what}) commits nothing, and the others are written`, () =>
        Effect.gen(function* () {
          const queries = yield* Queries
          const storage = yield* Storage
          const tenant = yield* newTenant()
          const { submit } = yield* Writer.Writer
          const address = yield* newAddress(tenant.id)
          const deposit = (more: Partial<Deposit>) =>
            writing((view) => [putRecord(Deposit, bareDeposit(view, address, { transferIndex: 1, ...more }))])
          const unsendable = deposit({ transferIndex: 2, ...asMoment(time) })
          const seen = yield* queries.events(tenant.id, 0, 10)
          const error = yield* Effect.flip(storage.commit(tenant.id, [emitting(), deposit({}), unsendable], yield* now))
          assert.isTrue(isUnstorable(error))
          assert.deepStrictEqual(yield* queries.records(tenant.id, Deposit), [])
          assert.deepStrictEqual(yield* queries.events(tenant.id, 0, 10), seen)
          const exits = yield* Effect.forEach(
            [emitting(), deposit({}), unsendable, emitting()],
            (command: Command<unknown>) => Effect.exit(submit(tenant.id, command)),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true])
          assert.lengthOf(yield* queries.records(tenant.id, Deposit), 1)
          assert.lengthOf(yield* queries.events(tenant.id, 0, 10), seen.length + 2)
        }).pipe(Effect.provide(Writer.layer))
      )

    it.effect("that is refused for what it would write says so also where it claims an address", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const tenant = yield* newTenant()
        // an index holds no key of that length
        const key = Array.from({ length: 400 }, () => crypto.randomUUID()).join("")
        const tooLong = writing(() => [{ _tag: "Scheduled", queue: "q", key, dueAt: 0 }] as const)
        const claiming = registerAddresses([addressItem(newEvmAddress())])
        assert.isTrue(isUnstorable(yield* Effect.flip(storage.commit(tenant.id, [claiming, tooLong], yield* now))))
        const { submit } = yield* Writer.Writer
        const exits = yield* Effect.forEach(
          [tooLong, claiming],
          (command: Command<unknown>) => Effect.exit(submit(tenant.id, command)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [false, true])
      }).pipe(Effect.provide(Writer.layer))
    )

    it.effect("that puts an operation which it never read replaces it also where it claims an address", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const queries = yield* Queries
        const tenant = yield* newTenant()
        const context = yield* now
        const id = context.newId()
        const put = (status: "ACCEPTED" | "FAILED") =>
          writing((view) => [putRecord(Operation, bareOperation(view, { id, status }))])
        yield* storage.commit(tenant.id, [put("ACCEPTED")], context)
        yield* storage.commit(tenant.id, [put("FAILED"), registerAddresses([addressItem(newEvmAddress())])], context)
        assert.strictEqual((yield* queries.operation(tenant.id, id))?.status, "FAILED")
      })
    )

    it.effect("whose session is lost after its COMMIT was carried out finds that out and answers", () =>
      Effect.gen(function* () {
        const queries = yield* Queries
        const tenant = yield* newTenant()
        const storage = yield* wrappedStorage(
          url,
          (query) =>
            (sql, ...rest) =>
              sql === "commit" ? Effect.andThen(query("commit"), Effect.fail(connectionLost)) : query(sql, ...rest)
        )
        assert.deepStrictEqual(yield* storage.commit(tenant.id, [emitting()], yield* now), [Exit.succeed(1)])
        assert.strictEqual((yield* queries.events(tenant.id, 0, 10)).length, 1)
      })
    )

    for (const fate of ["lost", "unheard", "late"] as const) {
      it.effect(`whose COMMIT is ${fate} on the wire says what became of it, and another try does it once`, () =>
        Effect.gen(function* () {
          const queries = yield* Queries
          const sql = yield* client(url)
          const tenant = yield* newTenant()
          const proxy = yield* commitProxy(Redacted.value(url), fate)
          const storage = yield* wrappedStorage(Redacted.make(proxy.url), (query) => query)
          const committing = yield* Effect.forkChild(Effect.exit(storage.commit(tenant.id, [emitting()], yield* now)), {
            startImmediately: true
          })
          yield* proxy.cut
          if (fate === "late") {
            const waiting = sql`select 1 from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock' and query like '%for share%'`
            yield* Effect.repeat(waiting, { until: (rows) => rows.length === 1 })
            yield* proxy.deliver
          }
          const exit = yield* Fiber.join(committing)
          const there = (yield* queries.events(tenant.id, 0, 10)).length
          assert.deepStrictEqual([Exit.isSuccess(exit), there], fate === "lost" ? [false, 0] : [true, 1])
          assert.deepStrictEqual(yield* storage.commit(tenant.id, [emitting()], yield* now), [Exit.succeed(there + 1)])
        })
      )
    }

    for (const [refusals, became] of [
      [80, "Success"],
      [Number.POSITIVE_INFINITY, "unknown"]
    ] as const) {
      it.effect(`that was carried out as the database went away is never said to have failed (${became})`, () =>
        Effect.gen(function* () {
          const queries = yield* Queries
          const tenant = yield* newTenant()
          const proxy = yield* commitProxy(Redacted.value(url), "unheard", refusals)
          const storage = yield* wrappedStorage(Redacted.make(proxy.url), (query) => query)
          const exit = yield* quickly(Effect.exit(storage.commit(tenant.id, [emitting()], yield* now)))
          const said = Exit.isSuccess(exit) ? exit._tag : Option.getOrUndefined(Cause.findErrorOption(exit.cause))
          assert.strictEqual(said instanceof StorageError ? said.outcome : said, became)
          assert.strictEqual((yield* queries.events(tenant.id, 0, 10)).length, 1)
        })
      )
    }

    it.effect("leaves a receipt for a while, and one that changes nothing leaves none", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const sql = yield* client(url)
        const tenant = yield* newTenant()
        const receipts = Effect.map(
          sql`select 1 from commit_receipt where tenant_id = ${tenant.id}`,
          ({ length }) => length
        )
        const before = yield* receipts
        yield* storage.commit(tenant.id, [emitting(), emitting()], yield* now)
        const no = new Refusal({ code: "invalid_request", message: "No." })
        yield* storage.commit(tenant.id, [rejectWith("No", no)], yield* now)
        assert.strictEqual((yield* receipts) - before, 1)
        yield* prune(sql)
        assert.strictEqual((yield* receipts) - before, 1)
        yield* sql`update commit_receipt set at = now() - interval '11 minutes' where tenant_id = ${tenant.id}`
        yield* prune(sql)
        assert.strictEqual(yield* receipts, 0)
      })
    )

    it.effect("that puts an operation which it never read replaces it", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const queries = yield* Queries
        const tenant = yield* newTenant()
        const context = yield* now
        const id = context.newId()
        const put = (status: "ACCEPTED" | "FAILED") =>
          writing((view) => [putRecord(Operation, bareOperation(view, { id, status }))])
        yield* storage.commit(tenant.id, [put("ACCEPTED")], context)
        const [again] = yield* storage.commit(tenant.id, [put("FAILED")], context)
        assert.isTrue(again !== undefined && Exit.isSuccess(again))
        assert.strictEqual((yield* queries.operation(tenant.id, id))?.status, "FAILED")
      })
    )

    it.effect("that cannot begin writes nothing outside a transaction", () =>
      Effect.gen(function* () {
        const queries = yield* Queries
        const tenant = yield* newTenant()
        const storage = yield* wrappedStorage(
          url,
          (query) =>
            (sql, ...rest) =>
              sql === "begin" ? Effect.fail(connectionLost) : query(sql, ...rest)
        )
        const error = yield* Effect.flip(storage.commit(tenant.id, [emitting()], yield* now))
        assert.strictEqual(error._tag, "StorageError")
        assert.deepStrictEqual(yield* queries.events(tenant.id, 0, 10), [])
      })
    )
  })
})
