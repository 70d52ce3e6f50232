import { putRecord } from "@bursar/core/engine/Records"
import * as Writer from "@bursar/core/engine/Writer"
import { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Logger } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

layer(Writer.layer.pipe(Layer.provideMerge(ports())), { excludeTestServices: true })(
  "an operation of a kind or status that only a newer release knows",
  (it) => {
    it.effect(
      "is named in its place and logged, takes no other away from a list, and is no operation to decide on",
      () => {
        const logged: Array<string> = []
        return Effect.gen(function* () {
          const queries = yield* Queries
          const writer = yield* Writer.Writer
          const { id } = yield* newTenant()
          const put = (kind: "SWAP" | "WITHDRAWAL") =>
            writer.submit(
              id,
              writing((view) => [putRecord(Operation, bareOperation(view, { kind }))])
            )
          const made = [yield* put("SWAP"), yield* put("WITHDRAWAL"), yield* put("SWAP")].map(([one]) => one?.record)
          const ids = made.map((record) => (record as Operation).id) // `put` has put it
          const sql = yield* client(url)
          yield* sql`alter table operation drop constraint operation_kind_known`
          yield* sql`update operation set kind = 'MOON_LANDING' where operation_id = ${ids[1] ?? ""}`
          const query = { tenantId: id, order: "oldest", limit: 5 } as const
          const found = yield* queries.listedOperations(query)
          assert.deepStrictEqual(
            found.map((one) => [one.id, one.kind]),
            [
              [ids[0], "SWAP"],
              [ids[1], "MOON_LANDING"],
              [ids[2], "SWAP"]
            ]
          )
          assert.deepInclude(found[1], { tenantId: id, status: "ACCEPTED" })
          assert.isTrue(logged.some((line) => line.includes("operation.unreadable") && line.includes(ids[1] ?? "none")))
          assert.isTrue(Exit.isFailure(yield* Effect.exit(queries.operations(query))))
          yield* sql`update operation set kind = 'WITHDRAWAL' where operation_id = ${ids[1] ?? ""}`
          assert.deepStrictEqual(yield* queries.listedOperations(query), yield* queries.operations(query))
        }).pipe(
          Effect.scoped,
          Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))]))
        )
      }
    )
  }
)
