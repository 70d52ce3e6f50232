import { migrate } from "@bursar/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { migrations } from "../src/migrations/all.ts"
import { client } from "./client.ts"
import { emptyDatabase } from "./database.ts"

const step = migrations.find(({ name }) => name === "known_networks")?.id ?? 0

describe("the step that remembers the names of networks", () => {
  const older = emptyDatabase()
  it.live("finds them wherever they stand, and leaves their chains to the first start", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* Effect.promise(() => older)
        const sql = yield* client(url)
        yield* sql`create table bursar_migration (migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
        for (const { id, name, statements } of migrations.filter((one) => one.id < step)) {
          yield* Effect.forEach(statements(sql), (statement) => statement, { discard: true })
          yield* sql`insert into bursar_migration ${sql.insert({ migration_id: id, name })}`
        }
        const tenant = crypto.randomUUID()
        yield* sql`insert into tenant (tenant_id, slug, name, kind, status, policy, created_at)
          values (${tenant}, 't', 't', 'LIVE', 'ACTIVE', '{}', now())`
        // retired, so that no directory has it
        yield* sql`insert into address (tenant_id, address_id, network, address, reference, origin, watch_from, created_at, retired_at)
          values (${tenant}, ${crypto.randomUUID()}, 'by-address', 'a', 'r', 'REGISTERED', now(), now(), now())`
        yield* sql`insert into payout_wallet (tenant_id, wallet_id, record_group, network, role, address, seed_id, key_index, next_salt,
            open_transactions, committed, created_at)
          values (${tenant}, ${crypto.randomUUID()}, 'by-wallet', 'by-wallet', 'PAYOUT', 'w', ${crypto.randomUUID()}, 0, 0, 0, '{}', now())`
        yield* sql`insert into network_status (network, updated_at) values ('by-status', now()), ('by-address', now())`

        yield* migrate({ url })

        assert.deepStrictEqual(yield* sql`select name, family, chain from network order by name`, [
          { name: "by-address", family: null, chain: null },
          { name: "by-status", family: null, chain: null },
          { name: "by-wallet", family: null, chain: null }
        ])
      })
    )
  )
})
