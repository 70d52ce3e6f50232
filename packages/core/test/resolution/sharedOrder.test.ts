import { beginCustody } from "@bursar/core/custody/beginCustody"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { putRecord } from "@bursar/core/engine/Records"
import { Operation } from "@bursar/core/operation/Operation"
import { done } from "@bursar/core/port/ProviderResult"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { approval, stated, stored } from "./world.ts"
import { propose, told } from "../transfer/world.ts"
import { store, submit, verified, withdraw, withdrawer } from "../withdrawal/world.ts"

const sent = Effect.gen(function* () {
  const id = yield* withdrawer()
  yield* verified(id, "0x00000000000000000000000000000000000000aa")
  const made = yield* withdraw(id, 100_000_000n)
  if (typeof made === "string") return assert.fail(made)
  const task = yield* submit(id, beginCustody(made, { name: "fake", environment: "LIVE" }))
  return task._tag === "Send" ? task.operation : assert.fail(task._tag)
})

describe("an order that operations of two tenants had claimed before the upgrade, and that is the other's", () => {
  it.effect("keeps no operators from stating that the second one was never carried out", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* sent, yield* sent]
      const answer = done({ _tag: "Settled" as const, providerReference: "o-1", txHash: null, networkFee: null })
      yield* submit(
        first.tenantId,
        recordWithdrawal({ operation: first, answer, networkFeeBorneBy: "RECEIVER", currencies: defaultCurrencies })
      )
      // what was stored before: the second has the same order, and waits
      const waits: Operation = { ...second, status: "SENT", providerReference: "o-1", unresolved: true }
      yield* submit(
        second.tenantId,
        writing(() => [putRecord(Operation, waits)])
      )
      const named = stated({ outcome: "FAILED", providerReference: "o-1" })
      assert.strictEqual((yield* Effect.flip(propose(second.tenantId, waits, named)))._tag, "Refusal")
      const failed = stated({ outcome: "FAILED", providerReference: null })
      const resolution = yield* propose(second.tenantId, waits, failed)
      yield* submit(second.tenantId, approval(waits, resolution))
      const after = yield* stored(second.tenantId, second)
      assert.deepInclude(after, { status: "FAILED", unresolved: false, providerReference: null })
      for (const { data } of yield* told(second.tenantId, second))
        assert.notStrictEqual(data["provider_reference"], "o-1")
      assert.strictEqual((yield* stored(first.tenantId, first)).status, "SETTLED")
    }).pipe(Effect.provide(store))
  )
})
