import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { done } from "@bursar/core/port/ProviderResult"
import type { Operation } from "@bursar/core/operation/Operation"
import { cancelOperation } from "@bursar/core/resolution/cancelOperation"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accepted as acceptedPayout, payer as chainPayer } from "../payout/world.ts"
import { accept as acceptSwap } from "../swap/world.ts"
import { accept, float, payer, refusalOf, store, submit, told, wrong } from "../transfer/world.ts"
import { withdrawer } from "../withdrawal/world.ts"
import { million, sentWithdrawal, stored, swapSent, transferSent, withdrawal } from "./world.ts"

const cancelling = (operation: Operation) => cancelOperation({ operation, by: "vera", currencies: defaultCurrencies })

const swap = Effect.gen(function* () {
  const tenant = yield* withdrawer()
  return { tenant, operation: yield* acceptSwap(tenant, 5n * million, false) }
})

const transfer = Effect.gen(function* () {
  const tenant = yield* payer()
  return { tenant, operation: yield* accept(tenant) }
})

describe("an order that operators cancel", () => {
  for (const [what, accepted, currency, whole] of [
    ["a withdrawal", withdrawal, "USDC_BASE", million * million],
    ["a swap", swap, "USDC_BASE", million * million],
    ["a transfer", transfer, "EUR", 100_000n]
  ] as const) {
    it.effect(`fails, as ${what} that was not sent, and gives back what it held`, () =>
      Effect.gen(function* () {
        const { operation, tenant } = yield* accepted
        const failed = yield* submit(tenant, cancelling(operation))
        assert.strictEqual(failed.status, "FAILED")
        assert.deepInclude(failed.details, { failure_reason: "cancelled_by_operator", cancelled_by: "vera" })
        assert.deepStrictEqual(yield* stored(tenant, operation), failed)
        assert.deepStrictEqual(yield* float(tenant, currency), [whole, 0n])
        assert.lengthOf(yield* told(tenant, operation), 1)
        assert.strictEqual(yield* refusalOf(tenant, cancelling(operation)), "state_conflict", "once")
        assert.deepStrictEqual(yield* wrong(tenant), [])
      }).pipe(Effect.provide(store))
    )
  }

  it.effect("is not cancelled once it was sent, is over, or where no provider carries it out", () =>
    Effect.gen(function* () {
      for (const { operation, tenant } of [yield* sentWithdrawal, yield* swapSent, yield* transferSent]) {
        assert.strictEqual(yield* refusalOf(tenant, cancelling(operation)), "state_conflict")
        assert.strictEqual((yield* stored(tenant, operation)).status, operation.status)
      }
      const over = yield* sentWithdrawal
      const failed = done({ _tag: "Failed", providerReference: null, reason: "no" } as const)
      yield* submit(
        over.tenant,
        recordWithdrawal({
          operation: over.operation,
          answer: failed,
          currencies: defaultCurrencies,
          networkFeeBorneBy: "RECEIVER"
        })
      )
      assert.strictEqual(yield* refusalOf(over.tenant, cancelling(over.operation)), "state_conflict")
      const { id } = yield* chainPayer()
      assert.strictEqual(yield* refusalOf(id, cancelling(yield* acceptedPayout(id))), "state_conflict")
      assert.strictEqual(yield* refusalOf(id, cancelling(over.operation)), "not_found", "another tenant's")
    }).pipe(Effect.provide(store))
  )
})
