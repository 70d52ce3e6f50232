import { putRecord } from "@bursar/core/engine/Records"
import { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { openSuspense } from "../src/migrations/openSuspense.ts"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

describe("what came for an ON_RAMP and went back in part", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("is open where the rest stands in suspense, and nowhere else, and its provider is asked", () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const view = { newId: () => crypto.randomUUID(), now: past, tenant }
        const arrived = { arrived: "9000", arrived_currency: "USD" }
        const of = (details: Operation<"ON_RAMP">["details"], more: Partial<Operation> = {}) =>
          bareOperation(view, { kind: "ON_RAMP", status: "RETURNED", details: { ...arrived, ...details }, ...more })
        const first = of({ suspended: true, returned: "4000" })
        // each with whether it is open afterwards
        const all: ReadonlyArray<readonly [Operation, boolean]> = [
          [first, true],
          // more than is left in suspense: an adjustment has credited it
          [of({ suspended: true, returned: "3999" }), false],
          [of({ suspended: true, returned: "4000", arrived_currency: "GBP" }), false],
          [of({ suspended: true, returned: "9000" }), false],
          [of({ suspended: true }), false],
          [of({ suspended: false, placed: true, returned: "4000" }), false],
          [of({ returned: "4000" }), false],
          [of({ suspended: false, placed: true }, { status: "SETTLED" }), false]
        ]
        const leg = { currency: "USD", units: 5_000n, what: "principal" } as const
        yield* commitAt(
          tenant.id,
          past,
          writing(
            () => [
              ...all.map(([one]) => putRecord(Operation, one)),
              {
                _tag: "Posted",
                operationId: first.id,
                legs: [
                  { ...leg, account: "bank", direction: "DEBIT" },
                  { ...leg, account: "suspense", direction: "CREDIT" }
                ],
                happened: true
              }
            ],
            (["bank", "suspense:bank", "suspense"] as const).map((account) => ({
              _tag: "Balance",
              account,
              currency: "USD"
            }))
          )
        )
        const sql = yield* client(url)
        for (const _ of ["once", "and again, which changes nothing"]) {
          yield* Effect.forEach(openSuspense.statements(sql), (statement) => statement, { discard: true })
          const queries = yield* Queries
          for (const [one, unresolved] of all)
            assert.deepStrictEqual(yield* queries.operation(tenant.id, one.id), { ...one, unresolved })
          const jobs = yield* sql`select key from job where tenant_id = ${tenant.id} and queue = ${transferQueue}`
          assert.deepStrictEqual(
            jobs.map(({ key }) => key),
            [first.id]
          )
        }
      }).pipe(Effect.scoped)
    )
  })
})
