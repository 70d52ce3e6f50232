import { ChainError } from "@bursar/core/port/Chain"
import {
  CannotBuild,
  type ChainSender,
  type Payment,
  type Preflight,
  type SendOrder
} from "@bursar/core/port/ChainSender"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { agreedBuild, agreedPreflight } from "../../src/nodes/agreedReceiver.ts"
import { askElsewhere } from "../../src/nodes/otherOperators.ts"
import type { SeveralNodes } from "../../src/nodes/SeveralNodes.ts"
import { fakeNetwork } from "../fakeNetwork.ts"

const unpayable: Preflight = { _tag: "Unpayable", code: "address_invalid", message: "no" }
const payable: Preflight = { _tag: "Payable" }
const unreachable = new ChainError({ network: "ethereum", reason: "unreachable", doing: "ask", detail: "silent" })
const payment: Payment = { to: "0xreceiver", contract: null, units: 1n, memo: null }

/** Nodes of two operators, which say what they are given to say, and how often a person was called. */
const operated = ({ first, second }: Readonly<Record<"first" | "second", Partial<ChainSender>>>) => {
  const events: Array<string> = []
  const { reader } = makeFakeChain({ network: "ethereum" })
  const { sender } = fakeNetwork({ network: "ethereum" })
  const operators = new Map([["two", [{ name: "two", operator: "two", index: 1 }]]])
  const several: SeveralNodes = {
    network: "ethereum",
    name: () => "one",
    ask: (question) => Effect.map(question({ ...sender, ...first }), (answer) => ({ answer, index: 0 })),
    elsewhere: (index, question) =>
      askElsewhere(operators, index, 10_000, () =>
        question({ reader, sender: { ...sender, ...second }, operator: "two" })
      )
  }
  const calls = () => events.filter((event) => event === "transaction.receiver_disputed").length
  return { calls, logged: Logger.layer([Logger.make(({ message }) => void events.push(String(message)))]), several }
}

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

const order: SendOrder = {
  ...{ from: "0xwallet", guard: { _tag: "Sequence", account: "0xwallet", sequence: 0n }, payments: [payment] },
  ...{ validUntil: 0, salt: 1, drain: false, replacing: null }
}

const cannot = (reason: CannotBuild["reason"]) =>
  new CannotBuild({ network: "ethereum", reason, detail: `for ${reason}`, missing: null })

/** A payment that a node does not build because of its receiver, and that one of another operator does not build for a reason, or builds. */
const building = (reason: CannotBuild["reason"] | undefined) => {
  const { logged, several, calls } = operated({
    first: { build: () => Effect.fail(cannot("destination_invalid")) },
    second: {
      build: () =>
        reason === undefined
          ? Effect.succeed({ bytes: new Uint8Array(), feeMax: 1n, payments: order.payments, validUntil: null })
          : Effect.fail(cannot(reason))
    }
  })
  return { calls, logged, builds: agreedBuild(several)(order) }
}

describe("a node that cannot build a payment for a reason that says nothing of its receiver", () => {
  for (const reason of ["insufficient_wallet", "fee_capped", "asset_blocked"] as const) {
    it.effect(`neither contradicts nor confirms that the receiver cannot be paid (${reason})`, () => {
      const { builds, calls, logged } = building(reason)
      return Effect.gen(function* () {
        for (let n = 0; n < 2; n++) {
          const refused = yield* Effect.flip(builds)
          assert.deepInclude(refused, { _tag: "ChainError", reason: "unreachable" })
          assert.include(refused.message, reason)
          yield* TestClock.adjust("1 minute")
        }
        const { detail, ...late } = yield* Effect.flip(builds)
        assert.include(detail, reason)
        assert.deepInclude(late, { _tag: "CannotBuild", reason: "node_unreadable", retryAfterMs: 120_000 })
        assert.strictEqual(calls(), 0)
      }).pipe(Effect.provide(logged))
    })
  }

  it.effect("has it tried again the later, the longer that lasts, and every hour in the end", () => {
    const { builds, logged } = building("fee_capped")
    return Effect.gen(function* () {
      yield* Effect.flip(builds)
      for (const hours of [0.5, 1, 1]) {
        yield* TestClock.adjust(hours * 3_600_000)
        const retryAfterMs = hours * 3_600_000
        assert.deepInclude(yield* Effect.flip(builds), { reason: "node_unreadable", retryAfterMs })
      }
    }).pipe(Effect.provide(logged))
  })

  it.effect("contradicts it where it can build it, and confirms it where it says so too", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* Effect.flip(building(undefined).builds), { reason: "inconsistent" })
      assert.deepInclude(yield* Effect.flip(building("destination_invalid").builds), { _tag: "CannotBuild" })
    })
  )
})
