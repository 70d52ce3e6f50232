import { Storage } from "@bursar/core/engine/Storage"
import { Tenants } from "@bursar/core/port/Tenants"
import { layer as layerPostgres } from "@bursar/postgres"
import { adjust, contextAt, looking } from "@bursar/testkit/fixtures/commands"
import { newTenant, past, tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Logger } from "effect"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()
const hour = 3_600_000
const ahead = /the clock of this process is \d+ ms ahead/u

const sees = looking([{ _tag: "Balance", account: "float:available", currency: "ETH" }], (view) => ({
  now: view.now,
  units: view.balance("float:available", "ETH").units
}))

/** The lines that an effect logs. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => void lines.push(message))
    return Effect.map(Effect.provide(effect, Logger.layer([logger])), (answer) => ({ answer, lines: lines.flat() }))
  })

layer(layerPostgres({ url }), { excludeTestServices: true })(
  "a process whose clock is ahead of the database's",
  (it) => {
    it.effect("writes nothing, is told why at once and not at each commit, and takes no tenant's time along", () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const storage = yield* Storage
        const commit = Effect.suspend(() => storage.commit(id, [adjust(5n)], contextAt(Date.now() + hour)))
        const { answer: errors, lines } = yield* logged(Effect.all([Effect.flip(commit), Effect.flip(commit)]))
        for (const error of errors) assert.match(String(error._tag === "StorageError" && error.cause), ahead)
        assert.deepStrictEqual(lines, ["clock.ahead"])
        const now = Date.now()
        assert.deepStrictEqual(yield* storage.commit(id, [sees], contextAt(now)), [Exit.succeed({ now, units: 0n })])
      })
    )

    it.effect("makes no tenant, whose time would begin there", () =>
      Effect.gen(function* () {
        const tenants = yield* Tenants
        const tenant = tenantRecord(Date.now() + hour)
        assert.match(String((yield* Effect.flip(tenants.create(tenant))).cause), ahead)
        assert.isUndefined(yield* tenants.byId(tenant.id))
      })
    )

    it.effect(
      "writes where it is ahead by as little as clocks differ, or has waited for as little as a commit takes",
      () =>
        Effect.gen(function* () {
          const { id } = yield* newTenant({ createdAt: past })
          const storage = yield* Storage
          for (const off of [-15_000, 0, 2_000])
            assert.isTrue((yield* storage.commit(id, [adjust(1n)], contextAt(Date.now() + off))).every(Exit.isSuccess))
        })
    )

    it.effect("writes nothing at a moment that it took long ago, as one that was stopped meanwhile", () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const storage = yield* Storage
        const { answer: error, lines } = yield* logged(
          Effect.flip(storage.commit(id, [adjust(5n)], contextAt(Date.now() - 60_000)))
        )
        assert.match(String(error._tag === "StorageError" && error.cause), /it has waited for \d+ ms/u)
        // its clock is right
        assert.deepStrictEqual(lines, [])
        const now = Date.now()
        assert.deepStrictEqual(yield* storage.commit(id, [sees], contextAt(now)), [Exit.succeed({ now, units: 0n })])
      })
    )

    it.effect("writes all the same where tests allow any moment", () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: Date.now() + hour })
        const exits = yield* (yield* Storage).commit(id, [adjust(1n)], contextAt(Date.now() + hour))
        assert.isTrue(exits.every(Exit.isSuccess))
      }).pipe(Effect.provide(ports()))
    )
  }
)
