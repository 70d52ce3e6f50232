import type { Memo } from "@bursar/core/port/Chain"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { type SenderFeature, SenderWorld } from "./SenderWorld.ts"
import { anOrder, gained, paymentOf, paymentsIn, sentOrder, unitsPaid } from "./steps.ts"

/** Payments that are large, that say what they are for, or that are several in one transaction: each as it was ordered. */
export const paymentTests = (it: SuiteIt<SenderWorld>, timeoutMs: number, has: ReadonlyArray<SenderFeature>): void => {
  for (const asset of has.includes("token") ? (["coin", "token"] as const) : (["coin"] as const)) {
    it.effect(
      `pays a large amount of ${asset}, to the last unit`,
      () =>
        Effect.gen(function* () {
          const { contract, finalize, include, large, richAccount, sender } = yield* SenderWorld
          const paid = asset === "coin" ? null : contract
          const order = yield* anOrder({ from: yield* richAccount, units: large[asset], contract: paid })
          assert.deepStrictEqual(yield* paymentsIn(order, yield* sender.build(order)), order.payments)
          const more = yield* gained(
            paymentOf(order).to,
            paid,
            Effect.gen(function* () {
              yield* sentOrder(order)
              yield* include
              yield* finalize
            })
          )
          assert.strictEqual(more, large[asset])
        }),
      timeoutMs
    )
  }

  if (has.includes("memo"))
    it.effect(
      "writes the memo that was ordered, by its type, and proves a payment by it",
      () =>
        Effect.gen(function* () {
          const { finalize, include, memoOf, sender } = yield* SenderWorld
          const text: Memo = { type: "text", value: "order 7" }
          for (const memo of [text, { type: "id", value: "7" }, null] satisfies ReadonlyArray<Memo | null>) {
            const order = yield* anOrder({ memo })
            const payment = paymentOf(order)
            assert.strictEqual((yield* sender.preflight(payment))._tag, "Payable")
            assert.deepStrictEqual(yield* paymentsIn(order, yield* sender.build(order)), order.payments)
            const { hash } = yield* sentOrder(order)
            yield* include
            yield* finalize
            assert.deepStrictEqual(yield* memoOf(hash), memo)
            if (memo !== text) continue
            for (const [claimed, verdict] of [
              [text.value, "PROVEN"],
              [null, "PROVEN"],
              ["order 8", "NOT_PROVEN"]
            ] as const) {
              const proof = yield* sender.prove({ ...payment, txHash: hash, senders: [], memo: claimed })
              assert.strictEqual(proof.verdict, verdict, `with the memo ${claimed}`)
            }
          }
        }),
      timeoutMs
    )

  if (has.includes("batch"))
    it.effect(
      "pays everybody in one transaction of several payments",
      () =>
        Effect.gen(function* () {
          const { account, balance, finalize, include, receiver, sender } = yield* SenderWorld
          assert.isAbove(sender.paymentsMax, 2)
          const first = yield* anOrder({ from: yield* account })
          const payments = yield* Effect.forEach([unitsPaid, unitsPaid + 1n, unitsPaid + 2n], (units) =>
            Effect.map(receiver, (to) => ({ to, contract: null, units, memo: null }))
          )
          const order = { ...first, payments }
          const unsigned = yield* sender.build(order)
          assert.deepStrictEqual(unsigned.payments, payments)
          assert.deepStrictEqual(yield* paymentsIn(order, unsigned), payments)
          const signed = yield* sentOrder(order)
          yield* include
          yield* finalize
          const status = yield* sender.status(order, [signed])
          assert.strictEqual(status._tag === "Final" ? status.effect : status._tag, "done")
          for (const { to, units } of payments) assert.strictEqual(yield* balance(to, null), units)
        }),
      timeoutMs
    )
  else
    it.effect(
      "makes no transaction of several payments",
      () =>
        Effect.gen(function* () {
          assert.strictEqual((yield* SenderWorld).sender.paymentsMax, 1)
        }),
      timeoutMs
    )
}
