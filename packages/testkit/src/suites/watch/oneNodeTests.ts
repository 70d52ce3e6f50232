import { WatchState } from "@bursar/core/store/WatchState"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { takeFence } from "../../fixtures/fences.ts"
import { past } from "../../fixtures/tenants.ts"
import type { WatchStateIt } from "./ports.ts"

const minute = past - (past % 60_000)

/** How much was credited by the word of one node. */
export const oneNodeTests = (it: WatchStateIt, timeoutMs: number): void => {
  it.effect(
    "what is credited by the word of one node adds up by minute and currency, and is forgotten when told so",
    () =>
      Effect.gen(function* () {
        const state = yield* WatchState
        const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
        const [network, other] = [`tron_${crypto.randomUUID()}`, `tron_${crypto.randomUUID()}`]
        const credit = (currency: string, at: number, units: bigint) => ({ currency, minute: at, units })
        const next = minute + 60_000
        yield* state.countOneNodeCredits(fence, other, [credit("TRX", minute, 7n)], 0)
        yield* state.countOneNodeCredits(
          fence,
          network,
          [credit("USDT", minute, 10n ** 30n), credit("TRX", minute, 1n), credit("TRX", next, 5n)],
          0
        )
        yield* state.countOneNodeCredits(fence, network, [credit("TRX", minute, 2n)], minute)
        assert.deepStrictEqual(yield* state.oneNodeCredits(network, minute), [
          credit("TRX", minute, 3n),
          credit("USDT", minute, 10n ** 30n),
          credit("TRX", next, 5n)
        ])
        assert.deepStrictEqual(yield* state.oneNodeCredits(network, minute + 1), [credit("TRX", next, 5n)])
        yield* state.countOneNodeCredits(fence, network, [], next)
        assert.deepStrictEqual(yield* state.oneNodeCredits(network, 0), [credit("TRX", next, 5n)])
        assert.deepStrictEqual(yield* state.oneNodeCredits(other, 0), [credit("TRX", minute, 7n)])
      }),
    timeoutMs
  )

  it.effect(
    "whoever has been replaced counts nothing of it",
    () =>
      Effect.gen(function* () {
        const state = yield* WatchState
        const name = `test-${crypto.randomUUID()}`
        const old = yield* takeFence(name)
        yield* takeFence(name)
        const network = `tron_${crypto.randomUUID()}`
        const counting = state.countOneNodeCredits(old, network, [{ currency: "TRX", minute, units: 1n }], 0)
        assert.strictEqual((yield* Effect.flip(counting))._tag, "Fenced")
        assert.deepStrictEqual(yield* state.oneNodeCredits(network, 0), [])
      }),
    timeoutMs
  )
}
