import * as Writer from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { Heads } from "@bursar/core/store/Heads"
import { createSwap } from "@bursar/core/swap/createSwap"
import { layer as layerPostgres } from "@bursar/postgres"
import { adjust, emitting, looking } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Logger } from "effect"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()
const minute = 60_000

/** What is run in a process whose clock is so far behind. */
const behind = <A, E, R>(behindMs: number, effect: Effect.Effect<A, E, R>) =>
  Clock.clockWith((real) => {
    const now = () => Date.now() - behindMs
    const clock: Clock.Clock = Object.create(real, {
      currentTimeMillisUnsafe: { value: now },
      currentTimeMillis: { value: Effect.sync(now) }
    })
    return Effect.provideService(effect, Clock.Clock, clock)
  })

/** A process of its own. */
const processOf = Layer.fresh(Layer.provideMerge(Writer.layer, layerPostgres({ url, maxConnections: 2 })))

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
      const refused = yield* Effect.flip(behind(behindMs, submit(id, swap)))
      assert.strictEqual(refused._tag === "Refusal" && refused.code, "quote_expired")
    })
  )

  it.effect("writes at no moment that is long over, is told why at once and not at each commit", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(message))
      const seen: Array<number> = []
      const sees = looking([], ({ now }) => seen.push(now))
      const before = Date.now()
      yield* Effect.flatMap(Writer.Writer, ({ submit }) =>
        Effect.repeat(behind(60 * minute, submit(id, sees)), { times: 2 })
      ).pipe(Effect.provide(Layer.merge(processOf, Logger.layer([logger]))))
      assert.isTrue(seen.every((moment, nth) => moment >= before - 5_000 && moment > (seen[nth - 1] ?? 0)))
      assert.lengthOf(seen, 3)
      assert.deepStrictEqual(lines.flat(), ["clock.behind"])
    })
  )

  it.effect("moves a tenant that was quiet within what followers of all tenants look at again", () =>
    Effect.gen(function* () {
      const heads = yield* Heads
      const { submit } = yield* Writer.Writer
      const [busy, quiet] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
      yield* submit(busy.id, emitting())
      const { newest } = yield* heads.read(Date.now(), 10)
      yield* behind(45_000, submit(quiet.id, emitting()))
      // `overlapMs` of the operators' stream
      const { moved } = yield* heads.read(newest - 30_000, 10)
      assert.deepInclude(moved, { tenantId: quiet.id, eventId: 1 })
    })
  )

  it.effect("writes at its own moment where it is behind by as little as clocks differ", () =>
    Effect.gen(function* () {
      const { submit } = yield* Writer.Writer
      const { id } = yield* newTenant({ createdAt: past })
      const [before, behindMs] = [Date.now(), 2_000]
      const now = yield* behind(
        behindMs,
        submit(
          id,
          looking([], (view) => view.now)
        )
      )
      assert.isAtLeast(now, before - behindMs)
      assert.isAtMost(now, Date.now() - behindMs)
    })
  )
})
