import type { Command } from "@bursar/core/engine/Command"
import { putRecord, readGroup, readRecord } from "@bursar/core/engine/Records"
import { Storage } from "@bursar/core/engine/Storage"
import { isUnstorable } from "@bursar/core/engine/StorageError"
import * as Writer from "@bursar/core/engine/Writer"
import { Queries } from "@bursar/core/store/Queries"
import { Connection, layer as layerPostgres, layerConnection } from "@bursar/postgres"
import { contextAt, emitting, looking, writing } from "@bursar/testkit/fixtures/commands"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"
import { Voucher } from "./voucher/Voucher.ts"
import { voucherMigration, voucherRecords } from "./voucher/voucherTables.ts"

const { url } = await migratedDatabase()

await Effect.runPromise(
  Effect.gen(function* () {
    const { sql } = yield* Connection
    for (const statement of voucherMigration) yield* sql.unsafe(statement)
    // the table of a kind of one's own refuses what it likes, as PostgreSQL would say it
    yield* sql.unsafe(`create function refuse() returns trigger language plpgsql as $$
      begin
        if new.book like 'refused %' then
          raise exception 'a book of that name is closed' using errcode = substr(new.book, 9);
        end if;
        return new;
      end $$`)
    yield* sql.unsafe("create trigger refuse before insert or update on voucher for each row execute function refuse()")
  }).pipe(Effect.provide(layerConnection({ url })))
)

const put = (book: string) =>
  writing(() => [putRecord(Voucher, { code: crypto.randomUUID(), book, cents: 1n, usedAt: null })])

layer(Layer.provideMerge(Writer.layer, layerPostgres({ url, records: voucherRecords })), { excludeTestServices: true })(
  "a batch goes on without a command",
  (it) => {
    /** Commits a command beside others, and asserts that it fails as unstorable and they do not. */
    const failsAlone = Effect.fnUntraced(function* (
      tenantId: Parameters<Storage["Service"]["commit"]>[0],
      atFault: Command<unknown>
    ) {
      const storage = yield* Storage
      const queries = yield* Queries
      const { submit } = yield* Writer.Writer
      const whole = yield* Effect.flip(storage.commit(tenantId, [emitting(), atFault], contextAt(Date.now())))
      assert.isTrue(isUnstorable(whole))
      assert.deepStrictEqual(yield* queries.events(tenantId, 0, 10), [])
      const exits = yield* Effect.forEach(
        [emitting(), emitting(), atFault, emitting()],
        (command: Command<unknown>) => Effect.exit(submit(tenantId, command)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true])
      assert.lengthOf(yield* queries.events(tenantId, 0, 10), 3)
    })

    for (const [what, code] of [
      ["a trigger of its table refuses", "P0001"],
      ["a view with a check refuses", "44000"],
      ["a policy of its table refuses", "42501"],
      ["its table has no column for", "42703"]
    ] as const)
      it.effect(`whose record ${what}`, () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant()
          yield* failsAlone(id, put(`refused ${code}`))
        })
      )

    for (const [what, read] of [
      ["by its key", readRecord(Voucher, "bad")],
      ["with its group", readGroup(Voucher, "spring")]
    ] as const)
      it.effect(`that reads a row ${what} which cannot be read`, () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant()
          const sql = yield* client(url)
          yield* sql`insert into voucher values (${id}, 'bad', 'spring', 'spring', 'NaN', null)`
          yield* failsAlone(
            id,
            looking([read], () => null)
          )
        })
      )
  }
)
