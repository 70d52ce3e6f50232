import { putRecord } from "@bursar/core/engine/Records"
import * as Writer from "@bursar/core/engine/Writer"
import { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { isReadable, type ListedOperation } from "@bursar/core/store/UnreadableOperation"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

layer(Writer.layer.pipe(Layer.provideMerge(ports())), { excludeTestServices: true })(
  "an operation of which somebody has changed the details",
  (it) => {
    for (const details of ['{"destination": 7}', '{"contradiction": 7}', "7"])
      it.effect(`is named, and takes no other away from what people look at: ${details}`, () =>
        Effect.gen(function* () {
          const queries = yield* Queries
          const writer = yield* Writer.Writer
          const { id: tenantId } = yield* newTenant()
          const ids: Array<string> = []
          for (let count = 0; count < 3; count += 1) {
            yield* writer.submit(
              tenantId,
              writing((view) => {
                const made = bareOperation(view, { kind: "WITHDRAWAL", status: "IN_REVIEW", provider: "kraken" })
                ids.push(made.id)
                return [putRecord(Operation, made)]
              })
            )
          }
          const sql = yield* client(url)
          yield* sql`update operation set details = ${details}::text::json where operation_id = ${ids[1]}::uuid`
          const told = (found: ReadonlyArray<ListedOperation>) =>
            new Map(found.map((one) => [one.id, isReadable(one)] as const))
          const expected = new Map(ids.map((id, index) => [id, index !== 1] as const))
          const page = { order: "newest", limit: 10 } as const
          assert.deepStrictEqual(
            told(yield* queries.listedRegister(tenantId, { status: "IN_REVIEW", limit: 10 })),
            expected
          )
          assert.deepStrictEqual(
            told(yield* queries.listedOperations({ ...page, tenantId, provider: "kraken" })),
            expected
          )
          const hits = yield* queries.search(ids, 10)
          assert.deepStrictEqual(told(hits.flatMap((hit) => (hit.by === "address" ? [] : [hit.operation]))), expected)
        }).pipe(Effect.scoped)
      )
  }
)
