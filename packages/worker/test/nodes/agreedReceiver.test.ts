import { ChainError } from "@bursar/core/port/Chain"
import type { Payment, Preflight } from "@bursar/core/port/ChainSender"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { agreedPreflight } from "../../src/nodes/agreedReceiver.ts"
import { askElsewhere } from "../../src/nodes/otherOperators.ts"
import { fakeNetwork } from "../fakeNetwork.ts"

const unpayable: Preflight = { _tag: "Unpayable", code: "address_invalid", message: "no" }
const payable: Preflight = { _tag: "Payable" }
const unreachable = new ChainError({ network: "ethereum", reason: "unreachable", doing: "ask", detail: "silent" })
const payment: Payment = { to: "0xreceiver", contract: null, units: 1n, memo: null }

/** Two operators' nodes, of which the second says that everybody can be paid, unless it is silent. */
const world = () => {
  const hands: { first: Preflight; isSilent: boolean } = { first: payable, isSilent: false }
  const events: Array<string> = []
  const { reader } = makeFakeChain({ network: "ethereum" })
  const { sender } = fakeNetwork({ network: "ethereum" })
  const first = { ...sender, preflight: () => Effect.sync(() => hands.first) }
  const second = {
    ...sender,
    preflight: () => Effect.suspend(() => (hands.isSilent ? Effect.fail(unreachable) : Effect.succeed(payable)))
  }
  const operators = new Map([["two", [{ name: "two", operator: "two", index: 1 }]]])
  const preflight = agreedPreflight({
    network: "ethereum",
    name: () => "one",
    ask: (question) => Effect.map(question(first), (answer) => ({ answer, index: 0 })),
    elsewhere: (index, question) =>
      askElsewhere(operators, index, 10_000, () => question({ reader, sender: second, operator: "two" }))
  })
  /** Asks once a minute for some minutes, and tells how often a person was called by then. */
  const callsAfter = Effect.fnUntraced(function* (minutes: number, asked: Payment = payment) {
    for (let n = 0; n < minutes; n++) {
      if (n > 0) yield* TestClock.adjust("1 minute")
      yield* Effect.result(preflight(asked))
    }
    return events.filter((event) => event === "transaction.receiver_disputed").length
  })
  return { callsAfter, hands, logged: Logger.layer([Logger.make(({ message }) => void events.push(String(message)))]) }
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

  it.effect("call a person although other assets can be paid to the receiver meanwhile", () => {
    const { callsAfter, hands, logged } = world()
    return Effect.gen(function* () {
      for (let n = 0; n < 5; n++) {
        hands.first = unpayable
        yield* callsAfter(1)
        hands.first = payable
        yield* callsAfter(1, { ...payment, contract: "0xtoken" })
        yield* TestClock.adjust("1 minute")
      }
      hands.first = unpayable
      assert.strictEqual(yield* callsAfter(1), 1)
    }).pipe(Effect.provide(logged))
  })
})
