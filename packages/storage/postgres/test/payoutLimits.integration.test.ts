import { migrate } from "@bursar/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { migrations } from "../src/migrations/all.ts"
import { payoutLimits } from "../src/migrations/payoutLimits.ts"
import { client } from "./client.ts"
import { emptyDatabase } from "./database.ts"

const hourMs = 3_600_000

describe("the step to one set of limits", () => {
  const older = emptyDatabase()
  it.live("keeps what payouts used, makes anew what withdrawals used, and ends the reviews of what is over", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* Effect.promise(() => older)
        const sql = yield* client(url)
        yield* sql`create table bursar_migration (migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
        for (const { id, name, statements } of migrations.filter((one) => one.id < payoutLimits.id)) {
          yield* Effect.forEach(statements(sql), (statement) => statement, { discard: true })
          yield* sql`insert into bursar_migration ${sql.insert({ migration_id: id, name })}`
        }
        const tenant = crypto.randomUUID()
        yield* sql`insert into tenant (tenant_id, slug, name, kind, status, policy, created_at)
          values (${tenant}, 'acme', 'Acme', 'LIVE', 'ACTIVE', '{}', now())`
        const now = Date.now() - (Date.now() % 300_000)
        const operation = (kind: string, status: string, agoHours: number, details: object) =>
          sql`insert into operation (tenant_id, operation_id, kind, status, currency, units, fee_currency, fee_units, acts_for,
              unresolved, details, created_at)
            values (${tenant}, ${crypto.randomUUID()}, ${kind}, ${status}, 'EUR', 1, 'EUR', 0, 'TENANT', false,
              ${JSON.stringify(details)}::json, ${new Date(now - agoHours * hourMs)})`
        yield* operation("WITHDRAWAL", "SETTLED", 48, { usd_cents: "700" })
        yield* operation("WITHDRAWAL", "ACCEPTED", 48, { usd_cents: "300" })
        yield* operation("WITHDRAWAL", "FAILED", 48, { usd_cents: "5000" })
        yield* operation("WITHDRAWAL", "SETTLED", 1000, { usd_cents: "9000" })
        yield* operation("CHAIN_PAYOUT", "FAILED", 1, { review: { state: "PENDING", by: null }, to: "x" })
        yield* operation("CHAIN_PAYOUT", "IN_REVIEW", 1, { review: { state: "PENDING", by: null } })
        const usage = (scope: string, cents: string) =>
          sql`insert into limit_usage (tenant_id, scope, buckets)
            values (${tenant}, ${scope}, ${JSON.stringify([{ from: now, cents }])}::json)`
        yield* usage("CHAIN_PAYOUT", "11")
        yield* usage("CHAIN_PAYOUT_NEW_ADDRESS", "7")
        yield* usage("WITHDRAWAL", "1")
        yield* usage("ADJUSTMENT", "5")

        yield* migrate({ url })
        const found = yield* sql<{
          readonly scope: string
          readonly buckets: unknown
        }>`select scope, buckets from limit_usage`
        assert.deepStrictEqual(Object.fromEntries(found.map(({ buckets, scope }) => [scope, buckets])), {
          PAYOUT: [{ from: now, cents: "11" }],
          PAYOUT_NEW_RECEIVER: [{ from: now, cents: "7" }],
          WITHDRAWAL: [{ from: now - 48 * hourMs, cents: "1000" }],
          ADJUSTMENT: [{ from: now, cents: "5" }]
        })
        const reviews = yield* sql<{ readonly status: string; readonly details: unknown }>`select status, details
          from operation where kind = 'CHAIN_PAYOUT' order by status`
        assert.deepStrictEqual(
          reviews.map(({ details, status }) => [status, details]),
          [
            ["FAILED", { review: { state: "REJECTED", by: null }, to: "x" }],
            ["IN_REVIEW", { review: { state: "PENDING", by: null } }]
          ]
        )
      })
    )
  )
})
