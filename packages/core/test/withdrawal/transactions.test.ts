import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { done } from "@bursar/core/port/ProviderResult"
import type { WithdrawalState } from "@bursar/core/port/Custodian"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { Queries } from "@bursar/core/store/Queries"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { store, submit, verified, withdraw, withdrawer } from "./world.ts"

const digits = "AB".repeat(32)
const canonical = `0x${digits.toLowerCase()}`

/** The transaction of a withdrawal of which the custodian says something. */
const transactionAfter = Effect.fnUntraced(function* (...states: ReadonlyArray<WithdrawalState>) {
  const id = yield* withdrawer()
  yield* verified(id, "0x00000000000000000000000000000000000000A1")
  const operation = yield* withdraw(id, 5_000_000n)
  if (typeof operation === "string") return assert.fail(operation)
  for (const state of states)
    yield* submit(
      id,
      recordWithdrawal({
        operation,
        answer: done({ ...state, providerReference: operation.id }),
        networkFeeBorneBy: "RECEIVER",
        currencies: defaultCurrencies
      })
    )
  return (yield* (yield* Queries).operation(id, operation.id))?.txHash
})

const told = (_tag: "Pending" | "Settled", txHash: string | null): WithdrawalState =>
  _tag === "Pending"
    ? { _tag, providerReference: "w-1", txHash }
    : { _tag, providerReference: "w-1", txHash, networkFee: null }

describe("the transaction that a custodian names", () => {
  it.effect("is stored as its network writes it, whichever way it was told", () =>
    Effect.gen(function* () {
      for (const text of [digits, `0x${digits}`, canonical]) {
        assert.strictEqual(yield* transactionAfter(told("Pending", text)), canonical)
        assert.strictEqual(yield* transactionAfter(told("Settled", text)), canonical)
      }
      assert.strictEqual(yield* transactionAfter(told("Pending", digits), told("Settled", null)), canonical)
    }).pipe(Effect.provide(store))
  )

  it.effect("stays as it was told where it is no hash of the network", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* transactionAfter(told("Settled", "internal transfer 17")), "internal transfer 17")
    }).pipe(Effect.provide(store))
  )
})
