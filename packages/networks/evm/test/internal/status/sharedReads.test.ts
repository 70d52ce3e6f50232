import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { payment, order, setup, signed } from "../../support/senderNode.ts"

/** Runs an effect, and says how often each of its spans was begun. */
const spansOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const counts = new Map<string, number>()
    const tracer = Tracer.make({
      span: (options) => {
        counts.set(options.name, (counts.get(options.name) ?? 0) + 1)
        return new Tracer.NativeSpan(options)
      }
    })
    yield* Effect.withTracer(effect, tracer)
    return counts
  })

const twenty = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.all(
    Array.from({ length: 20 }, () => effect),
    { concurrency: "unbounded", discard: true }
  )

describe("what transactions ask a node at the same moment", () => {
  it.live("reads the tip once for all that are followed", () =>
    Effect.gen(function* () {
      const { sender } = yield* setup()
      const counts = yield* spansOf(twenty(sender.status(order, [signed()])))
      assert.strictEqual(counts.get("EvmSender.status"), 20)
      assert.strictEqual(counts.get("EvmReader.tip"), 1)
    })
  )

  it.live("reads prices and the payer's balance once for all that are built", () =>
    Effect.gen(function* () {
      const { sender } = yield* setup()
      const counts = yield* spansOf(twenty(sender.build(payment())))
      assert.strictEqual(counts.get("EvmSender.build"), 20)
      assert.strictEqual(counts.get("EvmSender.readBalance"), 1)
      assert.strictEqual(counts.get("EvmSender.readGasPrices"), 1)
    })
  )
})
