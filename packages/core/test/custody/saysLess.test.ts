import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { done } from "@bursar/core/port/ProviderResult"
import type { ConversionState } from "@bursar/core/port/Custodian"
import { recordSwap } from "@bursar/core/swap/recordSwap"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { resolved, stated, stored } from "../resolution/world.ts"
import { store, submit, withdrawer, wrong } from "../withdrawal/world.ts"
import { bought, says, sent, sold } from "../swap/world.ts"

const units = 10_000_000_000n
const part = (units * 6n) / 10n

type Settled = Extract<ConversionState, { readonly _tag: "Settled" }>

const settled = (received: bigint, more: Partial<Settled> = {}) =>
  done<ConversionState>({ _tag: "Settled", providerReference: "c-1", received: of(received, bought), ...more })

const pending = done<ConversionState>({ _tag: "Pending", providerReference: "c-1" })

/** What cannot be booked, and what is said of the same order then that says less of it. */
const cases = [
  ["that a part was sold, and then not how much", settled(part, { sold: of(part, sold) }), settled(part)],
  [
    "of a fee beside of half of it, and then of none",
    settled(units, { sold: of(units, sold), feesBeside: [of(units / 2n, sold)] }),
    settled(units, { sold: of(units, sold) })
  ],
  [
    "of a fee in what is no currency, and then of none",
    settled(units, { feesBeside: [of(5n, "NOPE")] }),
    settled(units)
  ]
] as const

describe("a swap of which the custodian tells what cannot be booked", () => {
  for (const [what, first, less] of cases)
    it.effect(`${what}, is not settled by that`, () =>
      Effect.gen(function* () {
        const id = yield* withdrawer()
        const operation = yield* sent(id, units, false)
        for (const answer of [first, less, pending, less]) {
          yield* says(id, operation, answer)
          const after = yield* stored(id, operation)
          assert.deepStrictEqual([after.status === "SETTLED", after.unresolved], [false, true])
        }
        // all of it is told, and nothing of what was told stays
        yield* says(id, operation, settled(units, { sold: of(units, sold), feesBeside: [] }))
        const { details, status } = yield* stored(id, operation)
        assert.deepStrictEqual([status, details.told_fees, details.told_sold], ["SETTLED", undefined, undefined])
        assert.deepStrictEqual(yield* wrong(id), [])
      }).pipe(Effect.provide(store))
    )

  it.effect("is settled by the word of two operators, who need not repeat it", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, false)
      yield* says(id, operation, settled(part, { sold: of(part, sold), feesBeside: [of(units / 2n, sold)] }))
      const open = yield* stored(id, operation)
      const statement = stated({ providerReference: null, received: of(units, bought) })
      const { details, status } = yield* resolved(id, open, statement)
      assert.deepStrictEqual([status, details.told_fees, details.told_sold], ["SETTLED", undefined, undefined])
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is not settled by an answer to a look that did not know of it", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, false)
      yield* says(id, operation, settled(units, { feesBeside: [of(units / 2n, bought)] }))
      yield* submit(id, recordSwap({ operation, answer: settled(units), currencies: defaultCurrencies }))
      const after = yield* stored(id, operation)
      assert.deepStrictEqual([after.status, after.unresolved], ["PROCESSING", true])
    }).pipe(Effect.provide(store))
  )
})
