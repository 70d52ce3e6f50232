import { done } from "@bursar/core/port/ProviderResult"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import { Operation } from "@bursar/core/operation/Operation"
import { putRecord } from "@bursar/core/engine/Records"
import { closeContradiction } from "@bursar/core/resolution/closeContradiction"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { of } from "@bursar/core/money/Amount"
import { bought, says, sent } from "../swap/world.ts"
import { refusalOf } from "../transfer/world.ts"
import { store, submit, withdrawer, wrong } from "../withdrawal/world.ts"

const units = 10_000n

const read = (id: TenantId, operation: Operation) =>
  Effect.gen(function* () {
    return (yield* (yield* Queries).operation(id, operation.id)) ?? assert.fail("the swap is gone")
  })

const late = (providerReference: string) =>
  done({ _tag: "Settled" as const, providerReference, received: of(units, bought) })

/** A swap that has failed, of which its custodian says then that it has settled it. */
const contradicted = Effect.gen(function* () {
  const id = yield* withdrawer()
  const operation = yield* sent(id, units, true)
  yield* says(id, operation, done({ _tag: "Failed", providerReference: "c-1", reason: "no" }))
  yield* says(id, operation, late("c-1"))
  return { id, operation: yield* read(id, operation) }
})

const closing = (operation: Operation) => closeContradiction({ operation, by: "anna", reason: "Sold it there." })

describe("an operator who has dealt with what contradicts an operation", () => {
  it.effect("closes it without moving anything, and the same told again opens nothing", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* contradicted
      const booked = yield* (yield* Queries).float(id)
      const after = yield* submit(id, closing(operation))
      assert.deepStrictEqual(contradictionsOf(after), [])
      const { contradiction: _, ...details } = operation.details
      const { closed_contradictions: closed, ...left } = after.details
      assert.deepStrictEqual({ ...after, details: left }, { ...operation, details })
      assert.deepInclude(closed?.[0], { closed_by: "anna", reason: "Sold it there.", reference: "c-1" })
      yield* says(id, operation, late("c-1"))
      assert.deepStrictEqual(contradictionsOf(yield* read(id, operation)), [])
      yield* says(id, operation, late("c-2"))
      assert.lengthOf(contradictionsOf(yield* read(id, operation)), 1)
      assert.deepStrictEqual(yield* (yield* Queries).float(id), booked)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("closes nothing that was said after it was read, and nothing twice", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* contradicted
      yield* says(id, operation, late("c-2"))
      assert.deepStrictEqual(yield* refusalOf(id, closing(operation)), "state_conflict")
      const now = yield* read(id, operation)
      assert.lengthOf(contradictionsOf(now), 2)
      yield* submit(id, closing(now))
      assert.deepStrictEqual(yield* refusalOf(id, closing(now)), "state_conflict")
      // the same was taken back and told anew while it was looked at
      const told = (at: number): Operation => {
        const contradiction = { said: "settled", at, reference: "c-1", moved: true }
        return { ...now, details: { ...now.details, contradiction } }
      }
      yield* submit(
        id,
        writing(() => [putRecord(Operation, told(2))])
      )
      assert.deepStrictEqual(yield* refusalOf(id, closing(told(1))), "state_conflict")
      const gone: Operation = { ...now, id: "019845e1-682f-7b02-a706-00000000ffff" }
      assert.deepStrictEqual(yield* refusalOf(id, closing(gone)), "not_found")
    }).pipe(Effect.provide(store))
  )
})
