import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { reviewValues } from "@bursar/core/grant/reviewByGrants"
import { askLeaving, leavingOf, type PayoutJudgement } from "@bursar/core/payout/mayPayoutLeave"
import { Payout } from "@bursar/core/payout/Payout"
import { putRecord } from "@bursar/core/engine/Records"
import type { Command } from "@bursar/core/engine/Command"
import { reviewOperation } from "@bursar/core/review/reviewOperation"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { proposedAt } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { world } from "../grant/chain.ts"
import { accepted, payer, request, stateOf, store, submit } from "./world.ts"

/** Writes another payout than was accepted, as whoever writes to the database can. */
const rewrite = (payout: Payout): Command<null> => ({
  name: "Rewrite",
  reads: [],
  decide: () => Result.succeed({ changes: [putRecord(Payout, payout)], reply: null })
})

describe("whether a payout may leave where grants rule", () => {
  it.effect("is asked of the review that people granted, and of the payout itself", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(proposedAt)
      const all = yield* world()
      const two = [all.ann, all.bob]
      const { id } = yield* payer({ payoutReviewUsd: "50" })
      yield* all.grant(
        "policy",
        policyValues({ kind: "LIVE", policy: { ...defaultPolicy, payoutReviewUsd: "50" } }),
        two
      )
      const made = yield* accepted(id)
      const approval = { verdict: "APPROVE", by: "vera", reason: null, currencies } as const
      const operation = yield* submit(id, reviewOperation({ operation: made, ...approval }))
      const { payout } = yield* stateOf(id, operation.id)
      const { usd } = yield* request()
      const price = usd ?? assert.fail("there is no price")
      const reasonOf = (judgement: PayoutJudgement) =>
        Effect.map(
          submit(id, askLeaving([leavingOf(payout)], presetNetworks.of("ethereum"), judgement)),
          (objections) => objections.get(operation.id)?.reason
        )
      const known = () => ({ ruling: all.chain(), valued: { currencies, usd: new Map([["USDT_ETH", price]]) } })
      assert.isUndefined(yield* reasonOf({}), "by the rows it was approved")
      assert.strictEqual(yield* reasonOf(known()), "review_not_granted")
      assert.strictEqual(yield* reasonOf({ ruling: all.chain() }), "price_unavailable")
      yield* all.grant("review", reviewValues(operation), two)
      assert.isUndefined(yield* reasonOf(known()))
      yield* submit(id, rewrite({ ...payout, units: payout.units + 1n }))
      assert.strictEqual(yield* reasonOf(known()), "not_granted", "the payout is not what was approved")
    }).pipe(Effect.provide(store))
  )
})
