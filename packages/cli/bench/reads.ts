import { Queries } from "@bursar/core/store/Queries"
import { Connection, layerConnection, migrate } from "@bursar/postgres"
import { layer as layerQueries } from "@bursar/postgres/Queries"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { pagesOf } from "./reads/pages.ts"
import { readsOf } from "./reads/reads.ts"
import { seed } from "./reads/seed.ts"

/** How often each read is timed, after it was carried out once. */
const rounds = 100

/** What a read costs: pages of the database, which no other work changes, and time. */
export interface ReadCost {
  readonly pages: number
  readonly medianMs: number
  readonly p99Ms: number
}

const fill = (url: string, operations: number) =>
  Effect.gen(function* () {
    yield* migrate({ url: Redacted.make(url) })
    yield* seed(yield* PgClient.PgClient, operations)
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), startupParameters: { statement_timeout: "0" } })))

const costs = (url: string, operations: number) =>
  Effect.gen(function* () {
    const { sql } = yield* Connection
    const timed = readsOf(yield* Queries, operations)
    // of their own: a read that is shared may still be on the session of the one that is counted
    const counted = readsOf(Context.get(yield* Layer.build(Layer.fresh(layerQueries)), Queries), operations)
    return yield* Effect.forEach(counted, ([name, watched], nth) =>
      Effect.gen(function* () {
        const { pages } = yield* pagesOf(sql, watched)
        const read = timed[nth]?.[1] ?? watched
        const times: Array<number> = []
        for (let n = 0; n < rounds; n++) {
          const started = performance.now()
          yield* read
          times.push(performance.now() - started)
        }
        times.sort((one, other) => one - other)
        const at = (share: number) => times[Math.floor(share * rounds)] ?? 0
        return { name, cost: { pages, medianMs: at(0.5), p99Ms: at(0.99) } satisfies ReadCost }
      })
    )
  }).pipe(
    Effect.scoped,
    Effect.provide(
      layerQueries.pipe(Layer.provideMerge(layerConnection({ url: Redacted.make(url), maxConnections: 4 })))
    )
  )

/** What every read costs in a database with few operations and in one with many. */
export const reads = Effect.fnUntraced(function* (
  [fewUrl, manyUrl]: readonly [string, string],
  [few, many]: readonly [number, number]
) {
  yield* fill(fewUrl, few)
  yield* fill(manyUrl, many)
  const small = yield* costs(fewUrl, few)
  const large = yield* costs(manyUrl, many)
  return large.flatMap(({ cost, name }, index) => {
    const before = small[index]
    return before === undefined ? [] : [{ name, few: before.cost, many: cost }]
  })
})
