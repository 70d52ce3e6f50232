import type { ChainSender } from "@bursar/core/port/ChainSender"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import {
  allOver,
  ledgerHolds,
  mineUntil,
  operationsOf,
  pay,
  payer,
  processOver,
  quick,
  receiver,
  sending,
  timesPaid
} from "./world.ts"

/** A node that keeps one question waiting until it is told to answer. */
const slowly = (slow: (sender: ChainSender, until: Effect.Effect<void>) => ChainSender) => {
  const fake = fakeNetwork({ network: "ethereum" })
  const answers = Deferred.makeUnsafe<void>()
  let asked = 0
  const until = Effect.suspend(() => {
    asked += 1
    return Deferred.await(answers)
  })
  return {
    fake: { ...fake, sender: slow(fake.sender, until) } satisfies FakeSender,
    answer: Deferred.succeed(answers, undefined),
    asked: () => asked
  }
}

const first = receiver("ethereum", 1)

const questions: ReadonlyArray<readonly [string, Parameters<typeof slowly>[0]]> = [
  [
    "whether a receiver can be paid",
    (sender, until) => ({
      ...sender,
      preflight: (payment) =>
        payment.to === first ? Effect.andThen(until, sender.preflight(payment)) : sender.preflight(payment)
    })
  ],
  [
    "what a payment would take",
    (sender, until) => ({
      ...sender,
      build: (order) =>
        order.payments[0]?.to === first ? Effect.andThen(until, sender.build(order)) : sender.build(order)
    })
  ],
  [
    "to take what was signed",
    (sender, until) => {
      let isFirst = true
      return {
        ...sender,
        broadcast: (raw) =>
          Effect.suspend(() => {
            const waits = isFirst
            isFirst = false
            return waits ? Effect.andThen(until, sender.broadcast(raw)) : sender.broadcast(raw)
          })
      }
    }
  ],
  [
    "what became of what was sent",
    (sender, until) => ({
      ...sender,
      status: (order, signed) =>
        order.guard._tag === "Sequence" && order.guard.sequence === 0n && order.from.endsWith("A0")
          ? Effect.andThen(until, sender.status(order, signed))
          : sender.status(order, signed)
    })
  ]
]

describe("a node that keeps a question waiting", () => {
  for (const [what, slow] of questions) {
    it.effect(`holds up nothing else, and is asked once meanwhile: ${what}`, () => {
      const { answer, asked, fake } = slowly(slow)
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer("ethereum", fake)
        const other = yield* payer("ethereum", fake, 0, "0x00000000000000000000000000000000000000A1")
        yield* Effect.forkScoped(sending(fake))
        const waiting = yield* pay(id, "ethereum", 1)
        yield* mineUntil(
          fake,
          "the node keeps it waiting",
          Effect.sync(() => asked() > 0),
          30
        )
        const later = yield* pay(other.id, "ethereum", 2)
        yield* mineUntil(fake, "the other's payout is over", allOver(other.id, [later]), 60)
        assert.strictEqual(asked(), 1)
        assert.isFalse(yield* allOver(id, [waiting]))
        yield* answer
        yield* mineUntil(fake, "it is over", allOver(id, [waiting]))
        assert.strictEqual((yield* operationsOf(id, [waiting]))[0]?.status, "SETTLED")
        assert.strictEqual(timesPaid(fake, first), 1)
        assert.strictEqual(timesPaid(fake, receiver("ethereum", 2)), 1)
        yield* ledgerHolds(id)
        yield* ledgerHolds(other.id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }

  it.effect("holds nobody else up though it keeps as many tenants waiting as are worked on at once", () => {
    const kept = Array.from({ length: quick.tenantsAtOnce }, (_, at) => at + 1)
    const { answer, asked, fake } = slowly((sender, until) => ({
      ...sender,
      preflight: (payment) =>
        kept.some((n) => payment.to === receiver("ethereum", n))
          ? Effect.andThen(until, sender.preflight(payment))
          : sender.preflight(payment)
    }))
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const wallet = (n: number) => `0x00000000000000000000000000000000000000B${n}`
      const tenants = yield* Effect.forEach(kept, (n) => payer("ethereum", fake, 0, wallet(n)))
      const other = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      const made = yield* Effect.forEach(tenants, ({ id }, at) => pay(id, "ethereum", at + 1))
      const isKept = Effect.sync(() => asked() === kept.length)
      yield* mineUntil(fake, "the node keeps all of them waiting", isKept, 30)
      const later = yield* pay(other.id, "ethereum", 9)
      yield* mineUntil(fake, "the other's payout is over", allOver(other.id, [later]), 120)
      assert.strictEqual(asked(), kept.length)
      yield* answer
      for (const [at, { id }] of tenants.entries()) {
        yield* mineUntil(fake, "it is over", allOver(id, made.slice(at, at + 1)))
        assert.strictEqual(timesPaid(fake, receiver("ethereum", at + 1)), 1)
        yield* ledgerHolds(id)
      }
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
