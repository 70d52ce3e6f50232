import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { CustodianWorld, shown, newConversion, newWithdrawal } from "./CustodianWorld.ts"

/** What is read of the custodian. */
export const readingTests = (it: SuiteIt<CustodianWorld>, timeoutMs: number): void => {
  it.effect(
    "assets, pairs and balances agree with each other",
    () =>
      Effect.gen(function* () {
        const { custodian } = yield* CustodianWorld
        const assets = yield* custodian.assets
        const pairs = yield* custodian.pairs
        const balances = yield* custodian.balances
        const known = new Map(assets.map((asset) => [asset.currency, asset]))
        assert.strictEqual(known.size, assets.length)
        const { amount } = yield* newWithdrawal
        assert.isTrue(known.get(amount.currency)?.withdrawable)
        const conversion = yield* newConversion()
        assert.strictEqual(
          pairs.filter(({ from, to }) => from === conversion.amount.currency && to === conversion.to).length,
          1
        )
        for (const { from, minimum, step, to } of pairs) {
          assert.notStrictEqual(from, to)
          const fee = yield* custodian.conversionFee(from, to)
          if (fee !== null)
            assert.isTrue(fee.units >= 0n && fee.units < 10n ** BigInt(fee.decimals), `${from} to ${to}`)
          assert.isTrue(known.has(from) && known.has(to), `${from} to ${to}`)
          if (minimum !== null) assert.strictEqual(minimum.currency, from)
          if (step !== null) assert.isTrue(step.currency === from && step.units > 1n)
        }
        assert.isNull(yield* custodian.conversionFee("NO_SUCH", "NO_SUCH_EITHER"))
        for (const { currency } of assets) assert.isTrue((balances.get(currency) ?? -1n) >= 0n, currency)
        assert.isNotEmpty(custodian.name)
      }),
    timeoutMs
  )
}

/** Nothing is concluded from a custodian that is silent. */
export const silenceTests = (it: SuiteIt<CustodianWorld>, timeoutMs: number): void => {
  it.effect(
    "nothing is concluded from silence",
    () =>
      Effect.gen(function* () {
        const { another, custodian, finish, heal, next, silence } = yield* CustodianWorld
        yield* next("withdrawal", "settle")
        const order = yield* newWithdrawal
        const taken = yield* custodian.withdraw(order)
        if (taken._tag !== "Done") return assert.fail(shown(taken))
        const { providerReference } = taken.value
        const fresh = yield* another
        yield* silence
        yield* Effect.ensuring(
          Effect.gen(function* () {
            assert.strictEqual((yield* Effect.flip(custodian.balances))._tag, "ProviderError")
            assert.strictEqual((yield* Effect.flip(fresh.pairs))._tag, "ProviderError")
            assert.strictEqual((yield* Effect.flip(fresh.assets))._tag, "ProviderError")
            assert.isNull(yield* fresh.withdrawalFee(order.amount.currency, order.network))
            assert.strictEqual((yield* fresh.withdrawal(order, providerReference))._tag, "Unknown")
            assert.strictEqual((yield* fresh.conversion(yield* newConversion(), null))._tag, "Unknown")
          }),
          heal
        )
        yield* finish
        const answer = yield* custodian.withdrawal(order, providerReference)
        assert.strictEqual(answer._tag === "Done" ? answer.value._tag : answer._tag, "Settled")
        return undefined
      }),
    timeoutMs
  )
}
