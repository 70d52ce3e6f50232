import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { url } = await migratedDatabase()

interface Index {
  readonly table: string
  readonly index: string
  readonly first: string
  readonly unique: boolean
}

interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly first: string
  readonly target: string
}

/**
 * Tables of the fleet, not of a tenant: directories that are asked before a tenant is known, and what watchers share.
 */
const fleetTables = new Set([
  "address_directory",
  "block_order",
  "api_key_directory",
  "bursar_migration",
  "call_turn",
  "chain_block",
  "held_arrival",
  "provider_order_directory",
  "key_owner",
  "lease",
  "currency",
  "network",
  "network_lag",
  "network_status",
  "one_node_credit",
  "operator_audit",
  "operator_audit_seal",
  "operator_session",
  "quarantine",
  "rate_window",
  "solvency_node",
  "solvency_snapshot"
])

/** Keys and indexes of tenants' tables that rightly begin with something else, each with its reason. */
const exceptions: Readonly<Record<string, string>> = {
  tenant_slug_key: "a slug is given once among all tenants",
  address_earliest_watch: "a watcher reads its network over all tenants",
  address_watched_now: "a watcher reads its network over all tenants",
  deposit_detected: "a watcher reads its network over all tenants",
  deposit_standing: "a watcher reads its network over all tenants",
  wallet_transfer_detected: "a watcher reads its network over all tenants",
  wallet_transfer_standing: "a watcher reads its network over all tenants",
  wallet_transfer_transaction: "a watcher reads its network over all tenants",
  deposit_transaction: "a watcher reads its network over all tenants",
  backfill_unfinished: "a watcher reads its network over all tenants",
  backfill_due: "a watcher reads its network over all tenants",
  backfill_ended: "an operator looks at a network over all tenants",
  operation_amount: "an operator looks for an amount over all tenants",
  payout_destination: "an operator looks for a receiver over all tenants",
  deposit_age: "an operator sums up the arrivals of all tenants",
  webhook_attempt_age: "a worker removes the old attempts of all tenants",
  provider_call_age: "a worker removes the old calls of all tenants",
  address_held: "whoever reconciles reads the addresses of all tenants",
  deposit_unbooked: "whoever reconciles reads a network over all tenants",
  outbound_transaction_open: "whoever reconciles reads a network over all tenants",
  outbound_transaction_final: "whoever reconciles reads a network over all tenants",
  ledger_leg_at_provider: "whoever compares the books with a statement reads a provider over all tenants",
  operation_named_by_provider: "a statement names orders of any tenant by the provider's ids",
  operation_with_any_provider: "a statement names orders of any tenant by our ids",
  operation_with_provider: "whoever reconciles reads a provider over all tenants",
  operation_at_provider: "whoever reconciles reads a provider over all tenants",
  job_due: "a process takes what is due over all tenants",
  job_key: "a hint of a provider names no tenant"
}

describe("the schema distributes by tenant", () => {
  it.live("every table of a tenant has tenant_id, and it comes first in every index and unique key", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* client(url)
        const indexes = yield* sql<Index>`select t.relname as table, i.relname as index, x.indisunique as unique,
          pg_get_indexdef(x.indexrelid, 1, true) as first
        from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
        where t.relnamespace = 'public'::regnamespace order by t.relname, i.relname`
        const owned = indexes.filter(({ table }) => !fleetTables.has(table))
        assert.isAbove(owned.length, 20)
        assert.deepStrictEqual(
          owned.filter(({ first, index }) => first !== "tenant_id" && exceptions[index] === undefined),
          []
        )
        // an exception for something that is gone, or that needs none, hides the next mistake
        assert.deepStrictEqual(
          Object.keys(exceptions).filter(
            (name) => !owned.some(({ first, index }) => index === name && first !== "tenant_id")
          ),
          []
        )
        // only the slug may be unique over all tenants
        assert.deepStrictEqual(
          owned.filter(({ first, unique }) => unique && first !== "tenant_id").map(({ index }) => index),
          ["tenant_slug_key"]
        )
      })
    )
  )

  it.live("every foreign key between tables of a tenant begins with tenant_id on both sides", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* client(url)
        const keys = yield* sql<ForeignKey>`select c.conrelid::regclass::text as table, c.conname as name,
          (select attname from pg_attribute where attrelid = c.conrelid and attnum = c.conkey[1]) as first,
          (select attname from pg_attribute where attrelid = c.confrelid and attnum = c.confkey[1]) as target
        from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace`
        assert.isAbove(keys.length, 5)
        assert.deepStrictEqual(
          keys.filter(({ first, target }) => first !== "tenant_id" || target !== "tenant_id"),
          []
        )
      })
    )
  )

  it.live("every table has a primary key, and the tables of a tenant lead it with tenant_id", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* client(url)
        const tables = yield* sql<{ readonly table: string; readonly first: string | null }>`select t.relname as table,
          (select a.attname from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
            where c.conrelid = t.oid and c.contype = 'p') as first
        from pg_class t where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p')`
        assert.deepStrictEqual(
          tables.filter(({ first }) => first === null),
          []
        )
        assert.deepStrictEqual(
          tables
            .filter(({ first, table }) => (first === "tenant_id") === fleetTables.has(table))
            .map(({ table }) => table),
          []
        )
      })
    )
  )

  it.live("every CHECK has a name that says what it keeps", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* client(url)
        const checks = yield* sql<{ readonly name: string }>`select conname as name from pg_constraint
        where contype = 'c' and connamespace = 'public'::regnamespace`
        assert.isAbove(checks.length, 20)
        // what PostgreSQL names itself ends like this
        assert.deepStrictEqual(
          checks.filter(({ name }) => /_check\d*$/u.test(name)),
          []
        )
      })
    )
  )

  it.live("no table takes a value that no program can read, whoever writes it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* client(url)
        const columns = yield* sql<{ readonly place: string; readonly guard: string | null }>`
          select c.relname || '.' || a.attname as place, pg_get_constraintdef(k.oid) as guard
          from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          left join pg_constraint k on k.conrelid = c.oid and k.conname = left(c.relname, 54) || '_readable'
          where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'bursar_migration'
            and a.atttypid in ('timestamptz'::regtype, 'numeric'::regtype, 'int8'::regtype)`
        assert.isAbove(columns.length, 200)
        // a table that a migration adds, or a column, is guarded by `guardValues`
        const open = columns.filter(
          ({ guard, place }) => !new RegExp(`\\b${place.split(".")[1]}\\b`, "u").test(guard ?? "")
        )
        assert.deepStrictEqual(
          open.map(({ place }) => place),
          []
        )
        const id = crypto.randomUUID()
        const refused = Effect.fnUntraced(function* (statement: string) {
          const done = yield* Effect.exit(sql.unsafe(statement))
          assert.include(String(Exit.isFailure(done) && Cause.squash(done.cause)), "SqlError", statement)
          assert.isTrue(Exit.isFailure(done), statement)
        })
        const job = (due: string) =>
          `insert into job (tenant_id, queue, key, due_at) values ('${id}', 'q', 'k', ${due})`
        yield* refused(job("'infinity'"))
        yield* refused(job("'-infinity'"))
        // PostgreSQL knows later years than a `Date`
        yield* refused(job("'290000-01-01T00:00:00Z'"))
        const tenant = (policy: string, created = "now()") =>
          `insert into tenant (tenant_id, slug, name, kind, status, policy, created_at)
            values ('${id}', '${id}', 'x', 'LIVE', 'ACTIVE', '${policy}', ${created})`
        for (const policy of [
          '{"ipAllowlist":5}',
          '{"ipAllowlist":[["10.0.0.1"]]}',
          '{"ipAllowlist":[5]}',
          '"x"',
          "null"
        ])
          yield* refused(tenant(policy))
        yield* refused(tenant("{}", "'infinity'"))
        for (const policy of ['{"ipAllowlist":null}', "{}", '{"ipAllowlist":["10.0.0.1"]}'])
          yield* sql.withTransaction(
            Effect.andThen(sql.unsafe(tenant(policy)), sql`delete from tenant where tenant_id = ${id}`)
          )
      })
    )
  )
})
