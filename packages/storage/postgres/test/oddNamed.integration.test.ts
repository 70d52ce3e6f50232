import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { namedIn } from "@bursar/core/granting/namedIn"
import { Queries } from "@bursar/core/store/Queries"
import { emitting } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

describe("an event whose JSON names an address that no text of the database can be", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("has an address without records, for it is looked at before all events behind it", () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        yield* commitAt(tenant.id, past, emitting({ address: "a", network: "ethereum" }, "deposit.detected"))
        const sql = yield* client(url)
        yield* sql.unsafe(
          `update event set data = '{"address":"a\\u0000","network":"ethereum"}'::json where tenant_id = '${tenant.id}'`
        )
        const [row] = yield* sql<{ data: never }>`select data from event where tenant_id = ${tenant.id}`
        const [named] = namedIn({ data: row?.data } as never)
        assert.strictEqual(named?.address, "a\u0000")
        const found = yield* Effect.exit((yield* Queries).records(tenant.id, DepositAddress, named?.address ?? ""))
        assert.strictEqual(found._tag, "Success", String(found))
      })
    )
  })
})
