import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { resolutionWatchMs } from "@bursar/core/operation/resolved"
import { beginCustody } from "@bursar/core/custody/beginCustody"
import { done } from "@bursar/core/port/ProviderResult"
import type { WithdrawalState } from "@bursar/core/port/Custodian"
import { Queries } from "@bursar/core/store/Queries"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { store, submit, verified, withdraw, withdrawer, wrong } from "./world.ts"

describe("a withdrawal of which the custodian says that it failed", () => {
  it.effect("is asked about for a while; that it was paid after all is noted and books nothing", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* verified(id, "0x00000000000000000000000000000000000000A1")
      const made = yield* withdraw(id, 5_000_000n)
      if (typeof made === "string") return assert.fail(made)
      const begun = yield* submit(id, beginCustody(made, { name: "fake", environment: "LIVE" }))
      if (begun._tag !== "Send") return assert.fail(begun._tag)
      const { operation } = begun
      const queries = yield* Queries
      const hear = (state: WithdrawalState) =>
        Effect.andThen(
          submit(
            id,
            recordWithdrawal({
              operation,
              answer: done(state),
              networkFeeBorneBy: "RECEIVER",
              currencies: defaultCurrencies
            })
          ),
          queries.operation(id, operation.id)
        )
      const failed = yield* hear({ _tag: "Failed", providerReference: "w-1", reason: "address refused" })
      if (failed === undefined) return assert.fail("the operation is gone")
      assert.strictEqual(failed.status, "FAILED")
      assert.strictEqual((yield* submit(id, beginCustody(failed, { name: "fake", environment: "LIVE" })))._tag, "Ask")
      const booked = yield* queries.float(id)
      const settled = { _tag: "Settled", providerReference: "w-1", txHash: null, networkFee: null } as const
      const after = yield* hear(settled)
      assert.strictEqual(after?.status, "FAILED")
      assert.deepInclude(after?.details.contradiction, { said: "it says that the order is settled" })
      assert.deepStrictEqual(yield* queries.float(id), booked)
      assert.deepStrictEqual(yield* wrong(id), [])
      yield* TestClock.adjust(resolutionWatchMs)
      assert.strictEqual(
        (yield* submit(id, beginCustody(failed, { name: "fake", environment: "LIVE" })))._tag,
        "Nothing"
      )
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is not taken for another that was paid, which a custodian may find by what it looks like", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* verified(id, "0x00000000000000000000000000000000000000A1")
      const send = Effect.fnUntraced(function* () {
        const made = yield* withdraw(id, 5_000_000n)
        if (typeof made === "string") return assert.fail(made)
        const begun = yield* submit(id, beginCustody(made, { name: "fake", environment: "LIVE" }))
        return begun._tag === "Send" ? begun.operation : assert.fail(begun._tag)
      })
      const [one, other] = [yield* send(), yield* send()]
      const hear = Effect.fnUntraced(function* (operation: typeof one, state: WithdrawalState) {
        const answer = done(state)
        const report = { operation, answer, networkFeeBorneBy: "RECEIVER", currencies: defaultCurrencies } as const
        yield* submit(id, recordWithdrawal(report))
        return yield* (yield* Queries).operation(id, operation.id)
      })
      yield* hear(one, { _tag: "Failed", providerReference: "w-1", reason: "address refused" })
      const paid = { _tag: "Settled", providerReference: "w-2", txHash: null, networkFee: null } as const
      assert.strictEqual((yield* hear(other, paid))?.status, "SETTLED")
      assert.isUndefined((yield* hear(one, paid))?.details.contradiction)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )
})
