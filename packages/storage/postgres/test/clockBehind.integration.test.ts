import * as Writer from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Tenants } from "@bursar/core/port/Tenants"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { createSwap } from "@bursar/core/swap/createSwap"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { layer as layerPostgres } from "@bursar/postgres"
import { adjust, looking, writing } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant, past, tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Logger } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()
const minute = 60_000
const isBehind = /the clock of this process is \d+ ms behind/u

/** What is run in a process whose clock is so far behind, and can be set meanwhile. */
const behind = <A, E, R>(by: number | { ms: number }, effect: Effect.Effect<A, E, R>) =>
  Clock.clockWith((real) => {
    const now = () => Date.now() - (typeof by === "number" ? by : by.ms)
    const clock: Clock.Clock = Object.create(real, {
      currentTimeMillisUnsafe: { value: now },
      currentTimeMillis: { value: Effect.sync(now) }
    })
    return Effect.provideService(effect, Clock.Clock, clock)
  })

/** A process of its own. */
const processOf = Layer.fresh(Layer.provideMerge(Writer.layer, layerPostgres({ url, maxConnections: 2 })))

const sees = looking([], (view) => view.now)

/** Why something could not be written. */
const causeOf = (error: { readonly _tag: string; readonly cause?: unknown }) =>
  error._tag === "StorageError" ? String(error.cause) : error._tag

/** A price as a server learns it at a moment, of coins of as many decimals. */
const request = (observedAt: number) => ({
  amount: of(1_000_000n, "USDC_BASE"),
  toCurrency: "USDT_ETH",
  customerId: null,
  pair: { minimum: null, step: null },
  rate: { price: { units: 1n, decimals: 0 }, source: "market", observedAt },
  defaultFees: [],
  currencies: defaultCurrencies
})

layer(processOf, { excludeTestServices: true })("a process whose clock is behind the database's", (it) => {
  it.effect("keeps no quoted price for longer than was promised", () =>
    Effect.gen(function* () {
      const { submit } = yield* Writer.Writer
      const { id } = yield* newTenant({ createdAt: past })
      const behindMs = 58 * minute
      const quotedAt = Date.now() - behindMs - minute
      const quoting = createQuote({
        ...request(quotedAt),
        provider: "fake",
        product: "SWAP",
        rail: null,
        country: null,
        networkFee: null,
        lifetimeMs: 2 * minute
      })
      // another process, whose clock was right
      const [, quote] = yield* Effect.provide(commitAt(id, quotedAt, adjust(5_000_000n, "USDC_BASE"), quoting), ports())
      const swap = createSwap({
        ...request(Date.now() - behindMs),
        madeBy: "maker",
        provider: { name: "fake", environment: "LIVE" },
        partnerReference: null,
        quoteId: (quote as { readonly id: string }).id // what the second command answers
      })
      assert.match(causeOf(yield* Effect.flip(behind(behindMs, submit(id, swap)))), isBehind)
    })
  )

  it.effect("writes nothing, is told why at once and not at each commit, and writes again once it is right", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(message))
      const seen: Array<number> = []
      const by = { ms: 60 * minute }
      yield* Effect.gen(function* () {
        const { submit } = yield* Writer.Writer
        const trying = submit(
          id,
          looking([], ({ now }) => seen.push(now))
        )
        for (let times = 0; times < 3; times++) assert.match(causeOf(yield* Effect.flip(trying)), isBehind)
        assert.deepStrictEqual(seen, [])
        by.ms = 0
        const before = Date.now()
        assert.isAtLeast(yield* submit(id, sees), before)
      }).pipe((process) => behind(by, process), Effect.provide(Layer.merge(processOf, Logger.layer([logger]))))
      assert.deepStrictEqual(lines.flat(), ["clock.behind"])
    })
  )

  it.effect("makes no tenant", () =>
    Effect.gen(function* () {
      const tenants = yield* Tenants
      const tenant = tenantRecord(Date.now() - minute)
      assert.match(causeOf(yield* Effect.flip(behind(minute, tenants.create(tenant)))), isBehind)
      assert.isUndefined(yield* tenants.byId(tenant.id))
    })
  )

  it.effect("schedules nothing that it would then take for due only when its own clock has come there", () =>
    Effect.gen(function* () {
      const { submit } = yield* Writer.Writer
      const jobs = yield* JobQueue
      const { id } = yield* newTenant({ createdAt: past })
      const order = writing((view) => [{ _tag: "Scheduled", queue: "q", key: "k", dueAt: view.now }])
      const by = { ms: 10 * minute }
      yield* Effect.gen(function* () {
        assert.match(causeOf(yield* Effect.flip(submit(id, order))), isBehind)
        assert.deepStrictEqual(yield* jobs.due("q", Date.now(), 10), [])
        // by as little as clocks differ, it is due for who scheduled it
        by.ms = 2_000
        yield* submit(id, order)
        assert.lengthOf(yield* jobs.due("q", yield* Clock.currentTimeMillis, 10), 1)
      }).pipe((process) => behind(by, process))
    })
  )

  it.effect("writes at its own moment where it is behind by as little as clocks differ", () =>
    Effect.gen(function* () {
      const { submit } = yield* Writer.Writer
      const { id } = yield* newTenant({ createdAt: past })
      const [before, behindMs] = [Date.now(), 2_000]
      const now = yield* behind(behindMs, submit(id, sees))
      assert.isAtLeast(now, before - behindMs)
      assert.isAtMost(now, Date.now() - behindMs)
    })
  )
})

layer(Layer.empty, { excludeTestServices: true })("a database whose clock is ahead for a while", (it) => {
  it.effect("takes no tenant along: nothing is written until it is right", () =>
    Effect.gen(function* () {
      const sql = yield* client(url)
      const { id } = yield* Effect.provide(newTenant({ createdAt: past }), ports())
      const [row] = yield* sql`select current_database() as name`
      const name = String(row?.["name"])
      yield* sql`create schema ahead`
      yield* sql.unsafe(`create function ahead.clock_timestamp() returns timestamptz
        language sql as 'select pg_catalog.clock_timestamp() + interval ''1 hour'''`)
      yield* sql.unsafe(`alter database "${name}" set search_path = ahead, public, pg_catalog`)
      const submitting = Effect.flatMap(Writer.Writer, ({ submit }) => submit(id, sees)).pipe(Effect.provide(processOf))
      assert.match(causeOf(yield* Effect.flip(submitting)), isBehind)
      yield* sql.unsafe(`alter database "${name}" reset search_path`)
      const now = yield* submitting
      assert.isAtMost(now, Date.now())
    })
  )
})
