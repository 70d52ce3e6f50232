import { Queries } from "@bursar/core/store/Queries"
import { Connection, layerConnection, migrate } from "@bursar/postgres"
import { layer as layerQueries } from "@bursar/postgres/Queries"
import { TestDatabase } from "@bursar/simulator-postgres"
import { postgresUrl } from "@bursar/simulator-postgres/testing/postgresUrl"
import { migrations } from "@bursar/postgres/migrations/all"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { pagesOf } from "../bench/reads/pages.ts"
import { readsOf } from "../bench/reads/reads.ts"
import { seed } from "../bench/reads/seed.ts"

const few = 2_000

const times = 10

/**
 * Pages that a read may touch beyond its share: one more level of each of some indexes, whose depth grows with the logarithm, and another way
 * of the planner's to the same few rows. Reading what grows would take hundreds.
 */
const morePages = 30

/** How many pages each read touches, in a database with so many operations. */
const pages = Effect.fnUntraced(function* (operations: number) {
  const { url } = yield* TestDatabase.make(postgresUrl(), {
    name: `bursar_${migrations.length}`,
    prepare: (empty) => Effect.asVoid(migrate({ url: Redacted.make(empty) }))
  })
  return yield* Effect.gen(function* () {
    const { sql } = yield* Connection
    yield* seed(sql, operations)
    const queries = yield* Queries
    return yield* Effect.forEach(readsOf(queries, operations), ([name, read]) =>
      Effect.map(pagesOf(sql, read), (found) => ({ name, ...found }))
    )
  }).pipe(
    Effect.provide(
      layerQueries.pipe(Layer.provideMerge(layerConnection({ url: Redacted.make(url), maxConnections: 4 })))
    )
  )
}, Effect.scoped)

describe("reads", () => {
  it.live(
    `touch as many pages of ${few * times} operations as of ${few}`,
    () =>
      Effect.gen(function* () {
        const [small, large] = yield* Effect.all([pages(few), pages(few * times)], { concurrency: 2 })
        const grown = large.flatMap(({ name, pages: now }, index) => {
          const before = small[index]?.pages ?? 0
          return now > 1.5 * before + morePages ? [`${name}: ${now} pages, ${before} of a tenth`] : []
        })
        assert.deepStrictEqual(grown, [])
        assert.isAbove(large.length, 40)
      }),
    { timeout: 60_000 }
  )
})
