import { WatchState } from "@bursar/core/store/WatchState"
import { dueBackfillsStatement } from "@bursar/postgres/watch/backfills"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

const putOff = 50_000
const due = 20

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

layer(ports(), { excludeTestServices: true, timeout: 120_000 })((it) => {
  it.effect("the searches of the past that are due are read alone, however many are put off", () =>
    Effect.gen(function* () {
      const sql = yield* client(url)
      const tenant = yield* newTenant({ createdAt: past })
      yield* sql`insert into backfill (tenant_id, backfill_id, network, addresses, from_time, created_at, due_at)
        select ${tenant.id}::uuid, gen_random_uuid(), 'ethereum', '[]', ${new Date(past)}, ${new Date(past)},
          case when n <= ${due} then null else ${new Date(past + 1_000)}::timestamptz end
        from generate_series(1, ${putOff + due}) n`
      yield* sql`analyze backfill`
      const rows = yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
        `explain (analyze, buffers, format json) ${dueBackfillsStatement}`,
        ["ethereum", new Date(past + 999), due + 1]
      )
      const plan = rows[0]?.["QUERY PLAN"][0]?.Plan
      assert.isDefined(plan)
      assert.deepStrictEqual(indexes(plan), ["backfill_due"])
      // root to leaf of the index, and the rows
      assert.isBelow((plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0), due * 5)
      assert.lengthOf(yield* (yield* WatchState).dueBackfills("ethereum", past + 999, due + 1), due)
    })
  )
})
