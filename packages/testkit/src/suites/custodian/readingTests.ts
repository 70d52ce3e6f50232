import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import {
  type CustodianTerms,
  CustodianWorld,
  shown,
  newConversion,
  newWithdrawal,
  orderKinds
} from "./CustodianWorld.ts"
import { newOrder } from "./orders.ts"

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

/** Nothing is concluded from a custodian that is silent, or answers with errors. */
export const silenceTests = (
  it: SuiteIt<CustodianWorld>,
  { absentAfterMs, has }: CustodianTerms,
  timeoutMs: number
): void => {
  for (const fault of has.includes("errors") ? (["silence", "errors"] as const) : (["silence"] as const)) {
    it.effect(
      `nothing is concluded from ${fault}, however old an order is`,
      () =>
        Effect.gen(function* () {
          const world = yield* CustodianWorld
          const { another, custodian, finish, heal, next } = world
          yield* next("withdrawal", "settle")
          const order = yield* newWithdrawal
          const taken = yield* custodian.withdraw(order)
          if (taken._tag !== "Done") return assert.fail(shown(taken))
          const { providerReference } = taken.value
          const fresh = yield* another
          yield* world[fault]
          yield* Effect.ensuring(
            Effect.gen(function* () {
              assert.strictEqual((yield* Effect.flip(custodian.balances))._tag, "ProviderError")
              assert.strictEqual((yield* Effect.flip(fresh.pairs))._tag, "ProviderError")
              assert.strictEqual((yield* Effect.flip(fresh.assets))._tag, "ProviderError")
              assert.isNull(yield* fresh.withdrawalFee(order.amount.currency, order.network))
              assert.strictEqual((yield* fresh.withdrawal(order, providerReference))._tag, "Unknown")
              for (const kind of orderKinds) {
                const never = yield* newOrder(kind)
                // an old one is what a search that finds nothing refuses
                for (const ms of [0, absentAfterMs + 60_000])
                  assert.strictEqual((yield* never.aged(ms).ask(fresh, null))._tag, "Unknown", `${kind}, ${ms} ms old`)
              }
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
}
