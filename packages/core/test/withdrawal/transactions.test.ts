import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { done } from "@bursar/core/port/ProviderResult"
import type { WithdrawalState } from "@bursar/core/port/Custodian"
import type { Operation } from "@bursar/core/operation/Operation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordWithdrawal, type WithdrawalReport } from "@bursar/core/withdrawal/recordWithdrawal"
import { Queries } from "@bursar/core/store/Queries"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { store, submit, verified, withdraw, withdrawer } from "./world.ts"

const digits = "AB".repeat(32)
const canonical = `0x${digits.toLowerCase()}`

/** The custodian says something of a withdrawal, or operators do. */
const hear = Effect.fnUntraced(function* (
  tenantId: TenantId,
  { id }: Operation,
  state: WithdrawalState,
  more: Pick<WithdrawalReport, "stated"> = {}
) {
  // as the worker has it when it asks
  const operation = yield* (yield* Queries).operation(tenantId, id)
  if (operation === undefined) return assert.fail(`no operation ${id}`)
  yield* submit(
    tenantId,
    recordWithdrawal({
      operation,
      answer: done({ ...state, providerReference: id }),
      networkFeeBorneBy: "RECEIVER",
      currencies: defaultCurrencies,
      ...more
    })
  )
})

/** The transaction of a withdrawal of which the custodian says something. */
const transactionAfter = Effect.fnUntraced(function* (...states: ReadonlyArray<WithdrawalState>) {
  const id = yield* withdrawer()
  yield* verified(id, "0x00000000000000000000000000000000000000A1")
  const operation = yield* withdraw(id, 5_000_000n)
  if (typeof operation === "string") return assert.fail(operation)
  for (const state of states) yield* hear(id, operation, state)
  return (yield* (yield* Queries).operation(id, operation.id))?.txHash
})

const told = (_tag: "Pending" | "Settled", txHash: string | null): WithdrawalState =>
  _tag === "Pending"
    ? { _tag, providerReference: "w-1", txHash }
    : { _tag, providerReference: "w-1", txHash, networkFee: null }

/** An outcome that cannot be booked. */
const feeTooGreat = (txHash: string | null): WithdrawalState => ({
  _tag: "Settled",
  providerReference: "w-1",
  txHash,
  networkFee: of(5_000_000n, "USDC_BASE")
})

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

  it.effect("is not taken back by an answer that names none", () =>
    Effect.gen(function* () {
      for (const first of [told("Pending", digits), feeTooGreat(digits)])
        for (const later of [told("Pending", null), feeTooGreat(null)]) {
          assert.strictEqual(yield* transactionAfter(first, later), canonical)
          assert.strictEqual(yield* transactionAfter(first, later, told("Settled", null)), canonical)
        }
    }).pipe(Effect.provide(store))
  )

  it.effect("settles no second withdrawal of which it is not named again", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* verified(id, "0x00000000000000000000000000000000000000A1")
      const [first, second] = [yield* withdraw(id, 5_000_000n), yield* withdraw(id, 5_000_000n)]
      if (typeof first === "string" || typeof second === "string") return assert.fail("both were to be taken")
      yield* hear(id, second, told("Pending", digits))
      yield* hear(id, first, told("Settled", digits), { stated: true })
      yield* hear(id, second, told("Settled", null))
      const queries = yield* Queries
      assert.strictEqual((yield* queries.operation(id, first.id))?.status, "SETTLED")
      const open = yield* queries.operation(id, second.id)
      assert.deepStrictEqual([open?.status, open?.unresolved], ["SENT", true])
    }).pipe(Effect.provide(store))
  )

  it.effect("stays as it was told where it is no hash of the network", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* transactionAfter(told("Settled", "internal transfer 17")), "internal transfer 17")
    }).pipe(Effect.provide(store))
  )
})
