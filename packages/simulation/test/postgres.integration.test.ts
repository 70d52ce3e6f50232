import * as TestDatabase from "@bursar/simulator-postgres/TestDatabase"
import { postgresUrl } from "@bursar/simulator-postgres/testing/postgresUrl"
import { layerOver } from "@bursar/memory"
import { Tenants } from "@bursar/core/port/Tenants"
import { layer, migrate } from "@bursar/postgres"
import { migrations } from "@bursar/postgres/migrations/all"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Redacted } from "effect"
import { judgeBooks } from "../src/judge/judge.ts"
import { runWorld } from "../src/run/runWorld.ts"
import type { WorldOptions } from "../src/world/World.ts"
import type { Noted } from "../src/stored/noting.ts"
import { readAll } from "../src/stored/readAll.ts"
import { repeatOn } from "../src/stored/repeatOn.ts"

/** The ports over a database of its own with the service's schema. */
const ports = Effect.map(
  TestDatabase.make(postgresUrl(), {
    name: `bursar_${migrations.length}`,
    prepare: (url) => Effect.asVoid(migrate({ url: Redacted.make(url) }))
  }),
  ({ url }) =>
    Layer.merge(
      // a world has a time of its own
      layer({ url: Redacted.make(url), maxConnections: 2, applicationName: "bursar-test", anyMoment: true }),
      Logger.layer([])
    )
)

/** A world that is right, and all that it has written. */
const lived = Effect.fnUntraced(function* (options: WorldOptions) {
  const history: Array<Noted> = []
  const { violations, world } = yield* runWorld({ ...options, noted: (one) => void history.push(one) })
  assert.deepStrictEqual(violations, [])
  return { history, world }
})

const worlds = Number(process.env["POSTGRES_WORLDS"] ?? "3")

describe("PostgreSQL", () => {
  for (let seed = 1; seed <= worlds; seed++)
    it.live(
      `takes all that a world writes, answers and shows what the memory does, and has right books in the end (world ${seed})`,
      () =>
        Effect.gen(function* () {
          const { history, world } = yield* lived({ seed })
          assert.isAbove(history.length, 50)
          yield* Effect.gen(function* () {
            assert.isUndefined(yield* repeatOn(history))
            const { tenants } = yield* (yield* Tenants).list
            assert.strictEqual(tenants.length, world.config.tenants)
            const kinds = new Set(history.flatMap((one) => (one._tag === "Commit" ? [...one.kinds] : [])))
            for (const { id } of tenants) {
              assert.deepStrictEqual(yield* judgeBooks(world, id), [])
              const [here, there] = [
                yield* Effect.provide(readAll(id, kinds), layerOver(world.state)),
                yield* readAll(id, kinds)
              ]
              assert.isAbove(here.size, 100)
              for (const [what, found] of here) assert.deepStrictEqual(there.get(what), found, what)
            }
          }).pipe(Effect.provide(yield* ports))
        }).pipe(Effect.scoped),
      120_000
    )

  it.live(
    "is told apart from a storage that answers otherwise, or that refuses what was written",
    () =>
      Effect.gen(function* () {
        const { history } = yield* lived({ seed: 5, activeMs: 20_000 })
        const last = history.findLast((one) => one._tag === "Commit" && one.ids.length > 0)
        assert.exists(last)
        const otherwise = (other: (one: Noted) => Noted) => history.map((one) => (one === last ? other(one) : one))
        const differences = [
          otherwise((one) => (one._tag === "Commit" ? { ...one, replies: one.replies?.map(() => Exit.void) } : one)),
          otherwise((one) => (one._tag === "Commit" ? { ...one, ids: one.ids.map(() => "no id at all") } : one))
        ]
        const place = `write ${history.indexOf(last)}, `
        for (const history of differences) {
          const told = yield* Effect.provide(repeatOn(history), yield* ports)
          assert.strictEqual(told?.slice(0, place.length), place)
        }
      }).pipe(Effect.scoped),
    120_000
  )
})
