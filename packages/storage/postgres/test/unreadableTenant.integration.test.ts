import { checkAll } from "@bursar/core/checker/checkAll"
import { readableRows } from "@bursar/core/checker/checkTenant"
import { Tenants } from "@bursar/core/port/Tenants"
import { everyTenant } from "@bursar/core/port/TenantList"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

layer(ports(), { excludeTestServices: true })("a tenant whose row somebody has made unreadable", (it) => {
  it.effect("is named and logged, keeps nobody from the others, and is never taken for one that is not there", () => {
    const logged: Array<string> = []
    return Effect.gen(function* () {
      const { list } = yield* Tenants
      const whole = yield* newTenant()
      const broken = yield* newTenant()
      const sql = yield* client(url)
      yield* sql`alter table tenant drop constraint tenant_status_known`
      yield* sql`update tenant set status = 'ACTIV' where tenant_id = ${broken.id}`
      const { tenants, unreadable } = yield* list
      assert.deepStrictEqual(
        tenants.map(({ id }) => id),
        [whole.id]
      )
      assert.deepStrictEqual(
        unreadable.map(({ id }) => id),
        [broken.id]
      )
      assert.isTrue(logged.some((line) => line.includes("tenant.unreadable") && line.includes(broken.id)))
      // what needs all of them does not go on without one
      const failed = yield* Effect.flip(everyTenant(list))
      assert.include(failed.message, broken.id)
      // and the books are not in order
      const wrong = (yield* checkAll(tenants, { unreadable })).filter(({ firstWrong }) => firstWrong !== null)
      assert.deepStrictEqual(
        wrong.map(({ invariant }) => invariant),
        [readableRows.name]
      )
      assert.include(wrong[0]?.firstWrong ?? "", broken.id)
    }).pipe(
      Effect.scoped,
      Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))]))
    )
  })
})
