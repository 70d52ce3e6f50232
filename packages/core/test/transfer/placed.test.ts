import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { putRecord } from "@bursar/core/engine/Records"
import { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import type { Statement } from "@bursar/core/resolution/Resolution"
import { approveResolution } from "@bursar/core/resolution/resolutionCommands"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { refundableOf } from "@bursar/core/transfer/refund"
import { leftWithReceiver } from "@bursar/core/transfer/transferState"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  balanceOf,
  float,
  hear,
  keyed,
  payer,
  propose,
  says,
  send,
  sender,
  settledWith,
  store,
  submit,
  told as eventsAbout,
  baseRequest,
  wrong
} from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)

const arrives = (units: bigint, currency: string) => says("SETTLED", { received: of(units, currency), sender })

/** An ON_RAMP of 100 EUR for which something arrived that is in suspense. */
const suspended = Effect.fnUntraced(function* (units: bigint, currency: string) {
  const tenant = yield* payer()
  const sent = yield* send(tenant, { kind: "ON_RAMP", payee: null })
  const operation = yield* hear(tenant, sent, arrives(units, currency))
  assert.isTrue(operation.unresolved)
  return { tenant, operation }
})

/** Two operators say that it is the tenant's. */
const place = Effect.fnUntraced(function* (tenant: TenantId, operation: Operation, statement: Statement) {
  const resolution = yield* propose(tenant, operation, statement)
  const alone = submit(tenant, approveResolution({ resolution, operation, by: "anna", currencies, proof: null }))
  assert.strictEqual((yield* Effect.flip(alone))._tag, "Refusal")
  yield* submit(tenant, approveResolution({ resolution, operation, by: "ben", currencies, proof: null }))
  return (yield* (yield* Queries).operation(tenant, operation.id)) ?? assert.fail("the operation is gone")
})

describe("what arrived for an ON_RAMP and stands in suspense", () => {
  for (const [what, units, currency] of [
    ["in another currency", 9_000n, "USD"],
    ["that the fee would take whole", 1n, "EUR"]
  ] as const)
    it.effect(`${what}, is credited whole and without a fee when two operators place it, and told of once`, () =>
      run(
        Effect.gen(function* () {
          const { operation, tenant } = yield* suspended(units, currency)
          const [before] = yield* float(tenant, currency)
          const after = yield* place(tenant, operation, settledWith(units, currency))
          assert.deepStrictEqual([after.status, after.unresolved], ["SETTLED", false])
          assert.deepStrictEqual([after.toAmount, after.customerFee.units], [of(units, currency), 0n])
          assert.deepStrictEqual(yield* float(tenant, currency), [before + units, 0n])
          assert.strictEqual(yield* balanceOf(tenant, "suspense", currency), 0n)
          // the same told again, as the provider always has, is no news
          yield* hear(tenant, after, arrives(units, currency))
          assert.deepStrictEqual(yield* float(tenant, currency), [before + units, 0n])
          const events = yield* eventsAbout(tenant, operation)
          assert.deepStrictEqual(
            events.map(({ data, kind }) => [kind, data["currency"]]),
            [
              ["transfer.unresolved", "EUR"],
              ["transfer.settled", currency]
            ]
          )
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
    )

  it.effect("is not credited in part, in more than arrived, or in the currency that was announced", () =>
    run(
      Effect.gen(function* () {
        const { operation, tenant } = yield* suspended(9_000n, "USD")
        for (const statement of [settledWith(8_999n, "USD"), settledWith(9_001n, "USD"), settledWith(9_000n, "EUR")]) {
          const refused = yield* Effect.flip(propose(tenant, operation, statement))
          assert.strictEqual(refused._tag === "Refusal" && refused.code, "state_conflict")
        }
        assert.strictEqual(yield* balanceOf(tenant, "suspense", "USD"), -9_000n)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is not credited again where an adjustment has credited it, or some of it", () =>
    run(
      Effect.gen(function* () {
        for (const units of [1n, 9_000n]) {
          const { operation, tenant } = yield* suspended(9_000n, "USD")
          const before = yield* float(tenant, "USD")
          yield* submit(tenant, adjustFloat({ amount: of(units, "USD"), against: "suspense", reason: "it is theirs" }))
          const refused = yield* Effect.flip(propose(tenant, operation, settledWith(9_000n, "USD")))
          assert.match(refused._tag === "Refusal" ? refused.message : "", /is left in suspense/u)
          assert.strictEqual((yield* float(tenant, "USD"))[0], (before[0] ?? 0n) + units)
        }
      })
    )
  )

  it.effect("is taken back from the float where the bank takes it back after it was placed", () =>
    run(
      Effect.gen(function* () {
        const { operation, tenant } = yield* suspended(9_000n, "USD")
        const after = yield* place(tenant, operation, settledWith(9_000n, "USD"))
        for (const back of [4_000n, 9_000n]) {
          yield* hear(tenant, after, says("RETURNED", { returned: of(back, "USD") }))
          assert.deepStrictEqual(yield* float(tenant, "USD"), [9_000n - back, 0n])
          assert.strictEqual(yield* balanceOf(tenant, "bank", "USD"), 9_000n - back)
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }
      })
    )
  )

  it.effect(
    "of which a part goes back, stays the operators' to place: the rest of it, and what goes back of that later",
    () =>
      run(
        Effect.gen(function* () {
          const { operation, tenant } = yield* suspended(9_000n, "USD")
          const goesBack = (units: bigint) => hear(tenant, operation, says("RETURNED", { returned: of(units, "USD") }))
          for (const back of [3_000n, 4_000n, 4_000n]) {
            const open = yield* goesBack(back)
            assert.deepStrictEqual([open.status, open.unresolved], ["RETURNED", true])
            assert.isNull(leftWithReceiver(open, open.toAmountQuoted))
            assert.strictEqual(yield* balanceOf(tenant, "suspense", "USD"), back - 9_000n)
            assert.deepStrictEqual(yield* wrong(tenant), [])
          }
          // what the bank says of the rest places nothing
          const heard = yield* hear(tenant, operation, arrives(9_000n, "USD"))
          assert.deepStrictEqual([heard.unresolved, yield* float(tenant, "USD")], [true, [0n, 0n]])
          assert.strictEqual(
            (yield* Effect.flip(propose(tenant, operation, settledWith(9_000n, "USD"))))._tag,
            "Refusal"
          )
          const after = yield* place(tenant, operation, settledWith(5_000n, "USD"))
          assert.deepStrictEqual([after.status, after.unresolved], ["SETTLED", false])
          assert.deepStrictEqual(leftWithReceiver(after, after.toAmount), of(5_000n, "USD"))
          assert.strictEqual(refundableOf(after), 5_000n)
          for (const back of [4_000n, 5_500n, 9_000n]) {
            yield* goesBack(back)
            assert.deepStrictEqual(yield* float(tenant, "USD"), [9_000n - back, 0n])
            assert.strictEqual(yield* balanceOf(tenant, "suspense", "USD"), 0n)
            assert.deepStrictEqual(yield* wrong(tenant), [])
          }
          const events = yield* eventsAbout(tenant, operation)
          assert.deepStrictEqual(
            events.map(({ data, kind }) => [kind, data["amount"], data["currency"]]),
            [
              ["transfer.unresolved", "100", "EUR"],
              ["transfer.returned", "30", "USD"],
              ["transfer.returned", "10", "USD"],
              ["transfer.settled", "90", "USD"],
              ["transfer.returned", "15", "USD"],
              ["transfer.returned", "35", "USD"]
            ]
          )
        })
      )
  )

  it.effect("of which the bank took a part back without saying so, is less by what two operators state", () =>
    run(
      Effect.gen(function* () {
        const { operation, tenant } = yield* suspended(9_000n, "USD")
        const back = (units: bigint, currency = "USD"): Statement => ({
          ...settledWith(units, currency),
          outcome: "RETURNED"
        })
        for (const units of [3_000n, 4_000n]) {
          const open = yield* place(tenant, operation, back(units))
          assert.deepStrictEqual([open.status, open.unresolved], ["RETURNED", true])
          assert.strictEqual(yield* balanceOf(tenant, "suspense", "USD"), units - 9_000n)
          assert.strictEqual(yield* balanceOf(tenant, "bank", "USD"), 9_000n - units)
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }
        for (const refused of [back(3_000n), back(4_000n), back(9_001n), back(5_000n, "EUR"), back(4_000n, "EUR")])
          assert.strictEqual((yield* Effect.flip(propose(tenant, operation, refused)))._tag, "Refusal")
        const after = yield* place(tenant, operation, settledWith(5_000n, "USD"))
        assert.deepStrictEqual([after.status, after.unresolved], ["SETTLED", false])
        assert.deepStrictEqual(yield* float(tenant, "USD"), [5_000n, 0n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("and had looked concluded since a part went back, is open once its provider says so again", () =>
    run(
      Effect.gen(function* () {
        const { operation, tenant } = yield* suspended(9_000n, "USD")
        const back = says("RETURNED", { returned: of(4_000n, "USD") })
        const open = yield* hear(tenant, operation, back)
        // as the release before has left it
        const before = { ...open, unresolved: false }
        yield* submit(
          tenant,
          writing(() => [putRecord(Operation, before)])
        )
        for (const _ of ["once", "and again, which changes nothing"])
          assert.isTrue((yield* hear(tenant, before, back)).unresolved)
        const after = yield* place(tenant, before, settledWith(5_000n, "USD"))
        assert.deepStrictEqual([after.status, after.unresolved], ["SETTLED", false])
        assert.deepStrictEqual(yield* float(tenant, "USD"), [5_000n, 0n])
        assert.deepStrictEqual(
          (yield* eventsAbout(tenant, operation)).map(({ kind }) => kind),
          ["transfer.unresolved", "transfer.returned", "transfer.unresolved", "transfer.settled"]
        )
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is paid back in the currency that arrived, once placed, and in no other", () =>
    run(
      Effect.gen(function* () {
        const { operation, tenant } = yield* suspended(9_000n, "USD")
        const refund = (units: bigint, currency: string) =>
          keyed(
            tenant,
            createTransfer(
              baseRequest({
                kind: "REFUND",
                amount: of(units, currency),
                toCurrency: currency,
                payee: null,
                refund: { refundOf: operation.id, name: "Rui Costa" }
              })
            )
          )
        assert.strictEqual(yield* refund(1_000n, "USD"), "beneficiary_invalid")
        yield* place(tenant, operation, settledWith(9_000n, "USD"))
        assert.strictEqual(yield* refund(1_000n, "EUR"), "beneficiary_invalid")
        const made = yield* refund(1_000n, "USD")
        assert.isNotString(made)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )
})
