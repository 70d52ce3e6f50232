import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { closedContradictionsOf, contradictionsOf } from "@bursar/core/operation/contradictions"
import { done, type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { ConversionState, WithdrawalState } from "@bursar/core/port/Custodian"
import { closeContradiction } from "@bursar/core/resolution/closeContradiction"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { resolved, sentWithdrawal, stated, stored, swapSent } from "../resolution/world.ts"
import { bought, says } from "../swap/world.ts"
import { store, submit, wrong } from "../withdrawal/world.ts"

/** What a custodian says of an order under an id, in short. */
type Word = "denied" | "nothing" | `${"Pending" | "Failed" | "Settled"} ${string}`

const conversion = (word: Word): ProviderResult<ConversionState> => {
  const [tag, providerReference = ""] = word.split(" ")
  if (tag === "Pending") return done({ _tag: "Pending", providerReference })
  if (tag === "Failed") return done({ _tag: "Failed", providerReference, reason: "closed" })
  if (tag === "Settled") return done({ _tag: "Settled", providerReference, received: of(5_000_000n, bought) })
  return tag === "denied" ? refused("no such order") : unknown("503")
}

const withdrawal = (word: Word): ProviderResult<WithdrawalState> => {
  const [tag, providerReference = ""] = word.split(" ")
  if (tag === "Pending") return done({ _tag: "Pending", providerReference, txHash: null })
  if (tag === "Failed") return done({ _tag: "Failed", providerReference, reason: "closed" })
  const txHash = `0x${providerReference.slice(-1).repeat(64)}`
  if (tag === "Settled") return done({ _tag: "Settled", providerReference, txHash, networkFee: null })
  return tag === "denied" ? refused("no such order") : unknown("503")
}

const hearsSwap = (tenant: TenantId, operation: Operation, word: Word) => says(tenant, operation, conversion(word))

const hearsWithdrawal = Effect.fnUntraced(function* (tenant: TenantId, operation: Operation, word: Word) {
  const report = { answer: withdrawal(word), networkFeeBorneBy: "RECEIVER", currencies: defaultCurrencies } as const
  return yield* submit(tenant, recordWithdrawal({ operation: yield* stored(tenant, operation), ...report }))
})

const kinds = [
  ["a swap", swapSent, hearsSwap],
  ["a withdrawal", sentWithdrawal, hearsWithdrawal]
] as const

const noted = (operation: Operation) =>
  contradictionsOf(operation).map(({ moved, reference }) => ({ moved, reference }))

const beside = [{ moved: true, reference: "c-3" }]

describe("what a custodian says to be settled under another id than the order that is open", () => {
  for (const [what, made, hear] of kinds) {
    /** Gives the operation once it was said to be settled as c-3, where it is c-1. */
    const settledElsewhere = Effect.gen(function* () {
      const { operation, tenant } = yield* made
      yield* hear(tenant, operation, "Pending c-1")
      const after = yield* hear(tenant, operation, "Settled c-3")
      assert.deepStrictEqual(after && noted(after), beside, "whoever hears it is told")
      return { operation, tenant }
    })

    for (const word of ["Failed c-1", "Pending c-1", "denied", "nothing", "Settled c-3"] as const)
      it.effect(`of ${what} is noted once, and stays noted and open with "${word}"`, () =>
        Effect.gen(function* () {
          const { operation, tenant } = yield* settledElsewhere
          for (const one of [word, "Failed c-1"] as const) yield* hear(tenant, operation, one)
          const after = yield* stored(tenant, operation)
          assert.deepStrictEqual([noted(after), after.status === "FAILED", after.unresolved], [beside, false, true])
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }).pipe(Effect.provide(store))
      )

    it.effect(`of ${what} stays noted where its own is settled, too`, () =>
      Effect.gen(function* () {
        const { operation, tenant } = yield* settledElsewhere
        yield* hear(tenant, operation, "Settled c-1")
        const after = yield* stored(tenant, operation)
        assert.deepStrictEqual([noted(after), after.status], [beside, "SETTLED"])
      }).pipe(Effect.provide(store))
    )

    it.effect(`of ${what} is settled by it where operators say so, and nothing stands against it then`, () =>
      Effect.gen(function* () {
        const { operation, tenant } = yield* settledElsewhere
        const received = operation.kind === "SWAP" ? of(5_000_000n, bought) : null
        const word = stated({ providerReference: "c-3", received })
        const after = yield* resolved(tenant, yield* stored(tenant, operation), word)
        assert.deepStrictEqual([noted(after), after.status], [[], "SETTLED"])
      }).pipe(Effect.provide(store))
    )

    it.effect(`of ${what} keeps no failure from being believed once operators have dealt with it`, () =>
      Effect.gen(function* () {
        const { operation, tenant } = yield* settledElsewhere
        const seen = yield* stored(tenant, operation)
        yield* submit(tenant, closeContradiction({ operation: seen, by: "olga", reason: "It was another client's." }))
        yield* hear(tenant, operation, "Settled c-3")
        yield* hear(tenant, operation, "Failed c-1")
        const after = yield* stored(tenant, operation)
        assert.deepStrictEqual([noted(after), after.status], [[], "FAILED"])
        assert.strictEqual(closedContradictionsOf(after).length, 1)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      }).pipe(Effect.provide(store))
    )
  }
})
