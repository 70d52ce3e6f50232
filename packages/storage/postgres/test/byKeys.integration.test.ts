import { Operation } from "@bursar/core/operation/Operation"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { mappedRecords } from "@bursar/postgres/table/recordTables"
import type { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "../src/internal/Table.ts"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

const tenantId = TenantId("d0000000-0000-4000-8000-000000000001")

const there = 20_000
const asked = 30

interface Plan {
  readonly "Index Name"?: string
  readonly "Shared Hit Blocks"?: number
  readonly "Shared Read Blocks"?: number
  readonly Plans?: ReadonlyArray<Plan>
}

const indexes = (plan: Plan): ReadonlyArray<string> => [
  ...(plan["Index Name"] === undefined ? [] : [plan["Index Name"]]),
  ...(plan.Plans ?? []).flatMap(indexes)
]

/** The plan of a statement in a session as those of commits are, carried out. */
const explained = (
  sql: PgClient.PgClient,
  mode: "force_generic_plan" | "force_custom_plan",
  { parameters, sql: text }: Statement
): Effect.Effect<Plan | undefined, SqlError> =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select set_config('plan_cache_mode', ${mode}, true)`
      for (const way of ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"])
        yield* sql`select set_config(${way}, 'off', true)`
      const rows = yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
        `explain (analyze, buffers, format json) ${text}`,
        parameters
      )
      return rows[0]?.["QUERY PLAN"][0]?.Plan
    })
  )

layer(ports(), { excludeTestServices: true, timeout: 120_000 })((it) => {
  it.effect(
    "operations that a commit asks for are looked up by their ids, on a table that nobody has analysed yet",
    () =>
      Effect.gen(function* () {
        const sql = yield* client(url)
        const ids = Array.from({ length: asked }, () => crypto.randomUUID())
        const statement = mappedRecords.find(({ of }) => of.name === Operation.name)?.byKeys(tenantId, ids)
        assert.isDefined(statement)
        yield* sql`alter table operation set (autovacuum_enabled = false)`
        yield* sql.unsafe(`insert into operation (tenant_id, operation_id, kind, status, currency, units, fee_currency, fee_units,
          acts_for, network, unresolved, details, created_at, settled_at)
        select '${tenantId}', gen_random_uuid(), 'CHAIN_PAYOUT', 'ACCEPTED', 'USDC_ETH', 1, 'USDC_ETH', 0, 'TENANT', 'ethereum',
          false, '{}', now(), null from generate_series(1, ${there})`)
        // the plan that a prepared statement keeps, whatever it is asked
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
          const plan: Plan | undefined = yield* explained(sql, mode, statement)
          assert.isDefined(plan)
          assert.deepStrictEqual(indexes(plan), ["operation_pkey"])
          // root to leaf for each, however many there are
          assert.isBelow((plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0), asked * 10)
        }
      })
  )
})
