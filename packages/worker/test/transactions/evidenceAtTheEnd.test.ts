import type { Proof } from "@bursar/core/port/ChainSender"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { always, cancel, give, mineFor } from "./stumbling.ts"
import { ledgerHolds, operationsOf, pay, payer, processOver, receiver, sending, tick } from "./world.ts"

const proven: Proof = { verdict: "PROVEN", detail: "it paid that", fee: 7n }

/** A node that proves whatever it is asked about, as it is after another transaction of the wallet has paid it. */
const proving = (fake: FakeSender): FakeSender => ({
  ...fake,
  sender: { ...fake.sender, prove: () => Effect.succeed(proven) }
})

describe("a payout that another transaction has made", () => {
  for (const when of ["before", "after"] as const)
    it.effect(
      `is settled by it where that was given ${when} it was cancelled, and its number is used up by nothing`,
      () => {
        const plain = fakeNetwork({ network: "ethereum", replaceAfterMs: 3_600_000 })
        const fake = proving(plain)
        return Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          const { id } = yield* payer("ethereum", fake)
          const made = yield* pay(id, "ethereum", 1)
          plain.answers(always("drops"))
          yield* Effect.forkScoped(sending(fake))
          for (let n = 0; n < 3; n++) yield* tick
          if (when === "before") assert.strictEqual(yield* give(id, made, "rival"), "given")
          for (let n = 0; n < 10; n++) yield* tick
          assert.strictEqual(yield* cancel(id, made), "trying")
          plain.answers([])
          if (when === "after") assert.strictEqual(yield* give(id, made, "rival"), "given")
          yield* mineFor(plain, 20)
          const [one] = yield* operationsOf(id, [made])
          assert.deepInclude(one, { status: "SETTLED", txHash: "rival" })
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(processOver(emptyState(), plain)))
      }
    )

  it.effect("is settled by it where its own reverts", () => {
    const plain = fakeNetwork({ network: "ethereum" })
    const fake = proving(plain)
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      const made = yield* pay(id, "ethereum", 1)
      plain.revertOn(receiver("ethereum", 1))
      yield* Effect.forkScoped(sending(fake))
      for (let n = 0; n < 3; n++) yield* tick
      assert.strictEqual(yield* give(id, made, "rival"), "given")
      yield* mineFor(plain, 10)
      const [one] = yield* operationsOf(id, [made])
      assert.deepInclude(one, { status: "SETTLED", txHash: "rival" })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), plain)))
  })
})
