import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import {
  approveAdjustment,
  rejectAdjustment,
  requestAdjustment,
  type RequestAdjustment
} from "@bursar/core/adjustment/requestAdjustment"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { ofKind } from "@bursar/core/operation/Operation"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { float, hear, payer, refusalOf, says, send, store, submit, wrong } from "../transfer/world.ts"

const correcting = (corrects: string, units: bigint, more: Partial<RequestAdjustment> = {}) =>
  requestAdjustment({
    amount: of(units, "EUR"),
    against: "bank",
    corrects,
    reason: "never left",
    by: "anna",
    usd: null,
    currencies,
    ...more
  })

describe("an adjustment that corrects an operation", () => {
  it.effect("names one that is over, and is kept with it", () =>
    Effect.gen(function* () {
      const id = yield* payer()
      const sent = yield* send(id)
      const message = `Operation ${sent.id} is ${sent.status}: it is not over.`
      assert.deepInclude(yield* Effect.flip(submit(id, correcting(sent.id, 5n))), { code: "state_conflict", message })
      yield* hear(id, sent, says("SETTLED"))
      const { units } = sent.amount
      const [before] = yield* float(id)
      const correct = (corrects: string, change: bigint) =>
        adjustFloat({ amount: of(change, "EUR"), against: "bank", corrects, reason: "never left" })
      const booked = yield* submit(id, correct(sent.id, units))
      assert.strictEqual(ofKind(booked, "ADJUSTMENT").details.corrects, sent.id)
      assert.strictEqual((yield* float(id))[0], before + units)
      // what takes it back corrects the same operation
      assert.strictEqual(yield* refusalOf(id, correct(booked.id, -units)), "invalid_request")
      yield* submit(id, correct(sent.id, -units))
      assert.strictEqual((yield* float(id))[0], before)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("names one of its own tenant, and a place that has statements", () =>
    Effect.gen(function* () {
      const [id, other] = [yield* payer(), yield* payer()]
      const fund = adjustFloat({ amount: of(5n, "EUR"), against: "bank", reason: "found" })
      const { id: about } = yield* submit(id, fund)
      assert.strictEqual(yield* refusalOf(other, correcting(about, 5n)), "not_found")
      assert.strictEqual(yield* refusalOf(id, correcting(crypto.randomUUID(), 5n)), "not_found")
      assert.strictEqual(yield* refusalOf(id, correcting(about, 5n, { against: "suspense" })), "invalid_request")
      assert.isNull(yield* refusalOf(id, correcting(about, 2n, { from: "bank", against: "suspense" })))
      assert.isNull(yield* refusalOf(id, correcting(about, -3n)))
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is approved with the operation that it names", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ policy: { ...defaultPolicy, adjustmentReviewUsd: "0" } })
      const fund = adjustFloat({ amount: of(5n, "EUR"), against: "bank", reason: "found" })
      const { id: about } = yield* submit(id, fund)
      assert.strictEqual(yield* refusalOf(id, correcting(crypto.randomUUID(), 5n)), "not_found", "nobody is asked")
      const proposed = yield* submit(id, correcting(about, -2n))
      if (proposed.state !== "proposed") return assert.fail("it was booked")
      const { adjustment } = proposed
      assert.strictEqual(adjustment.corrects, about)
      const booked = yield* submit(id, approveAdjustment({ adjustment, by: "bob", currencies }))
      assert.strictEqual(ofKind(booked, "ADJUSTMENT").details.corrects, about)
      const next = yield* submit(id, correcting(about, -1n))
      if (next.state !== "proposed") return assert.fail("it was booked")
      const rejected = yield* submit(id, rejectAdjustment(next.adjustment, "bob", "it did leave"))
      assert.deepInclude(rejected, { state: "REJECTED", corrects: about })
    }).pipe(Effect.provide(store))
  )
})
