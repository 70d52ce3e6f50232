import { requestsFor } from "@bursar/core/payout/requestsFor"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { orderOf } from "../../src/transactions/orderOf.ts"
import { fakeNetwork } from "../fakeNetwork.ts"
import { always, cancel, mineFor } from "./stumbling.ts"
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

/**
 * Pays receivers in one batch, of which what is signed without the first payout gets lost, sent or not. Cancels some since, sees all to their end, and says
 * what became of each.
 */
const endsOf = Effect.fnUntraced(function* (
  fake: FakeSender,
  receivers: ReadonlyArray<number>,
  { cancelled, isSent }: { readonly cancelled: ReadonlyArray<number>; readonly isSent: boolean }
) {
  yield* TestClock.setTime(1_700_000_000_000)
  const queries = yield* Queries
  const signer = yield* TransactionSigner
  const { id } = yield* payer("bitcoin", fake, 4)
  const made = yield* Effect.forEach(receivers, (n) => pay(id, "bitcoin", n))
  fake.answers(always("drops"))
  const before = yield* Effect.forkScoped(sending(fake))
  for (let n = 0; n < 5; n++) yield* tick
  yield* Fiber.interrupt(before)
  const [batch = assert.fail("no batch")] = yield* queries.records(id, OutboundTransaction)
  const [first = assert.fail("nothing was signed")] = yield* queries.records(id, TransactionAttempt, batch.id)
  const without = { ...batch, cancelled: made.slice(0, 1).map((one) => one.id) }
  const order = orderOf(fake.sender, without, yield* Clock.currentTimeMillis, first.raw)
  const { bytes: unsigned } = yield* fake.sender.build(order)
  const requests = requestsFor(yield* operationsOf(id, made.slice(1)))
  const lost = yield* signer.sign({
    ...{ tenantId: id, network: "bitcoin", unsigned, signers: [], own: [], requests },
    known: [first.hash]
  })
  for (const at of cancelled) {
    const payout = made[at]
    if (payout !== undefined) assert.strictEqual(yield* cancel(id, payout), "trying")
  }
  fake.answers([])
  if (isSent) {
    yield* fake.sender.broadcast(lost.raw)
    fake.mine(yield* Clock.currentTimeMillis)
  }
  yield* Effect.forkScoped(sending(fake))
  yield* mineUntil(fake, "all payouts are over", allOver(id, made), 120)
  yield* mineFor(fake, 5)
  yield* ledgerHolds(id)
  return (yield* operationsOf(id, made)).map(({ status }) => status)
})

describe("a batch of three of which the first was cancelled, which the database has lost", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<number>, boolean, ReadonlyArray<string>]> = [
    ["goes on without the third, which is cancelled since", [2], false, ["SETTLED", "SETTLED", "FAILED"]],
    ["goes on without the third where both were cancelled since", [2, 0], false, ["FAILED", "SETTLED", "FAILED"]],
    [
      "ends by what was signed without the first, where that is on the chain",
      [2],
      true,
      ["FAILED", "SETTLED", "SETTLED"]
    ],
    ["ends by that where all were cancelled since", [2, 0, 1], true, ["FAILED", "SETTLED", "SETTLED"]]
  ]
  for (const [what, cancelled, isSent, fates] of cases)
    it.effect(what, () => {
      const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 5 })
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* endsOf(fake, [1, 2, 3], { cancelled, isSent }), fates)
        const paid = fates.map((_, n) => timesPaid(fake, receiver("bitcoin", n + 1)))
        assert.deepStrictEqual(
          paid,
          fates.map((fate) => (fate === "SETTLED" ? 1 : 0))
        )
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })

  for (const isSent of [false, true])
    it.effect(
      `ends where the first and the second pay alike and the second is cancelled since, ${isSent ? "sent" : "unsent"}`,
      () => {
        const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 5 })
        return Effect.gen(function* () {
          const fates = yield* endsOf(fake, [1, 1, 3], { cancelled: [1], isSent })
          assert.deepStrictEqual(fates, isSent ? ["FAILED", "SETTLED", "SETTLED"] : ["SETTLED", "FAILED", "SETTLED"])
          assert.strictEqual(timesPaid(fake, receiver("bitcoin", 1)), 1)
          assert.strictEqual(timesPaid(fake, receiver("bitcoin", 3)), 1)
        }).pipe(Effect.provide(processOver(emptyState(), fake)))
      }
    )
})
