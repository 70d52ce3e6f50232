import { migrate } from "@bursar/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { migrations } from "../src/migrations/all.ts"
import { keyConflicts } from "../src/queries/keyConflicts.ts"
import { client } from "./client.ts"
import { emptyDatabase } from "./database.ts"

const step = 29

describe("the step that gives every key an owner", () => {
  const older = emptyDatabase()
  it.live(
    "lets the tenant win whose key the service holds, else the earliest of those in use, retires what the others had, and reports it",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* Effect.promise(() => older)
          const sql = yield* client(url)
          yield* sql`create table bursar_migration (migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
          for (const { id, name, statements } of migrations.filter((one) => one.id < step)) {
            yield* Effect.forEach(statements(sql), (statement) => statement, { discard: true })
            yield* sql`insert into bursar_migration ${sql.insert({ migration_id: id, name })}`
          }
          // what is looked at are addresses and keys alone
          for (const table of ["address", "xpub", "issuing_account", "deposit"])
            yield* sql`alter table ${sql(table)} drop constraint if exists ${sql(`${table}_tenant_fkey`)}`
          const [ours, theirs] = [crypto.randomUUID(), crypto.randomUUID()]
          const place = Effect.fnUntraced(function* (
            tenant: string,
            network: string,
            address: string,
            origin: string,
            second: number,
            isRetired = false
          ) {
            const id = crypto.randomUUID()
            const at = new Date(1_700_000_000_000 + second * 1_000)
            yield* sql`insert into address ${sql.insert({
              tenant_id: tenant,
              address_id: id,
              network,
              address,
              reference: "r",
              origin,
              watch_from: at,
              created_at: at,
              retired_at: isRetired ? at : null
            })}`
            if (!isRetired)
              yield* sql`insert into address_directory ${sql.insert({ address, network, tenant_id: tenant, address_id: id, claimed_at: at })}`
            return id
          })
          const hex = (byte: string) => `0x${byte.repeat(20)}`
          // issued later than another has registered it on a sibling
          const thief = yield* place(theirs, "ethereum", hex("aA"), "REGISTERED", 1)
          const issued = yield* place(ours, "base", hex("aA"), "ISSUED", 2)
          // issued and retired, then registered by another
          yield* place(ours, "base", hex("bb"), "ISSUED", 1, true)
          const late = yield* place(theirs, "base", hex("bb"), "REGISTERED", 2)
          // registered by both: tron writes the hash of the same key
          const early = yield* place(theirs, "bsc", hex("00"), "REGISTERED", 1)
          const second = yield* place(ours, "tron", "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", "REGISTERED", 2)
          // retired, and so nobody's
          yield* place(ours, "base", hex("cc"), "REGISTERED", 1, true)
          const free = yield* place(theirs, "base", hex("cc"), "REGISTERED", 2)
          const account =
            "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"
          const handedOn = account.replace("DCoC", "DCoD")
          const [kept, copied] = [crypto.randomUUID(), crypto.randomUUID()]
          const [left, used] = [crypto.randomUUID(), crypto.randomUUID()]
          for (const [tenant, id, network, at, key, isRetired] of [
            [ours, kept, "ethereum", 1, account, false],
            [theirs, copied, "base", 2, account, false],
            // given up by one, and in use by another
            [theirs, left, "bsc", 1, handedOn, true],
            [ours, used, "bsc", 2, handedOn, false]
          ] as const) {
            yield* sql`insert into xpub ${sql.insert({
              tenant_id: tenant,
              xpub_id: id,
              network,
              xpub: key,
              canonical: key,
              index_from: 0,
              index_to: 9,
              next_index: 0,
              retired_at: isRetired ? new Date(1_700_000_000_000 + at) : null,
              created_at: new Date(1_700_000_000_000 + at)
            })}`
          }

          yield* migrate({ url })

          const owners = yield* sql<{ readonly key_name: string; readonly tenant_id: string; readonly holder: string }>`
            select key_name, tenant_id, holder from key_owner where key_name like 'keccak:%' order by key_name`
          assert.deepStrictEqual(
            owners.map(({ holder, key_name, tenant_id }) => [key_name.slice(7, 9), tenant_id, holder]),
            [
              ["00", theirs, "TENANT"],
              ["aa", ours, "SERVICE"],
              ["bb", ours, "SERVICE"],
              ["cc", theirs, "TENANT"]
            ]
          )
          const live = yield* sql<{
            readonly id: string
          }>`select address_id as id from address where retired_at is null`
          assert.sameMembers(
            live.map(({ id }) => id),
            [issued, early, free]
          )
          const listed = yield* sql<{ readonly id: string }>`select address_id as id from address_directory`
          assert.sameMembers(
            listed.map(({ id }) => id),
            [issued, early, free]
          )
          const reported = yield* keyConflicts(sql, { limit: 10 })
          const page = yield* keyConflicts(sql, { limit: 2 })
          assert.deepStrictEqual(page, reported.slice(0, 2))
          assert.deepStrictEqual(yield* keyConflicts(sql, { after: page.at(-1), limit: 10 }), reported.slice(2))
          assert.sameDeepMembers(
            reported.map(({ id, keptBy }) => [id, keptBy]),
            [
              [thief, ours],
              [late, ours],
              [second, theirs],
              [copied, ours],
              [left, ours]
            ]
          )
          const xpubs = yield* sql<{ readonly id: string }>`select xpub_id as id from xpub where retired_at is null`
          assert.sameMembers(
            xpubs.map(({ id }) => id),
            [kept, used]
          )
        })
      )
  )
})
