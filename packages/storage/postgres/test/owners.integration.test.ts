import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { WatchState } from "@bursar/core/store/WatchState"
import { ownersStatement } from "@bursar/postgres/watch/owned"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

const watched = 1_000_000
const asked = 200

interface Plan {
  readonly "Node Type": string
  readonly "Index Name"?: string
  readonly "Relation Name"?: string
  readonly "Shared Hit Blocks"?: number
  readonly "Shared Read Blocks"?: number
  readonly Plans?: ReadonlyArray<Plan>
}

const nodes = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`

describe("a directory of a million addresses", () => {
  layer(ports(), { excludeTestServices: true, timeout: 120_000 })((it) => {
    it.effect("is asked for 200 by their keys, however many there are", () =>
      Effect.gen(function* () {
        const sql = yield* client(url)
        yield* sql`insert into address_directory (address, network, tenant_id, address_id, claimed_at)
          select '0x' || lpad(to_hex(n), 40, '0'), 'ethereum', gen_random_uuid(), gen_random_uuid(), now()
          from generate_series(1, ${watched}) n`
        yield* sql`analyze address_directory`
        const addresses = Array.from({ length: asked }, (_, index) => addressOf(1 + index * 4_999))

        // the plan that a prepared statement keeps, whatever it is asked
        for (const mode of ["force_generic_plan", "force_custom_plan"]) {
          const [row] = yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`select set_config('plan_cache_mode', ${mode}, true)`
              return yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
                `explain (analyze, buffers, format json) ${ownersStatement}`,
                [addresses, ["base", "ethereum", "bsc"], "base"]
              )
            })
          )
          const plan = row?.["QUERY PLAN"][0]?.Plan
          assert.isDefined(plan)
          const scans = nodes(plan).filter(
            (node) => node["Relation Name"] === "address_directory" || node["Index Name"] !== undefined
          )
          assert.isAbove(scans.length, 0)
          for (const scan of scans) {
            assert.strictEqual(scan["Index Name"], "address_directory_pkey")
            assert.include(["Index Scan", "Index Only Scan", "Bitmap Index Scan"], scan["Node Type"])
          }
          // a few pages per address asked for: root to leaf of the index, and the row
          assert.isBelow((plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0), asked * 20)
        }

        const watch = yield* WatchState
        const found = yield* watch.owners(presetNetworks.siblings("base"), [...addresses, addressOf(watched + 1)])
        assert.deepStrictEqual(found.map(({ address }) => address).toSorted(), [...addresses].toSorted())
      })
    )
  })
})
