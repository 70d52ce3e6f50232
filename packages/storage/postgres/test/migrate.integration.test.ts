import { Storage } from "@bursar/core/engine/Storage"
import { contextAt, writing } from "@bursar/testkit/fixtures/commands"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { layer, migrate, requireDatabase, watchDatabase } from "@bursar/postgres"
import { Duration, Effect, Fiber, Redacted } from "effect"
import { migrations } from "../src/migrations/all.ts"
import { client } from "./client.ts"
import { emptyDatabase } from "./database.ts"

const names = migrations.map(({ name }) => name)

describe("migrate", () => {
  it("numbers its steps one after the other", () => {
    assert.deepStrictEqual(
      migrations.map(({ id }) => id),
      names.map((_, index) => index + 1)
    )
  })

  const twice = emptyDatabase()
  it.live("runs every step once, and nothing when it is run again", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.promise(() => twice)
      assert.deepStrictEqual(yield* migrate({ url }), names)
      assert.deepStrictEqual(yield* migrate({ url }), [])
    })
  )

  const together = emptyDatabase()
  it.live("run by several processes at once, is done by one of them", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.promise(() => together)
      const done = yield* Effect.all(
        Array.from({ length: 4 }, () => migrate({ url })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        done.filter((one) => one.length > 0),
        [names]
      )
    })
  )

  const later = emptyDatabase()
  it.live("refuses a database that a later version has updated, and no process starts on one of another version", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* Effect.promise(() => later)
        const said = (task: Effect.Effect<unknown, { readonly message: string }>) =>
          Effect.match(task, { onFailure: ({ message }) => message, onSuccess: () => undefined })
        assert.match((yield* said(requireDatabase({ url }))) ?? "", /is empty: run `bursar migrate`/u)
        yield* migrate({ url })
        assert.isUndefined(yield* said(requireDatabase({ url })))
        const sql = yield* client(url)
        yield* sql`delete from bursar_migration where migration_id = ${names.length}`
        assert.match((yield* said(requireDatabase({ url }))) ?? "", /earlier version.*Run `bursar migrate`/u)
        yield* sql`insert into bursar_migration ${sql.insert({ migration_id: names.length + 5, name: "later" })}`
        assert.match((yield* said(requireDatabase({ url }))) ?? "", /later version/u)
        assert.match((yield* said(migrate({ url }))) ?? "", /later version/u)
      })
    )
  )

  const watched = emptyDatabase()
  it.live("a process ends once its database is found to be of another version, though it did not answer before", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* Effect.promise(() => watched)
        yield* migrate({ url })
        const away = new URL(Redacted.value(url))
        away.pathname = `${away.pathname}_away`
        const every = Duration.millis(50)
        const here = yield* Effect.forkChild(Effect.flip(watchDatabase({ url, every })))
        const absent = yield* Effect.forkChild(Effect.flip(watchDatabase({ url: Redacted.make(away.href), every })))
        yield* Effect.sleep("500 millis")
        assert.isUndefined(here.pollUnsafe())
        assert.isUndefined(absent.pollUnsafe())
        const sql = yield* client(url)
        const name = away.pathname.slice(1)
        yield* Effect.acquireRelease(sql.unsafe(`create database ${name}`), () =>
          Effect.orDie(sql.unsafe(`drop database ${name} with (force)`))
        )
        assert.match((yield* Fiber.join(absent)).message, /is empty/u)
        yield* sql`insert into bursar_migration ${sql.insert({ migration_id: names.length + 5, name: "later" })}`
        assert.match((yield* Fiber.join(here)).message, /later version/u)
      })
    )
  )

  const under = emptyDatabase()
  it.live("a process that runs writes nothing any more on a database that is migrated under it", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.promise(() => under)
      yield* migrate({ url })
      yield* Effect.gen(function* () {
        const { id } = yield* newTenant()
        const write = (yield* Storage).commit(id, [writing(() => [])], contextAt(past))
        assert.lengthOf(yield* write, 1)
        const sql = yield* client(url)
        yield* sql`insert into bursar_migration ${sql.insert({ migration_id: names.length + 5, name: "later" })}`
        const error = yield* Effect.flip(write)
        assert.match(error._tag === "StorageError" ? String(error.cause) : error._tag, /later version/u)
      }).pipe(Effect.provide(layer({ url, anyMoment: true })), Effect.scoped)
    })
  )

  const quiet = emptyDatabase()
  it.live("leaves no connection open", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* Effect.promise(() => quiet)
        yield* migrate({ url })
        const sql = yield* client(url)
        const open = sql`select 1 from pg_stat_activity where datname = current_database() and application_name = 'bursar-migrate'`
        // the server sees the end of a session a moment after the client
        yield* Effect.repeat(open, { until: (rows) => rows.length === 0 })
      })
    )
  )

  const named = emptyDatabase()
  it.live("leaves no list of networks in any table", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* Effect.promise(() => named)
        yield* migrate({ url })
        const sql = yield* client(url)
        const listing = yield* sql`select conname from pg_constraint where contype = 'c'
          and pg_get_constraintdef(oid) like '%ethereum%'`
        assert.deepStrictEqual(listing, [])
        const families =
          yield* sql`select conname from pg_constraint where contype = 'c' and pg_get_constraintdef(oid) like '%evm%'`
        assert.deepStrictEqual(families, [])
      })
    )
  )

  const older = emptyDatabase()
  it.live("step 22 lets payouts name the expired spends that they were in before, oldest first", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* Effect.promise(() => older)
        const sql = yield* client(url)
        const before = migrations.filter(({ id }) => id < 22)
        yield* sql`create table bursar_migration (migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
        for (const { id, name, statements } of before) {
          yield* Effect.forEach(statements(sql), (statement) => statement, { discard: true })
          yield* sql`insert into bursar_migration ${sql.insert({ migration_id: id, name })}`
        }
        // what is looked at are payouts and outbound transactions alone
        yield* sql`alter table payout drop constraint payout_operation_fkey`
        const [tenant, other] = [crypto.randomUUID(), crypto.randomUUID()]
        const [again, once, gone] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
        const transactionOf = Effect.fnUntraced(function* (
          owner: string,
          second: number,
          outcome: string | null,
          ...paid: ReadonlyArray<string>
        ) {
          const id = crypto.randomUUID()
          const payments = paid.map((operationId) => ({ operationId, to: "t", contract: null, units: "1", memo: null }))
          yield* sql`insert into spend (tenant_id, spend_id, network, purpose, paid_from, payments, drain, salt, phase, outcome,
              hashes, fee_max, cancelled, reserved_at)
            values (${owner}, ${id}, 'tron', 'PAYOUT', 'f', ${JSON.stringify(payments)}::json, false, 0,
              ${outcome === null ? "SIGNED" : "FINAL"}, ${outcome}, '[]', 0, '[]', to_timestamp(${second}))`
          return id
        })
        const second = yield* transactionOf(tenant, 2, "expired", again)
        const first = yield* transactionOf(tenant, 1, "expired", again, gone)
        yield* transactionOf(tenant, 3, "released", again)
        yield* transactionOf(other, 1, "expired", again)
        const last = yield* transactionOf(tenant, 4, "expired", once)
        const newest = yield* transactionOf(tenant, 5, null, again)
        for (const [id, transactionId] of [
          [again, newest],
          [once, last],
          [gone, null]
        ] as const) {
          yield* sql`insert into payout (tenant_id, operation_id, network, currency, units, paid_to, phase, spend_id, attempts, alone, made_by)
            values (${tenant}, ${id}, 'tron', 'TRX', 1, 't', ${transactionId === null ? "HELD" : "FINAL"}, ${transactionId}, 1, false, 'm')`
        }
        assert.deepStrictEqual(yield* migrate({ url }), names.slice(21))
        const found = yield* sql<{ readonly id: string; readonly earlier: unknown }>`select operation_id as id,
          earlier_transactions as earlier from payout`
        assert.deepStrictEqual(Object.fromEntries(found.map(({ earlier, id }) => [id, earlier])), {
          [again]: [first, second],
          [once]: null,
          [gone]: [first]
        })
      })
    )
  )

  it.live("fails with StorageError where there is no database", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.promise(() => twice)
      const gone = new URL(Redacted.value(url))
      gone.pathname = "/nowhere"
      const error = yield* Effect.flip(migrate({ url: Redacted.make(gone.toString()) }))
      assert.strictEqual(error._tag, "StorageError")
    })
  )
})
