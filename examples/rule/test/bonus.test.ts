import { Writer } from "@bursar/core"
import type { Command } from "@bursar/core/engine/Command"
import { Refusal } from "@bursar/core/base/Refusal"
import type { Amount } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Operation } from "@bursar/core/operation/Operation"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"

/** Tops a float up with a bonus, as long as it holds no more than `upTo` already. */
const bonus = (amount: Amount, upTo: bigint): Command<Operation> => {
  const adjustment = adjustFloat({ amount, against: "custodian", reason: "bonus" })
  return {
    name: "Bonus",
    reads: [...adjustment.reads, { _tag: "Balance", account: "float:available", currency: amount.currency }],
    decide: (view) =>
      view.balance("float:available", amount.currency).units > upTo
        ? Result.fail(new Refusal({ code: "state_conflict", message: "A bonus is for a float that is nearly empty." }))
        : adjustment.decide(view)
  }
}

const acme = TenantId("019845e1-682f-7b02-a706-3b2422d13aec")

const makeAcme = Effect.gen(function* () {
  const tenants = yield* Tenants
  yield* tenants.create({
    id: acme,
    slug: "acme",
    name: "Acme",
    kind: "SANDBOX",
    status: "ACTIVE",
    policy: defaultPolicy,
    createdAt: 0
  })
})

const storage = Writer.layer.pipe(Layer.provideMerge(Memory.layer))

layer(Layer.effectDiscard(makeAcme).pipe(Layer.provideMerge(storage)))("a bonus", (it) => {
  it.effect("is given once when three ask at the same moment", () =>
    Effect.gen(function* () {
      const { submit } = yield* Writer.Writer
      const ask = submit(acme, bonus({ units: 10n, currency: "ETH" }, 5n))
      const answers = yield* Effect.all(
        Array.from({ length: 3 }, () => Effect.result(ask)),
        {
          concurrency: "unbounded"
        }
      )
      // all three went into one commit, and each was decided over what the one before had changed
      const [given, ...refused] = answers.toSorted((one) => (Result.isSuccess(one) ? -1 : 1))
      assert.strictEqual(Result.getOrThrow(given!).amount.units, 10n)
      for (const one of refused) assert.strictEqual(Result.getOrThrow(Result.flip(one))._tag, "Refusal")
      assert.strictEqual(refused.length, 2)
    })
  )
})
