import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { unknown } from "@bursar/core/port/ProviderResult"
import type { Statement } from "@bursar/core/resolution/Resolution"
import { approveResolution } from "@bursar/core/resolution/resolutionCommands"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  float,
  hear,
  payer,
  propose,
  says,
  send,
  sender,
  settledWith,
  store,
  submit,
  told as eventsAbout,
  wrong
} from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)

/** An OFF_RAMP that settled with one amount, and of which the provider then told another. */
const toldTwice = Effect.fnUntraced(function* (first: bigint, second: bigint) {
  const tenant = yield* payer()
  const order = { kind: "OFF_RAMP", amount: of(10_000_000n, "USDC_BASE"), toCurrency: "EUR" } as const
  const sent = yield* send(tenant, order)
  yield* hear(tenant, sent, says("SETTLED", { received: of(first, "EUR") }))
  const operation = yield* hear(tenant, sent, says("SETTLED", { received: of(second, "EUR") }))
  assert.deepStrictEqual([operation.status, operation.unresolved], ["SETTLED", true])
  assert.deepStrictEqual(operation.toAmount, of(first, "EUR"))
  return { tenant, operation }
})

const resolve = Effect.fnUntraced(function* (tenant: TenantId, operation: Operation, statement: Statement) {
  const resolution = yield* propose(tenant, operation, statement)
  yield* submit(tenant, approveResolution({ resolution, operation, by: "ben", currencies, proof: null }))
  return (yield* (yield* Queries).operation(tenant, operation.id)) ?? assert.fail("the operation is gone")
})

describe("a settled transfer of which its provider tells another amount", () => {
  for (const [what, stated] of [
    ["the later", 1_000n],
    ["the earlier", 900n]
  ] as const)
    it.effect(`is ended by two operators with what was paid out: ${what}; nothing moves`, () =>
      run(
        Effect.gen(function* () {
          const { operation, tenant } = yield* toldTwice(900n, 1_000n)
          const before = yield* float(tenant, "USDC_BASE")
          const events = (yield* eventsAbout(tenant, operation)).length
          const after = yield* resolve(tenant, operation, settledWith(stated, "EUR"))
          assert.deepStrictEqual([after.status, after.unresolved], ["SETTLED", false])
          assert.deepStrictEqual(after.toAmount, of(stated, "EUR"))
          assert.deepStrictEqual(yield* float(tenant, "USDC_BASE"), before)
          assert.strictEqual((yield* eventsAbout(tenant, operation)).length, events)
          assert.deepStrictEqual(yield* wrong(tenant), [])
          // the provider tells what it has told last, for as long as it is asked: that was decided, and anything else is news
          const again = yield* hear(tenant, after, says("SETTLED", { received: of(1_000n, "EUR") }))
          assert.deepStrictEqual([again.toAmount, again.unresolved], [of(stated, "EUR"), false])
          const third = yield* hear(tenant, again, says("SETTLED", { received: of(1_100n, "EUR") }))
          assert.deepStrictEqual([third.toAmount, third.unresolved], [of(stated, "EUR"), true])
        })
      )
    )

  for (const [what, stated] of [
    ["the later of two", 1_000n],
    ["neither of them", 950n]
  ] as const)
    it.effect(`that was corrected to ${what} is not flagged again by either, and is by a third`, () =>
      run(
        Effect.gen(function* () {
          const { operation, tenant } = yield* toldTwice(900n, 1_000n)
          const after = yield* resolve(tenant, operation, settledWith(stated, "EUR"))
          const told = (units: bigint) => hear(tenant, after, says("SETTLED", { received: of(units, "EUR") }))
          for (const units of [900n, 1_000n, 900n, stated]) {
            const again = yield* told(units)
            assert.deepStrictEqual([again.toAmount, again.unresolved], [of(stated, "EUR"), false])
          }
          const third = yield* told(1_100n)
          assert.deepStrictEqual([third.toAmount, third.unresolved], [of(stated, "EUR"), true])
          // decided anew: against all but the first
          const first = yield* resolve(tenant, third, settledWith(900n, "EUR"))
          for (const units of [1_100n, 1_000n, stated, 900n]) {
            const again = yield* told(units)
            assert.deepStrictEqual([again.toAmount, again.unresolved], [of(900n, "EUR"), false])
          }
          assert.isTrue((yield* told(800n)).unresolved)
          assert.strictEqual(first.status, "SETTLED")
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
    )

  it.effect("is not approved where its provider told a third amount since it was proposed", () =>
    run(
      Effect.gen(function* () {
        const { operation, tenant } = yield* toldTwice(900n, 1_000n)
        const resolution = yield* propose(tenant, operation, settledWith(1_000n, "EUR"))
        const approve = submit(tenant, approveResolution({ resolution, operation, by: "ben", currencies, proof: null }))
        yield* hear(tenant, operation, says("SETTLED", { received: of(1_100n, "EUR") }))
        const stale = yield* Effect.flip(approve)
        assert.strictEqual(stale._tag === "Refusal" && stale.code, "state_conflict")
        assert.include(stale.message, "1100 EUR")
        // no answer, and the words that were there when it was proposed, are no news
        yield* hear(tenant, operation, says("SETTLED", { received: of(1_000n, "EUR") }))
        yield* hear(tenant, operation, unknown("no answer"))
        yield* approve
        const after = yield* (yield* Queries).operation(tenant, operation.id)
        assert.deepStrictEqual([after?.toAmount, after?.unresolved], [of(1_000n, "EUR"), false])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is not ended by one operator, in another currency, or by the provider's third amount", () =>
    run(
      Effect.gen(function* () {
        const { operation, tenant } = yield* toldTwice(900n, 1_000n)
        const strange = yield* Effect.flip(propose(tenant, operation, settledWith(1_000n, "USD")))
        assert.strictEqual(strange._tag === "Refusal" && strange.code, "state_conflict")
        const resolution = yield* propose(tenant, operation, settledWith(1_000n, "EUR"))
        const alone = submit(tenant, approveResolution({ resolution, operation, by: "anna", currencies, proof: null }))
        assert.strictEqual((yield* Effect.flip(alone))._tag, "Refusal")
        const third = yield* hear(tenant, operation, says("SETTLED", { received: of(1_100n, "EUR") }))
        assert.deepStrictEqual([third.toAmount, third.unresolved], [of(900n, "EUR"), true])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect(
    "is flagged again where its provider takes another amount back and repeats it: nobody decided on that",
    () =>
      run(
        Effect.gen(function* () {
          const { operation, tenant } = yield* toldTwice(900n, 1_000n)
          const after = yield* resolve(tenant, operation, settledWith(900n, "EUR"))
          const told = (units: bigint) => hear(tenant, after, says("SETTLED", { received: of(units, "EUR") }))
          assert.isTrue((yield* told(1_100n)).unresolved)
          assert.isFalse((yield* told(900n)).unresolved)
          const again = yield* told(1_100n)
          assert.deepStrictEqual([again.toAmount, again.unresolved], [of(900n, "EUR"), true])
        })
      )
  )

  it.effect("stays flagged where its provider tells no amount after two: it takes neither back", () =>
    run(
      Effect.gen(function* () {
        const { operation, tenant } = yield* toldTwice(900n, 1_000n)
        const silent = yield* hear(tenant, operation, says("SETTLED", { received: null }))
        assert.deepStrictEqual([silent.toAmount, silent.unresolved], [of(900n, "EUR"), true])
        assert.strictEqual(silent.details.unresolved_because, operation.details.unresolved_because)
        assert.isFalse((yield* hear(tenant, operation, says("SETTLED", { received: of(900n, "EUR") }))).unresolved)
      })
    )
  )

  it.effect("is not corrected where the amount stands in the books: what arrived for an ON_RAMP", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const sent = yield* send(tenant, { kind: "ON_RAMP", payee: null })
        yield* hear(tenant, sent, says("SETTLED", { received: of(10_000n, "EUR"), sender }))
        const operation = yield* hear(tenant, sent, says("SETTLED", { received: of(9_000n, "EUR"), sender }))
        assert.isTrue(operation.unresolved)
        const before = yield* float(tenant, "EUR")
        const refused = yield* Effect.flip(propose(tenant, operation, settledWith(9_000n, "EUR")))
        assert.strictEqual(refused._tag === "Refusal" && refused.code, "state_conflict")
        assert.deepStrictEqual(yield* float(tenant, "EUR"), before)
      })
    )
  )
})

describe("an ON_RAMP of which its provider tells another amount than was credited", () => {
  const extra = { received: of(15_000n, "EUR"), returned: of(5_000n, "EUR") }
  for (const [what, back] of [
    ["says so again", extra],
    ["does not say it again", { returned: of(5_000n, "EUR") }]
  ] as const)
    it.effect(`gives nothing back of what was credited where the bank takes back the rest, and ${what}`, () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const operation = yield* send(tenant, { kind: "ON_RAMP", payee: null })
          yield* hear(tenant, operation, says("SETTLED", { received: of(10_000n, "EUR"), sender }))
          yield* hear(tenant, operation, says("SETTLED", { received: of(15_000n, "EUR"), sender }))
          const before = yield* float(tenant)
          const after = yield* hear(tenant, operation, says("RETURNED", back))
          assert.deepStrictEqual([after.status, after.unresolved], ["SETTLED", true])
          assert.deepStrictEqual(yield* float(tenant), before)
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
    )

  it.effect("gives nothing back because the same return comes again without that amount", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const sent = yield* send(tenant, { kind: "ON_RAMP", payee: null })
        const operation = yield* hear(tenant, sent, says("SETTLED", { received: of(10_000n, "EUR"), sender }))
        const before = yield* float(tenant)
        yield* hear(tenant, operation, says("RETURNED", extra))
        const after = yield* hear(tenant, operation, says("RETURNED", { returned: extra.returned }))
        assert.deepStrictEqual([after.status, after.unresolved], ["SETTLED", true])
        assert.deepStrictEqual(yield* float(tenant), before)
        // what it tells as it was booked takes that back
        const told = yield* hear(tenant, operation, says("RETURNED", { ...extra, received: of(10_000n, "EUR") }))
        assert.deepStrictEqual([told.status, told.unresolved], ["RETURNED", false])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("gives back what comes back of an amount that operators decided against", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const sent = yield* send(tenant, { kind: "ON_RAMP", payee: null })
        yield* hear(tenant, sent, says("SETTLED", { received: of(10_000n, "EUR"), sender }))
        const operation = yield* hear(tenant, sent, says("SETTLED", { received: of(15_000n, "EUR"), sender }))
        const decided = yield* resolve(tenant, operation, settledWith(10_000n, "EUR"))
        const before = yield* float(tenant)
        const after = yield* hear(tenant, decided, says("RETURNED", extra))
        assert.deepStrictEqual([after.status, after.unresolved], ["RETURNED", false])
        assert.notDeepEqual(yield* float(tenant), before)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("gives back what comes back later, where its provider has told the credited amount again since", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const sent = yield* send(tenant, { kind: "ON_RAMP", payee: null })
        yield* hear(tenant, sent, says("SETTLED", { received: of(10_000n, "EUR"), sender }))
        yield* hear(tenant, sent, says("RETURNED", { received: of(9_000n, "EUR"), returned: null }))
        const known = yield* hear(tenant, sent, says("SETTLED", { received: of(10_000n, "EUR") }))
        // how much is left is still not known
        assert.isTrue(known.unresolved)
        assert.isTrue((yield* hear(tenant, sent, says("RETURNED", { returned: null }))).unresolved)
        const after = yield* hear(tenant, sent, says("RETURNED", { returned: of(10_000n, "EUR") }))
        assert.deepStrictEqual([after.status, after.unresolved], ["RETURNED", false])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )
})

describe("an ON_RAMP in suspense of which its provider tells another amount than arrived", () => {
  const came = of(9_000n, "USD")

  for (const [what, back, answer] of [
    ["with a part that went back", 4_000n, says("RETURNED", { received: came, returned: of(4_000n, "USD") })],
    ["of what arrived", 0n, says("SETTLED", { received: came })]
  ] as const)
    it.effect(`gives back the rest, where its provider has told the right one again since: ${what}`, () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const sent = yield* send(tenant, { kind: "ON_RAMP", payee: null })
          const first = yield* hear(tenant, sent, says("SETTLED", { received: came, sender }))
          for (const round of ["first", "again"]) {
            const told = yield* hear(tenant, sent, says("RETURNED", { received: of(8_000n, "USD"), returned: null }))
            assert.notStrictEqual(told.details.unresolved_because, first.details.unresolved_because, round)
            const known = yield* hear(tenant, sent, answer)
            assert.deepStrictEqual([known.unresolved, known.details.returned ?? "0"], [true, String(back)])
            if (back > 0n) assert.strictEqual(known.details.unresolved_because, first.details.reason)
            // how much of it came back is still not known
            else assert.include(known.details.unresolved_because, "come back")
            assert.deepStrictEqual(known.details.told, back > 0n ? undefined : { units: "9000", currency: "USD" })
            assert.deepStrictEqual(yield* hear(tenant, sent, answer), known, "told again it is no news")
          }
          const after = yield* hear(tenant, sent, says("RETURNED", { returned: came }))
          assert.deepStrictEqual([after.status, after.unresolved], ["RETURNED", false])
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
    )
})
