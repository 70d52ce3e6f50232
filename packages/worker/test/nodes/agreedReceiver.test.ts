import type { Payment, Preflight } from "@bursar/core/port/ChainSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { agreedPreflight } from "../../src/nodes/agreedReceiver.ts"
import { operated, payment, unreachable } from "./operatedNodes.ts"

const unpayable: Preflight = { _tag: "Unpayable", code: "address_invalid", message: "no" }
const payable: Preflight = { _tag: "Payable" }

/** A node that says of a receiver what it is told to, and one that says that everybody can be paid, unless it is silent. */
const world = () => {
  const hands: { first: Preflight; isSilent: boolean } = { first: payable, isSilent: false }
  const { calls, logged, several } = operated({
    first: { preflight: () => Effect.sync(() => hands.first) },
    second: {
      preflight: () => Effect.suspend(() => (hands.isSilent ? Effect.fail(unreachable) : Effect.succeed(payable)))
    }
  })
  const preflight = agreedPreflight(several)
  /** Asks once a minute for some minutes, and tells how often a person was called by then. */
  const callsAfter = Effect.fnUntraced(function* (minutes: number, asked: Payment = payment) {
    for (let n = 0; n < minutes; n++) {
      if (n > 0) yield* TestClock.adjust("1 minute")
      yield* Effect.result(preflight(asked))
    }
    return calls()
  })
  return { callsAfter, hands, logged }
}

describe("nodes that contradict each other about a receiver", () => {
  it.effect("call a person once, after two minutes", () => {
    const { callsAfter, hands, logged } = world()
    return Effect.gen(function* () {
      hands.first = unpayable
      assert.strictEqual(yield* callsAfter(2), 0)
      assert.strictEqual(yield* callsAfter(2), 1)
      assert.strictEqual(yield* callsAfter(9), 1)
    }).pipe(Effect.provide(logged))
  })

  it.effect("call nobody for a moment, a day after another that ended", () => {
    const { callsAfter, hands, logged } = world()
    return Effect.gen(function* () {
      hands.first = unpayable
      yield* callsAfter(1)
      hands.first = payable
      yield* callsAfter(1)
      yield* TestClock.adjust("1 day")
      hands.first = unpayable
      assert.strictEqual(yield* callsAfter(1), 0)
    }).pipe(Effect.provide(logged))
  })

  it.effect("call a person again when they do so anew", () => {
    const { callsAfter, hands, logged } = world()
    return Effect.gen(function* () {
      hands.first = unpayable
      assert.strictEqual(yield* callsAfter(5), 1)
      hands.first = payable
      yield* callsAfter(1)
      hands.first = unpayable
      assert.strictEqual(yield* callsAfter(5), 2)
    }).pipe(Effect.provide(logged))
  })

  it.effect("call a person again where nobody has asked for a day how an earlier dispute ended", () => {
    const { callsAfter, hands, logged } = world()
    return Effect.gen(function* () {
      hands.first = unpayable
      assert.strictEqual(yield* callsAfter(5), 1)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* callsAfter(2), 1)
      assert.strictEqual(yield* callsAfter(3), 2)
    }).pipe(Effect.provide(logged))
  })

  it.effect("call a person also where they are asked every ten minutes only", () => {
    const { callsAfter, hands, logged } = world()
    return Effect.gen(function* () {
      hands.first = unpayable
      assert.strictEqual(yield* callsAfter(1), 0)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* callsAfter(1), 1)
    }).pipe(Effect.provide(logged))
  })

  it.effect("call nobody at once where the second was silent for long before", () => {
    const { callsAfter, hands, logged } = world()
    return Effect.gen(function* () {
      hands.first = unpayable
      hands.isSilent = true
      yield* callsAfter(9)
      hands.isSilent = false
      assert.strictEqual(yield* callsAfter(2), 0)
      assert.strictEqual(yield* callsAfter(2), 1)
    }).pipe(Effect.provide(logged))
  })

  const others: Readonly<Record<string, Payment>> = {
    "other assets": { ...payment, contract: "0xtoken" },
    "other amounts": { ...payment, units: 2n },
    "payments with another memo": { ...payment, memo: { type: "id", value: "7" } }
  }
  for (const [what, other] of Object.entries(others))
    it.effect(`call a person although ${what} can be paid to the receiver meanwhile`, () => {
      const { callsAfter, hands, logged } = world()
      return Effect.gen(function* () {
        for (let n = 0; n < 5; n++) {
          hands.first = unpayable
          yield* callsAfter(1)
          hands.first = payable
          yield* callsAfter(1, other)
          yield* TestClock.adjust("1 minute")
        }
        hands.first = unpayable
        assert.strictEqual(yield* callsAfter(1), 1)
      }).pipe(Effect.provide(logged))
    })
})
