import { contradiction } from "@bursar/core/custody/contradiction"
import { hearReplaced } from "@bursar/core/custody/hearReplaced"
import { of } from "@bursar/core/money/Amount"
import type { Operation } from "@bursar/core/operation/Operation"
import type { ConversionState } from "@bursar/core/port/Custodian"
import { done, type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { resolved, stored } from "../resolution/world.ts"
import { bought, says, sent } from "../swap/world.ts"
import { float, settledWith } from "../transfer/world.ts"
import { store, submit, withdrawer, wrong } from "../withdrawal/world.ts"

const units = 10_000n

const pending = (providerReference: string) => done<ConversionState>({ _tag: "Pending", providerReference })
const settled = (providerReference: string) =>
  done<ConversionState>({ _tag: "Settled", providerReference, received: of(units, bought) })
const failed = done<ConversionState>({ _tag: "Failed", providerReference: "first", reason: "the market is closed" })

/** What is noted once the custodian has said something of it under another id, beside what counts. */
const heard = Effect.fnUntraced(function* (
  id: TenantId,
  operation: Operation,
  answer: ProviderResult<ConversionState>
) {
  yield* submit(id, hearReplaced(operation, answer, contradiction))
  return (yield* stored(id, operation)).details.contradiction?.said
})

/** A swap whose order the custodian had called `first`, and which operators have stated to have ended under `second`. */
const stated = Effect.fnUntraced(function* (outcome: "SETTLED" | "FAILED") {
  const id = yield* withdrawer()
  const operation = yield* sent(id, units, false)
  yield* says(id, operation, pending("first"))
  const open = yield* stored(id, operation)
  const settling = { ...settledWith(units, bought), providerReference: "second" }
  const failing = { ...settling, outcome: "FAILED", received: null } as const
  return { id, operation: yield* resolved(id, open, outcome === "SETTLED" ? settling : failing) }
})

describe("what a custodian says of an operation under an id that operators have replaced", () => {
  for (const outcome of ["SETTLED", "FAILED"] as const)
    it.effect(`is noted where money has moved by it, too, once, and books nothing (${outcome})`, () =>
      Effect.gen(function* () {
        const { id, operation } = yield* stated(outcome)
        const booked = yield* float(id)
        for (const answer of [pending("first"), failed, refused("no such order"), unknown("503"), settled("third")])
          assert.isUndefined(yield* heard(id, operation, answer))
        for (let times = 0; times < 2; times += 1)
          assert.strictEqual(
            yield* heard(id, operation, settled("first")),
            `it says that the order is settled with ${units} base units of ${bought}, under the id first`
          )
        const after = yield* stored(id, operation)
        assert.deepInclude(after, { status: outcome, providerReference: "second" })
        assert.isUndefined(after.details.contradiction?.others)
        assert.deepStrictEqual(yield* float(id), booked)
        assert.deepStrictEqual(yield* wrong(id), [])
      }).pipe(Effect.provide(store))
    )

  it.effect("is not taken for what is said of the order that counts", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* stated("FAILED")
      assert.isUndefined(yield* heard(id, operation, settled("second")))
    }).pipe(Effect.provide(store))
  )
})
