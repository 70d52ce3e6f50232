import { Payout } from "@bursar/core/payout/Payout"
import { CannotBuild, type ChainSender, type Proof } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { always, give, mineFor } from "./stumbling.ts"
import { ledgerHolds, mineUntil, operationsOf, pay, payer, processOver, sending } from "./world.ts"

describe("a payout whose transaction is held to have expired, and that waits for lower fees in the next", () => {
  for (const [verdict, ends] of [
    ["PROVEN", "SETTLED"],
    ["NOT_PROVEN", "SENT"]
  ] as const)
    it.effect(`is ${ends} where the chain says of what has expired that it is ${verdict}`, () => {
      const fake = fakeNetwork({ network: "tron" })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const queries = yield* Queries
        const { id } = yield* payer("tron", fake)
        const made = yield* pay(id, "tron", 1)
        const payout = Effect.map(queries.record(id, Payout, made.id), (one) => one ?? assert.fail("no payout"))
        const transaction = Effect.flatMap(payout, ({ transactionId }) =>
          queries.record(id, OutboundTransaction, transactionId ?? "")
        )
        fake.answers(always("drops"))
        let isCapped = false
        const build: ChainSender["build"] = (order) =>
          isCapped
            ? Effect.fail(new CannotBuild({ network: "tron", reason: "fee_capped", detail: "too dear", missing: null }))
            : fake.sender.build(order)
        const prove = () =>
          Effect.succeed<Proof>(
            verdict === "PROVEN" ? { verdict, detail: "it paid", fee: 7n } : { verdict, reason: "not so" }
          )
        yield* Effect.forkScoped(sending({ ...fake, sender: { ...fake.sender, build, prove } }))
        yield* mineUntil(
          fake,
          "it is sent",
          Effect.map(transaction, (one) => one?.phase === "BROADCAST")
        )
        const [first = assert.fail("no attempt")] = yield* queries.records(
          id,
          TransactionAttempt,
          (yield* payout).transactionId ?? ""
        )
        isCapped = true
        yield* TestClock.setTime((first.validUntil ?? 0) + 1_000)
        yield* mineUntil(
          fake,
          "the next is reserved",
          Effect.map(transaction, (one) => one?.phase === "RESERVED")
        )
        assert.strictEqual(yield* give(id, made, first.hash), "given")
        yield* mineFor(fake, 20)
        const status = Effect.map(operationsOf(id, [made]), ([one]) => one?.status)
        assert.strictEqual(yield* status, ends)
        if (verdict === "PROVEN") assert.strictEqual((yield* operationsOf(id, [made]))[0]?.txHash, first.hash)
        else assert.deepInclude(yield* transaction, { phase: "RESERVED" })
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
})
