import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Random } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { ledgerHolds, processOver, tick } from "../transactions/world.ts"
import { arrive, confirmed, custody, ledgerAgrees, movedOf, sweeping, sweepsOf } from "./world.ts"

/** Seconds between ledgers, with which a sweep closes. */
const ledgerEvery = 5

/**
 * Deposits of one currency come all the time, so that a sweep of it is open whenever anybody looks, and some of another one come in between: gives how many of
 * these were swept while the others came. In the end all has gone through, and the books are compared with the chain.
 */
const beside = Effect.fnUntraced(function* (
  often: { readonly currency: string; readonly units: bigint; readonly every: number; readonly toOne: boolean },
  seldom: { readonly currency: string; readonly units: bigint; readonly every: number }
) {
  const fake = fakeNetwork({ network: "stellar", charges: true })
  return yield* Effect.gen(function* () {
    yield* TestClock.setTime(1_700_000_000_000)
    const { addresses, id } = yield* custody("stellar", fake, 11)
    const [first, ...others] = addresses
    if (first === undefined) return assert.fail("none")
    yield* Effect.forkScoped(sweeping(fake, undefined, { reconsiderMs: 60_000 }))
    const came: Array<string> = []
    const until = 400
    for (let second = 1; second <= until; second++) {
      const one = others[second % others.length] ?? first
      if (second % often.every === 0)
        for (let n = 0; n < 3; n++)
          yield* confirmed(id, yield* arrive(id, fake, often.toOne ? first : one, often.currency, often.units))
      if (second % seldom.every === 0 && second <= until - 150)
        came.push((yield* confirmed(id, yield* arrive(id, fake, one, seldom.currency, seldom.units))).id)
      if (second % ledgerEvery === 0) fake.mine(yield* Clock.currentTimeMillis)
      yield* tick
    }
    const moved = new Set(movedOf(yield* sweepsOf(id)))
    for (let n = 0; n < 60; n++) {
      fake.mine(yield* Clock.currentTimeMillis)
      yield* tick
    }
    yield* ledgerAgrees("stellar", fake, id, addresses)
    yield* ledgerHolds(id)
    return { came: came.length, swept: came.filter((one) => moved.has(one)).length }
  }).pipe(Effect.provide(processOver(emptyState(), fake)), Random.withSeed("busy account"))
})

describe("a currency of a stellar account of which another one comes all the time", () => {
  it.effect("is swept beside one that is paid in more often", () =>
    Effect.gen(function* () {
      const often = { currency: "USDC_XLM", units: 5_000_000n, every: 2, toOne: false }
      const { came, swept } = yield* beside(often, { currency: "XLM", units: 500_000_000n, every: 60 })
      assert.strictEqual(swept, came)
    })
  )

  it.effect("is swept though a stranger pays tiny amounts to one address with each ledger", () =>
    Effect.gen(function* () {
      const often = { currency: "XLM", units: 100n, every: ledgerEvery, toOne: true }
      const { came, swept } = yield* beside(often, { currency: "USDC_XLM", units: 5_000_000n, every: 30 })
      assert.strictEqual(swept, came)
    })
  )
})
