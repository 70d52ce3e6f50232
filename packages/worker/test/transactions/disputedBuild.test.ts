import { ChainError } from "@bursar/core/port/Chain"
import { CannotBuild, type SendOrder } from "@bursar/core/port/ChainSender"
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
  type Tested,
  tick,
  timesPaid
} from "./world.ts"

const silent = (network: Tested) =>
  new ChainError({ network, reason: "unreachable", doing: "build a transaction", detail: "silent" })

const cannot = (network: Tested, reason: CannotBuild["reason"]) =>
  new CannotBuild({ network, reason, detail: `the node says ${reason}`, missing: null })

/** A node that builds no order of a kind. */
const refusing =
  (isRefused: (order: SendOrder) => boolean, error: CannotBuild | ChainError): Lie =>
  (honest) => ({ build: (order) => (isRefused(order) ? Effect.fail(error) : honest.build(order)) })

const paysFirst = ({ payments }: SendOrder) => payments[0]?.to === receiver("ethereum", 1)

describe("one of two nodes that says that a payout costs more than the cap", () => {
  it.effect("keeps neither the payout nor those after it from landing", () => {
    const { fake } = twoOperators("ethereum", refusing(paysFirst, cannot("ethereum", "fee_capped")))
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      const made = yield* Effect.forEach([1, 2, 3], (n) => pay(id, "ethereum", n))
      yield* mineUntil(fake, "all are over", allOver(id, made), 60)
      for (const n of [1, 2, 3]) assert.strictEqual(timesPaid(fake, receiver("ethereum", n)), 1)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("has its number given back after two minutes, where the other is silent", () => {
    const { fake } = twoOperators(
      "ethereum",
      refusing(paysFirst, cannot("ethereum", "fee_capped")),
      refusing(paysFirst, silent("ethereum"))
    )
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      const first = yield* pay(id, "ethereum", 1)
      yield* tick
      const others = [yield* pay(id, "ethereum", 2), yield* pay(id, "ethereum", 3)]
      yield* mineUntil(fake, "the others are over", allOver(id, others), 180)
      const [waiting] = yield* operationsOf(id, [first])
      assert.strictEqual(waiting?.details.waits?.reason, "node_unreadable")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("has payouts that share a transaction tried again together", () => {
    let isDear = true
    const [dear, down] = [cannot("bitcoin", "fee_capped"), silent("bitcoin")]
    const { fake } = twoOperators(
      "bitcoin",
      refusing(() => isDear, dear),
      refusing(() => isDear, down)
    )
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("bitcoin", fake)
      const made = [yield* pay(id, "bitcoin", 1), yield* pay(id, "bitcoin", 2)]
      yield* Effect.forkScoped(sending(fake))
      for (let n = 0; n < 300; n++) yield* tick
      for (const { details } of yield* operationsOf(id, made))
        assert.strictEqual(details.waits?.reason, "node_unreadable")
      isDear = false
      yield* mineUntil(fake, "both are over", allOver(id, made), 1_200)
      assert.deepStrictEqual(
        fake.chain().map(({ payments }) => payments.length),
        [2]
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})

describe("two nodes that say that a payout costs more than the cap", () => {
  it.effect("have it wait with its number, for as long as they say so", () => {
    let isDear = true
    const dear = refusing(() => isDear, cannot("ethereum", "fee_capped"))
    const { events, fake, logged } = twoOperators("ethereum", dear, dear)
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(Effect.provide(sending(fake), logged))
      const made = [yield* pay(id, "ethereum", 1)]
      for (let n = 0; n < 600; n++) yield* tick
      isDear = false
      yield* mineUntil(fake, "it is over", allOver(id, made))
      assert.strictEqual((yield* (yield* Queries).records(id, OutboundTransaction)).length, 1)
      assert.notInclude(events, "transaction.build_disputed")
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})

describe("one of two nodes that has nothing built that uses up a number", () => {
  it.effect("keeps no payout after that number from landing", () => {
    const isFiller = ({ payments }: SendOrder) => payments.length === 0
    const { fake } = twoOperators("ethereum", (honest) => ({
      build: (order) => {
        if (isFiller(order)) return Effect.fail(cannot("ethereum", "insufficient_wallet"))
        return paysFirst(order) ? Effect.fail(cannot("ethereum", "destination_invalid")) : honest.build(order)
      }
    }))
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      yield* pay(id, "ethereum", 1)
      yield* tick
      const others = [yield* pay(id, "ethereum", 2)]
      yield* mineUntil(fake, "the other is over", allOver(id, others), 180)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
