import { SignerTurn, SignerTurnTaken } from "@bursar/core/port/SignerTurn"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

/** What every SignerTurn must do: one signer signs at a time. */
export const signerTurnSuite = <E>(
  name: string,
  layer: Layer.Layer<SignerTurn, E>,
  options: SuiteOptions = {}
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: SignerTurn`, (it) => {
    it.effect("is one signer's; a second one is told so at its start, and has it once the first has ended", () =>
      Effect.gen(function* () {
        const { take } = yield* SignerTurn
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { isHeld, taken } = yield* take
            assert.instanceOf(yield* Effect.flip(take), SignerTurnTaken)
            assert.isTrue(isHeld())
            assert.strictEqual(taken(), 1)
          })
        )
        const next = yield* take
        assert.isTrue(next.isHeld())
      })
    )
  })
}
