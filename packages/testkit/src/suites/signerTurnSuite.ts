import { SignerTurn, SignerTurnTaken } from "@bursar/core/port/SignerTurn"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer, Schedule } from "effect"
import { type Second, secondOf, type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

const is = (what: () => boolean) =>
  Effect.repeat(Effect.sync(what), { until: (so) => so, schedule: Schedule.spaced("50 millis") })

/** Settings of the suite of SignerTurn. */
export interface SignerTurnSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<SignerTurn>
  /** Takes every turn away as an outage would (a lost session, a lapsed lease); absent where none can be lost. */
  readonly lose?: Effect.Effect<void>
}

/** The tests of the suite. */
export const signerTurnTests = (it: SuiteIt<SignerTurn>, options: SignerTurnSuiteOptions): void => {
  const timeoutMs = timeoutOf(options)
  it.effect(
    "is one signer's; a second one is told so at its start, and has it once the first has ended",
    () =>
      Effect.gen(function* () {
        const { take } = yield* SignerTurn
        const other = yield* secondOf(SignerTurn, options.second)
        const first = yield* Effect.scoped(
          Effect.gen(function* () {
            const turn = yield* take
            const { isHeld, taken } = turn
            // each waits a little for one that is ending
            const refused = yield* Effect.all([take, other.take].map(Effect.flip), { concurrency: "unbounded" })
            for (const each of refused) assert.instanceOf(each, SignerTurnTaken)
            assert.isTrue(isHeld())
            assert.strictEqual(taken(), 1)
            return turn
          })
        )
        assert.isFalse(first.isHeld(), "its scope has closed")
        const next = yield* other.take
        assert.isTrue(next.isHeld())
        assert.isFalse(first.isHeld())
      }),
    timeoutMs
  )

  const { lose } = options
  if (lose !== undefined)
    it.effect(
      "is not held once it is lost, until it is taken again, which it tells",
      () =>
        Effect.gen(function* () {
          const { take } = yield* SignerTurn
          const { isHeld, taken } = yield* take
          const before = taken()
          yield* lose
          yield* is(() => !isHeld() || taken() > before)
          yield* is(isHeld)
          assert.isAbove(taken(), before)
        }),
      timeoutMs
    )
}

/** What every SignerTurn must do: one signer signs at a time. */
export const signerTurnSuite = <E>(
  name: string,
  layer: Layer.Layer<SignerTurn, E>,
  options: SignerTurnSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: SignerTurn`, (it) =>
    signerTurnTests(it, options)
  )
}
