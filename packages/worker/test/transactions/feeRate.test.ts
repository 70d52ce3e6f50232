import { payoutPhase } from "@bursar/testkit/fixtures/payoutPhase"
import type { Operation } from "@bursar/core/operation/Operation"
import { ChainError } from "@bursar/core/port/Chain"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { emptyState } from "@bursar/memory"
import type { FakeQuestions, FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { fakeNetwork } from "../fakeNetwork.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { allOver, ledgerHolds, mineUntil, pay, payer, processOver, sending, tick } from "./world.ts"
import { Payout } from "@bursar/core/payout/Payout"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"

type Rate = FakeQuestions["feeRate"]

const unreadable = new ChainError({
  network: "bitcoin",
  reason: "unreachable",
  doing: "estimate a fee",
  detail: "no answer"
})

/** A bitcoin node that says of fees what it is told to. */
const saying = (rate: { now: Rate }): FakeSender =>
  fakeNetwork({ network: "bitcoin", answers: () => ({ feeRate: Effect.suspend(() => rate.now) }) })

const waitsOf = Effect.fnUntraced(function* (tenantId: TenantId, { id }: Operation) {
  const payout = yield* (yield* Queries).record(tenantId, Payout, id)
  return [yield* payoutPhase(tenantId, id), payout?.waits?.reason, payout?.waits?.detail]
})

describe("the fee rate of the node", () => {
  for (const [what, rate, reason, detail] of [
    ["does not tell it", Effect.succeed(null), "fees_unknown", "the node gives no fee rate"],
    ["cannot be asked", Effect.fail(unreadable), "node_unreadable", "bitcoin: estimate a fee: no answer"]
  ] as const) {
    it.effect(`is waited for where the node ${what}, and nothing is reserved meanwhile`, () => {
      const said: { now: Rate } = { now: rate }
      const fake = saying(said)
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer("bitcoin", fake)
        yield* Effect.forkScoped(sending(fake))
        const made = yield* pay(id, "bitcoin", 1)
        for (let n = 0; n < 3; n++) yield* tick
        assert.deepStrictEqual(yield* waitsOf(id, made), ["HELD", reason, detail])
        assert.lengthOf(yield* (yield* Queries).records(id, OutboundTransaction), 0)
        said.now = Effect.succeed(1_000n)
        yield* mineUntil(fake, "it is over", allOver(id, [made]))
        assert.deepStrictEqual(yield* waitsOf(id, made), ["FINAL", undefined, undefined])
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }

  it.effect(
    "decides how many coins pay: a coin of 200,000 satoshi pays 190,000 at a low rate, at a high one it takes two",
    () => {
      const said: { now: Rate } = { now: Effect.succeed(1_000n) }
      const fake = saying(said)
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer("bitcoin", fake)
        yield* Effect.forkScoped(sending(fake))
        const made: Array<Operation> = []
        for (const rate of [1_000n, 100_000n]) {
          said.now = Effect.succeed(rate)
          made.push(yield* pay(id, "bitcoin", made.length, 190_000n))
          yield* mineUntil(fake, "it is over", allOver(id, made))
        }
        assert.deepStrictEqual(
          fake.chain().map(({ guard }) => (guard._tag === "Utxos" ? guard.utxos.length : 0)),
          [1, 2]
        )
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )
})
