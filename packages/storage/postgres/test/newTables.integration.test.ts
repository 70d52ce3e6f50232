import type { PgClient } from "@effect/sql-pg"
import { migrate } from "@bursar/postgres"
import { assert, it as test, layer } from "@effect/vitest"
import { Effect } from "effect"
import { client } from "./client.ts"
import { emptyDatabase, migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()
const shared = await emptyDatabase()

const tenantId = "d0000000-0000-4000-8000-000000000001"

const there = 5_000
const written = 100

/** What the indexes of a table have read, by their names. */
const reads = (sql: PgClient.PgClient) =>
  Effect.gen(function* () {
    yield* sql`select pg_stat_force_next_flush()`
    yield* sql`select pg_stat_clear_snapshot()`
    const rows = yield* sql<{ readonly name: string; readonly scans: number }>`
      select indexrelname as name, idx_scan::integer as scans from pg_stat_user_indexes where relname = 'operation' order by 1`
    return new Map(rows.map(({ name, scans }) => [name, scans]))
  })

layer(ports(), { excludeTestServices: true, timeout: 120_000 })((it) => {
  it.effect("a foreign key into a table that nobody has analysed yet is looked up by the primary key", () =>
    Effect.gen(function* () {
      const sql = yield* client(url)
      yield* sql`alter table operation set (autovacuum_enabled = false)`
      const operations = (count: number) =>
        sql.unsafe<{
          readonly id: string
        }>(`insert into operation (tenant_id, operation_id, kind, status, currency, units,
            fee_currency, fee_units, acts_for, network, unresolved, details, created_at, settled_at)
          select '${tenantId}', gen_random_uuid(), 'CHAIN_PAYOUT', 'ACCEPTED', 'USDC_ETH', 1, 'USDC_ETH', 0, 'TENANT', 'ethereum',
            false, '{}', now(), null from generate_series(1, ${count}) returning operation_id as id`)
      const payouts = (ids: ReadonlyArray<string>) =>
        sql.unsafe(
          `insert into payout (tenant_id, operation_id, record_group, network, currency, units, paid_to, attempts, alone, made_by)
            select '${tenantId}', unnest($1::uuid[]), 'bench', 'ethereum', 'USDC_ETH', 1, 'somebody', 0, false, 'ann'`,
          [ids]
        )
      // The plan that is kept is made while the table is as good as empty.
      const first = yield* operations(20)
      for (const { id } of first) yield* payouts([id])
      const ids = (yield* operations(there)).slice(0, written).map(({ id }) => id)
      const before = yield* reads(sql)
      yield* payouts(ids)
      const after = yield* reads(sql)
      const scanned = [...after].filter(([name, scans]) => scans > (before.get(name) ?? 0)).map(([name]) => name)
      assert.deepStrictEqual(scanned, ["operation_pkey"])
      assert.isAtLeast((after.get("operation_pkey") ?? 0) - (before.get("operation_pkey") ?? 0), written)
    })
  )
})

test.live("a table that somebody else keeps in the same schema is left as it is", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* client(shared.url)
      yield* sql`create table others (tenant_id text)`
      yield* migrate({ url: shared.url })
      const described = yield* sql<{ readonly name: string }>`
        select distinct tablename as name from pg_stats where tablename in ('others', 'operation') and attname = 'tenant_id'`
      assert.deepStrictEqual(
        described.map(({ name }) => name),
        ["operation"]
      )
    })
  )
)
