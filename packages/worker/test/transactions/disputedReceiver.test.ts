import { CannotBuild, type ChainSender } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Lie, twoOperators } from "./twoOperators.ts"
import {
  allOver,
  ledgerHolds,
  mineUntil,
  operationsOf,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  tick,
  timesPaid
} from "./world.ts"

const invalid = new CannotBuild({
  network: "ethereum",
  reason: "destination_invalid",
  detail: "it reverts",
  missing: null
})

/** What a node says of a receiver that can be paid, when it is asked about it and when it builds the transaction. */
const lies = {
  preflight: () => Effect.succeed({ _tag: "Unpayable", code: "address_invalid", message: "the issuer has blocked it" }),
  build: () => Effect.fail(invalid)
} as const satisfies Partial<ChainSender>

/** A node that lies in one answer for as long as it is told to. */
const lying =
  (question: keyof typeof lies, hands: { lies: boolean }): Lie =>
  (honest) =>
    question === "preflight"
      ? { preflight: (payment) => (hands.lies ? lies.preflight() : honest.preflight(payment)) }
      : { build: (order) => (hands.lies ? lies.build() : honest.build(order)) }

const endsNoPayout = (question: keyof typeof lies) => {
  const hands = { lies: true }
  const { events, fake, logged } = twoOperators("ethereum", lying(question, hands))
  return Effect.gen(function* () {
    yield* TestClock.setTime(1_700_000_000_000)
    const { id } = yield* payer("ethereum", fake)
    yield* Effect.forkScoped(Effect.provide(sending(fake), logged))
    const made = [yield* pay(id, "ethereum", 1), yield* pay(id, "ethereum", 2)]
    for (let n = 0; n < 60; n++) yield* tick
    assert.notInclude(events, "transaction.receiver_disputed", "a node may be a block behind")
    for (let n = 0; n < 120; n++) yield* tick
    assert.strictEqual(events.filter((event) => event === "transaction.receiver_disputed").length, 2)
    for (const { status } of yield* operationsOf(id, made)) assert.notInclude(["FAILED", "SETTLED"], status)
    hands.lies = false
    yield* mineUntil(fake, "both are over", allOver(id, made))
    for (const n of [1, 2]) assert.strictEqual(timesPaid(fake, receiver("ethereum", n)), 1)
    yield* ledgerHolds(id)
  }).pipe(Effect.provide(processOver(emptyState(), fake)))
}

describe("one of two nodes that says that a receiver cannot be paid", () => {
  it.effect("ends no payout by its word alone when it is asked about the receiver", () => endsNoPayout("preflight"))

  it.effect("ends no payout by its word alone when it builds the transaction", () => endsNoPayout("build"))
})

describe("a payout whose receiver one of two nodes refuses when it builds the transaction", () => {
  it.effect(
    "gives its number back after two minutes, so that those after it land, and is paid once the lie ends",
    () => {
      const hands = { lies: true }
      const { fake, logged } = twoOperators("ethereum", (honest) => ({
        build: (order) =>
          hands.lies && order.payments[0]?.to === receiver("ethereum", 1) ? lies.build() : honest.build(order)
      }))
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer("ethereum", fake)
        yield* Effect.forkScoped(Effect.provide(sending(fake), logged))
        const first = yield* pay(id, "ethereum", 1)
        yield* tick
        const second = yield* pay(id, "ethereum", 2)
        yield* mineUntil(fake, "the second is over", allOver(id, [second]), 180)
        const third = yield* pay(id, "ethereum", 3)
        yield* mineUntil(fake, "the third is over", allOver(id, [third]), 60)
        for (let n = 0; n < 1_200; n++) yield* tick
        const [waiting] = yield* operationsOf(id, [first])
        assert.strictEqual(waiting?.details.waits?.reason, "node_unreadable")
        const reserved = yield* (yield* Queries).records(id, OutboundTransaction)
        assert.strictEqual(
          reserved.filter(({ purpose }) => purpose === "CANCEL").length,
          1,
          "only the first had others after it"
        )
        assert.isBelow(reserved.length, 10, "each try is later than the one before")
        hands.lies = false
        yield* mineUntil(fake, "the first is over, too", allOver(id, [first]), 3_600)
        for (const n of [1, 2, 3]) assert.strictEqual(timesPaid(fake, receiver("ethereum", n)), 1)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )
})

describe("a payout that one of two nodes refuses to build for its amount", () => {
  it.effect("gives its number back after two minutes, although another payout to its receiver can be built", () => {
    const { events, fake, logged } = twoOperators("ethereum", (honest) => ({
      build: (order) => (order.payments[0]?.units === 10_000n ? lies.build() : honest.build(order))
    }))
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(Effect.provide(sending(fake), logged))
      yield* pay(id, "ethereum", 1, 10_000n)
      yield* tick
      // with later numbers: they are replaced by dearer ones again and again, because they cannot land before the first
      const others = [yield* pay(id, "ethereum", 1, 10_001n), yield* pay(id, "ethereum", 3, 10_002n)]
      yield* mineUntil(fake, "the others are over", allOver(id, others), 180)
      for (const { status } of yield* operationsOf(id, others)) assert.strictEqual(status, "SETTLED")
      assert.include(events, "transaction.receiver_disputed")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})

describe("a receiver that cannot be paid", () => {
  for (const when of ["asked", "built"] as const) {
    it.effect(`fails its payout where nodes of both operators say so when it is ${when}`, () => {
      const { events, fake, logged } = twoOperators("ethereum", () => ({}))
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer("ethereum", fake)
        fake.refuse(receiver("ethereum", 1), when)
        yield* Effect.forkScoped(Effect.provide(sending(fake), logged))
        const made = [yield* pay(id, "ethereum", 1)]
        yield* mineUntil(fake, "it is over", allOver(id, made))
        assert.strictEqual((yield* operationsOf(id, made))[0]?.status, "FAILED")
        assert.notInclude(events, "transaction.receiver_disputed")
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }

  it.effect("fails no payout while the other operator's node is silent", () => {
    const hands = { silent: true }
    const { fake } = twoOperators(
      "ethereum",
      () => ({}),
      (honest) => ({
        preflight: (payment) => (hands.silent ? Effect.never : honest.preflight(payment))
      })
    )
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      fake.refuse(receiver("ethereum", 1), "asked")
      yield* Effect.forkScoped(sending(fake))
      const made = [yield* pay(id, "ethereum", 1)]
      for (let n = 0; n < 60; n++) yield* tick
      assert.isFalse(yield* allOver(id, made))
      hands.silent = false
      yield* mineUntil(fake, "it is over", allOver(id, made))
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
