import { bitcoinPlanner } from "@bursar/bitcoin/Planner"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { ledgerHolds, processOver, tick } from "../transactions/world.ts"
import { arrive, confirmed, custody, oneEach, sweeping, sweepsOf } from "./world.ts"

/** A wallet of its own for each tenant. */
const walletAt = (n: number): string => `bcrt1q${"qpzry9x8".charAt(n).repeat(37)}l`

describe("deposits that one sweep has no room for", () => {
  it.effect("are moved by others at once, and only those that are not worth it wait", () => {
    const fake = fakeNetwork({
      network: "bitcoin",
      charges: true,
      planner: (questions) => bitcoinPlanner({ ...questions, sweepUtxosMax: 2 })
    })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { addresses, id } = yield* custody("bitcoin", fake, 6)
      for (const [at, address] of addresses.entries())
        yield* confirmed(id, yield* arrive(id, fake, address, "BTC", at === 0 ? 1n : 50_000n))
      // nothing that is looked at again comes to its turn
      yield* Effect.forkScoped(sweeping(fake, undefined, { reconsiderMs: 86_400_000 }))
      for (let n = 0; n < 10; n++) yield* tick
      const sweeps = yield* sweepsOf(id)
      assert.deepStrictEqual(
        sweeps.map(({ units }) => units),
        Array.from({ length: 5 }, () => 50_000n)
      )
      assert.strictEqual(new Set(sweeps.map(({ sweepTransactionId }) => sweepTransactionId)).size, 3)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})

describe("deposits that came at different times", () => {
  for (const [what, network, currency, units, unitsLeast] of [
    ["bitcoin where none of them is worth a sweep of its own", "bitcoin", "BTC", 31n, {}],
    ["bitcoin where each is less than is moved at least", "bitcoin", "BTC", 100n, { BTC: 150n }],
    ["stellar where none of them is worth a sweep of its own", "stellar", "USDC_XLM", 20n, {}],
    ["stellar where each is less than is moved at least", "stellar", "USDC_XLM", 100n, { USDC_XLM: 150n }]
  ] as const)
    it.effect(`are moved together on ${what}`, () => {
      const fake = fakeNetwork({ network, charges: true })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { addresses, id } = yield* custody(network, fake, 2)
        yield* Effect.forkScoped(sweeping(fake, undefined, { reconsiderMs: 60_000, unitsLeast }))
        for (const address of addresses) {
          yield* confirmed(id, yield* arrive(id, fake, address, currency, units))
          for (let n = 0; n < 7; n++) yield* tick
        }
        assert.deepStrictEqual(yield* sweepsOf(id), [], "each was looked at by itself")
        for (let n = 0; n < 60; n++) yield* tick
        const sweeps = yield* sweepsOf(id)
        assert.deepStrictEqual(
          sweeps.map((sweep) => sweep.units),
          [units, units]
        )
        assert.strictEqual(new Set(sweeps.map(({ sweepTransactionId }) => sweepTransactionId)).size, 1)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })

  it.effect("are moved together on stellar where another currency of their account has no price", () => {
    const fake = fakeNetwork({ network: "stellar", charges: true })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { addresses, id } = yield* custody("stellar", fake, 3)
      const [first, other, late] = addresses
      if (first === undefined || other === undefined || late === undefined) return assert.fail("none was issued")
      const usd = (currency: string) => (currency === "USDC_XLM" ? null : oneEach(currency))
      yield* confirmed(id, yield* arrive(id, fake, first, "XLM", 50n))
      yield* confirmed(id, yield* arrive(id, fake, other, "USDC_XLM", 5_000n))
      yield* Effect.forkScoped(sweeping(fake, undefined, { reconsiderMs: 60_000 }, usd))
      for (let n = 0; n < 7; n++) yield* tick
      yield* confirmed(id, yield* arrive(id, fake, late, "XLM", 50n))
      for (let n = 0; n < 7; n++) yield* tick
      assert.deepStrictEqual(yield* sweepsOf(id), [], "each was looked at by itself")
      for (let n = 0; n < 120; n++) yield* tick
      assert.deepStrictEqual(
        (yield* sweepsOf(id)).map(({ currency, units }) => [currency, units]),
        [
          ["XLM", 50n],
          ["XLM", 50n]
        ]
      )
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})

describe("deposits of more tenants than one pass has room for", () => {
  it.effect("are looked at with those of the same tenant, and moved where they are worth it together", () => {
    const fake = fakeNetwork({ network: "bitcoin", charges: true })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const tenants: Array<TenantId> = []
      for (const from of [0, 2, 4]) {
        const { addresses, id } = yield* custody("bitcoin", fake, 2, {}, { from, address: walletAt(from) })
        for (const address of addresses) yield* confirmed(id, yield* arrive(id, fake, address, "BTC", 31n))
        tenants.push(id)
      }
      // one of each of the first two tenants is all that is read at first
      yield* Effect.forkScoped(sweeping(fake, undefined, { itemsPerPassMax: 2 }))
      for (let n = 0; n < 30; n++) yield* tick
      for (const id of tenants) {
        const sweeps = yield* sweepsOf(id)
        assert.deepStrictEqual(
          sweeps.map(({ units }) => units),
          [31n, 31n]
        )
        assert.strictEqual(new Set(sweeps.map(({ sweepTransactionId }) => sweepTransactionId)).size, 1)
        yield* ledgerHolds(id)
      }
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
