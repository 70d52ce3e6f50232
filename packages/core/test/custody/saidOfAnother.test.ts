import { of } from "@bursar/core/money/Amount"
import type { Operation } from "@bursar/core/operation/Operation"
import type { ConversionState } from "@bursar/core/port/Custodian"
import { done, refused } from "@bursar/core/port/ProviderResult"
import type { Statement } from "@bursar/core/resolution/Resolution"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { approval, resolved, stored } from "../resolution/world.ts"
import { bought, says as saysOfSwap, sent as sentSwap } from "../swap/world.ts"
import { hear, payer, propose, says, send, sender, settledWith, wrong } from "../transfer/world.ts"
import { store, submit, withdrawer } from "../withdrawal/world.ts"

const why = "the order is mine, and the provider answered with anothers"
const back = says("RETURNED", { providerReference: "anothers" })

/** Whether a proposal is approved after something was said meanwhile; what it is refused with. */
const decided = Effect.fnUntraced(function* <E, R>(
  tenant: TenantId,
  operation: Operation,
  statement: Statement,
  meanwhile: Effect.Effect<unknown, E, R>
) {
  const proposed = yield* propose(tenant, operation, statement)
  yield* meanwhile
  return yield* submit(tenant, approval(yield* stored(tenant, operation), proposed)).pipe(
    Effect.as("approved"),
    Effect.catchTag("Refusal", ({ message }) => Effect.succeed(message))
  )
})

const settled = Effect.gen(function* () {
  const tenant = yield* payer()
  const operation = yield* send(tenant)
  yield* hear(tenant, operation, says("SETTLED", { providerReference: "mine" }))
  return { tenant, operation }
})

describe("what is said under another id of an operation that operators look at already", () => {
  it.effect("is why they look at what arrived in suspense, and keeps them from placing what has gone back", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const operation = yield* send(tenant, { kind: "ON_RAMP", payee: null })
      const dollars = of(10_000n, "USD")
      const arrived = says("SETTLED", { providerReference: "mine", received: dollars, sender })
      const suspended = yield* hear(tenant, operation, arrived)
      const returned = says("RETURNED", { providerReference: "anothers", returned: dollars, received: dollars })
      const said = yield* decided(tenant, suspended, settledWith(10_000n, "USD"), hear(tenant, operation, returned))
      assert.match(said, /stale/u)
      const after = yield* stored(tenant, operation)
      assert.strictEqual(after.details.unresolved_because, why)
      assert.deepInclude(after, { status: suspended.status, providerReference: "mine", unresolved: true })
      // its own order takes it back
      const own = yield* hear(tenant, operation, arrived)
      assert.strictEqual(own.details.unresolved_because, suspended.details.unresolved_because)
      assert.deepStrictEqual(yield* wrong(tenant), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("makes a proposal about a transfer that has settled stale", () =>
    Effect.gen(function* () {
      const { operation, tenant } = yield* settled
      const flagged = yield* hear(tenant, operation, says("FAILED", { providerReference: "mine" }))
      const said = yield* decided(tenant, flagged, settledWith(10_000n, "EUR"), hear(tenant, operation, back))
      assert.match(said, /stale/u)
      assert.strictEqual((yield* stored(tenant, operation)).details.unresolved_because, why)
    }).pipe(Effect.provide(store))
  )

  it.effect("makes a proposal about an order of a custodian stale", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const swap = yield* sentSwap(id, 10_000n, false)
      const told = (providerReference: string) =>
        saysOfSwap(
          id,
          swap,
          done<ConversionState>({ _tag: "Settled", providerReference, received: of(10_000n, bought) })
        )
      yield* saysOfSwap(id, swap, done<ConversionState>({ _tag: "Pending", providerReference: "mine" }))
      yield* told("second")
      const statement = { ...settledWith(10_000n, bought), providerReference: "second" }
      assert.match(yield* decided(id, yield* stored(id, swap), statement, told("third")), /stale/u)
    }).pipe(Effect.provide(store))
  )

  for (const [what, answer, because] of [
    ["a return under another id", back, why],
    ["that the provider denies it", refused("what order"), "the provider denies the order: what order"]
  ] as const)
    it.effect(`is no news once they have decided on it: ${what}`, () =>
      Effect.gen(function* () {
        const { operation, tenant } = yield* settled
        const flagged = yield* hear(tenant, operation, answer)
        assert.strictEqual(flagged.details.unresolved_because, because)
        yield* resolved(tenant, flagged, settledWith(10_000n, "EUR"))
        assert.isFalse((yield* hear(tenant, operation, answer)).unresolved)
        const more = says("RETURNED", { providerReference: "anothers", returned: of(4_000n, "EUR") })
        assert.isTrue((yield* hear(tenant, operation, more)).unresolved)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      }).pipe(Effect.provide(store))
    )
})
