import type { Operation } from "@bursar/core/operation/Operation"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import type { Claimed, Proof } from "@bursar/core/port/ChainSender"
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
import { always, give, mineFor } from "./stumbling.ts"
import { ledgerHolds, operationsOf, pay, payer, processOver, receiver, sending, tick, timesPaid } from "./world.ts"

/** A node that proves what its chain shows, and denies everything else. */
const provingWhatIsThere = (fake: FakeSender): FakeSender => {
  const paid = ({ to, txHash, units }: Claimed) =>
    fake
      .chain()
      .some(({ hash, payments }) => hash === txHash && payments.some((one) => one.to === to && one.units === units))
  const prove = (claimed: Claimed): Effect.Effect<Proof> =>
    Effect.sync(() =>
      paid(claimed) ? { verdict: "PROVEN", detail: "there", fee: 3n } : { verdict: "NOT_PROVEN", reason: "not so" }
    )
  return { ...fake, sender: { ...fake.sender, prove } }
}

describe("a lost transaction that paid one of two payouts to one receiver, of which the other was cancelled", () => {
  for (const order of [
    [0, 1],
    [1, 0]
  ])
    it.effect(`settles the one that it paid, given for them in the order ${order.join(", ")}`, () => {
      const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 5 })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const queries = yield* Queries
        const signer = yield* TransactionSigner
        const { id } = yield* payer("bitcoin", fake, 4)
        const made: ReadonlyArray<Operation> = [
          yield* pay(id, "bitcoin", 1, 10_000n),
          yield* pay(id, "bitcoin", 1, 20_000n)
        ]
        fake.answers(always("drops"))
        const worker = yield* Effect.forkScoped(sending(fake))
        for (let n = 0; n < 5; n++) yield* tick
        yield* Fiber.interrupt(worker)
        const [batch = assert.fail("no batch")] = yield* queries.records(id, OutboundTransaction)
        const [first = assert.fail("no attempt")] = yield* queries.records(id, TransactionAttempt, batch.id)
        assert.strictEqual(first.pays.length, 2)
        // after the backup: the first was cancelled, and what replaced the batch pays the second alone
        const without = { ...batch, cancelled: [made[0]?.id ?? ""] }
        const replacing = orderOf(fake.sender, without, yield* Clock.currentTimeMillis, first.raw)
        const { bytes: unsigned } = yield* fake.sender.build(replacing)
        const requests = requestsFor(yield* operationsOf(id, made.slice(1)))
        const lost = yield* signer.sign({
          ...{ tenantId: id, network: "bitcoin", unsigned, signers: [], own: [], requests },
          known: [first.hash]
        })
        fake.answers([])
        yield* fake.sender.broadcast(lost.raw)
        yield* mineFor(fake, 5)
        assert.strictEqual(timesPaid(fake, receiver("bitcoin", 1)), 1)
        yield* Effect.forkScoped(sending(provingWhatIsThere(fake)))
        yield* mineFor(fake, 5)
        for (const at of order) {
          const payout = made[at]
          if (payout !== undefined) yield* give(id, payout, lost.hash)
          yield* mineFor(fake, 10)
        }
        const statuses = (yield* operationsOf(id, made)).map(({ status }) => status)
        assert.deepStrictEqual(statuses, ["FAILED", "SETTLED"])
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
})
