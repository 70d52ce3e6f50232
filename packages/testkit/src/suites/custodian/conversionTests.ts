import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { CustodianWorld, shown, holding, newConversion } from "./CustodianWorld.ts"

/** Conversions whose answer is seen. `count`: how many the world has. */
export const conversionTests = (it: SuiteIt<CustodianWorld>, count: number, timeoutMs: number): void => {
  for (let index = 0; index < count; index++) {
    it.effect(
      `conversion ${index} is taken, then settled: what it says arrived is what was added, and exactly its amount is gone`,
      () =>
        Effect.gen(function* () {
          const { custodian, finish, next } = yield* CustodianWorld
          yield* next("conversion", "settle")
          const order = yield* newConversion(index)
          const [from, to] = [yield* holding(order.amount.currency), yield* holding(order.to)]
          const taken = yield* custodian.convert(order)
          if (taken._tag !== "Done" || taken.value._tag === "Failed") return assert.fail(shown(taken))
          const { providerReference } = taken.value
          yield* finish
          const answer = yield* custodian.conversion(order, providerReference)
          if (answer._tag !== "Done" || answer.value._tag !== "Settled") return assert.fail(shown(answer))
          const { feesBeside = [], received, sold = order.amount } = answer.value
          assert.strictEqual(answer.value.providerReference, providerReference)
          assert.strictEqual(received.currency, order.to)
          assert.isTrue(received.units > 0n)
          assert.strictEqual(sold.currency, order.amount.currency)
          assert.isTrue(sold.units > 0n && sold.units <= order.amount.units, shown(answer))
          assert.strictEqual((yield* holding(order.to)) - to, received.units)
          const onTop = feesBeside.find(({ currency }) => currency === order.amount.currency)?.units ?? 0n
          assert.strictEqual(from - (yield* holding(order.amount.currency)), order.amount.units + onTop)
          return undefined
        }),
      timeoutMs
    )
  }

  it.effect(
    "a conversion that is taken and given up is failed, for good, and nothing is gone",
    () =>
      Effect.gen(function* () {
        const { custodian, finish, next } = yield* CustodianWorld
        yield* next("conversion", "fail")
        const order = yield* newConversion()
        const before = yield* holding(order.amount.currency)
        const taken = yield* custodian.convert(order)
        if (taken._tag !== "Done") return assert.fail(shown(taken))
        yield* finish
        const answer = yield* custodian.conversion(order, taken.value.providerReference)
        if (answer._tag !== "Done" || answer.value._tag !== "Failed") return assert.fail(shown(answer))
        assert.isNotEmpty(answer.value.reason)
        assert.strictEqual(yield* holding(order.amount.currency), before)
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "what the pairs do not allow is refused for certain: too little, no multiple of the step, more than is held, no pair",
    () =>
      Effect.gen(function* () {
        const { custodian, taken } = yield* CustodianWorld
        const before = yield* taken("conversion")
        const pairs = yield* Effect.orDie(custodian.pairs)
        const order = yield* newConversion()
        const { amount, to } = order
        const pair = pairs.find((one) => one.from === amount.currency && one.to === to)
        if (pair === undefined) return assert.fail("the conversion of the world is no pair")
        const step = pair.step?.units ?? 1n
        const held = yield* holding(amount.currency)
        const impossible = [
          ...(pair.minimum === null ? [] : [pair.minimum.units - 1n]),
          ...(step === 1n ? [] : [amount.units + 1n]),
          ((held + amount.units) / step) * step + step
        ]
        for (const units of impossible) {
          const reference = crypto.randomUUID()
          const answer = yield* custodian.convert({ ...order, reference, amount: { ...amount, units } })
          assert.strictEqual(answer._tag, "Refused", `${units} units`)
        }
        for (const other of [amount.currency, "NO_SUCH"]) {
          const reference = crypto.randomUUID()
          assert.strictEqual((yield* custodian.convert({ ...order, reference, to: other }))._tag, "Refused")
        }
        assert.strictEqual(yield* taken("conversion"), before)
        return undefined
      }),
    timeoutMs
  )
}

/** Conversions that are filled in part and then ended. */
export const partialTests = (it: SuiteIt<CustodianWorld>, timeoutMs: number): void => {
  it.effect(
    "a conversion that is filled in part and then ended is unknown, or settled with how much was sold, and not failed",
    () =>
      Effect.gen(function* () {
        const { another, custodian, finish, next } = yield* CustodianWorld
        yield* next("conversion", "partial")
        const order = yield* newConversion()
        const before = yield* holding(order.to)
        const taken = yield* custodian.convert(order)
        const isOpen = taken._tag === "Unknown" || (taken._tag === "Done" && taken.value._tag === "Pending")
        assert.isTrue(isOpen, shown(taken))
        yield* finish
        assert.isTrue((yield* holding(order.to)) > before, "the world fills a part")
        const providerReference = taken._tag === "Done" ? taken.value.providerReference : null
        for (const asked of [custodian, yield* another]) {
          const answer = yield* asked.conversion(order, providerReference)
          const state = answer._tag === "Done" ? answer.value : undefined
          const sold = state?._tag === "Settled" ? state.sold : undefined
          const isPart = sold?.currency === order.amount.currency && sold.units < order.amount.units
          assert.isTrue(answer._tag === "Unknown" || isPart, shown(answer))
        }
      }),
    timeoutMs
  )
}
