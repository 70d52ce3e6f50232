import { of } from "@bursar/core/money/Amount"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import { returnedOf, wholeOf } from "@bursar/core/operation/movedAmount"
import type { Operation } from "@bursar/core/operation/Operation"
import type { TransferState } from "@bursar/core/port/FiatProvider"
import { done, refused, unknown } from "@bursar/core/port/ProviderResult"
import { cancelOperation } from "@bursar/core/resolution/cancelOperation"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import type { PayerSeen } from "@bursar/core/transfer/refund"
import { isSuspended } from "@bursar/core/transfer/transferState"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import { approval, stored } from "./world.ts"
import {
  baseRequest,
  hear,
  keyed,
  payer,
  propose,
  send,
  sender,
  settledWith,
  store,
  submit,
  wrong
} from "../transfer/world.ts"

/** What has become of money at the bank, whatever was told of it. */
interface Truth {
  readonly status: "PROCESSING" | "SETTLED" | "RETURNED" | "FAILED"
  readonly moved: bigint
  readonly back: bigint
  readonly currency: string
}

const amounts = fc.constantFrom(1_000n, 2_000n, 3_000n, 5_000n, 10_000n, 12_000n)
/** Whether an answer tells what arrived, and what came back. */
const tells = { received: fc.boolean(), returned: fc.boolean() }
const step = fc.oneof(
  fc.record({
    _tag: fc.constant("arrives" as const),
    units: fc.oneof(amounts, fc.constantFrom(50n, 2_000_000n)),
    currency: fc.constantFrom("EUR", "EUR", "USD")
  }),
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("returns" as const), units: amounts }) },
  fc.record({ _tag: fc.constant("fails" as const) }),
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("heard" as const), ...tells, isLastName: fc.boolean() }) },
  fc.record({ _tag: fc.constant("heardAgain" as const), at: fc.nat(5) }),
  fc.record({ _tag: fc.constant("odd" as const), answer: fc.constantFrom("UNRESOLVED", "SENT", "denied", "silent") }),
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("stated" as const), isRenamed: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("refunded" as const), units: amounts }) },
  {
    weight: 3,
    arbitrary: fc.record({ _tag: fc.constant("begun" as const), at: fc.nat(3), lags: fc.boolean(), ...tells })
  },
  fc.record({
    _tag: fc.constant("refundEnds" as const),
    at: fc.nat(3),
    status: fc.constantFrom("SETTLED" as const, "FAILED" as const, "RETURNED" as const)
  }),
  fc.record({ _tag: fc.constant("cancelled" as const), at: fc.nat(3) })
)
const some = fc.array(step, { minLength: 2, maxLength: 18 })
const begun = [
  { _tag: "arrives", units: 10_000n, currency: "EUR" },
  { _tag: "heard", received: true, returned: true, isLastName: false },
  { _tag: "returns", units: 3_000n }
] as const
const lives = fc.oneof(some, { weight: 3, arbitrary: some.map((rest) => [...begun, ...rest]) })

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** What the bank says where it tells all that it knows, or less. */
const word = (truth: Truth, tells: { readonly received: boolean; readonly returned: boolean }, name: string) => {
  const hasMoved = truth.status === "SETTLED" || truth.status === "RETURNED"
  const state: TransferState = {
    providerReference: name,
    status: truth.status,
    received: tells.received && hasMoved ? of(truth.moved, truth.currency) : null,
    returned: tells.returned && truth.status === "RETURNED" ? of(truth.back, truth.currency) : null,
    sender,
    reason: null
  }
  return state
}

const all = { received: true, returned: true } as const

/** An ON_RAMP with refunds of it, in a world where its provider answers late, less than it knows, or out of order. */
const live = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const tenant = yield* payer()
  const first = yield* send(tenant, { kind: "ON_RAMP", payee: null })
  const source = stored(tenant, first)
  const names = [`t-${first.id}`]
  const nameOf = (isLast: boolean) => (isLast ? names.at(-1) : names[0]) ?? assert.fail("it has no name")
  let truth: Truth = { status: "PROCESSING", moved: 0n, back: 0n, currency: "EUR" }
  /** How much the bank had said by then that it took back. */
  let heardBack = 0n
  const history: Array<TransferState> = []
  const refunds: Array<{ readonly operation: Operation; sent: boolean; truth: Truth }> = []
  const tell = Effect.fnUntraced(function* (state: TransferState) {
    const before = yield* source
    const after = yield* hear(tenant, before, done(state))
    if (state.returned !== null || (state.status === "RETURNED" && after.details.said !== before.details.said))
      heardBack = truth.back
  })
  const takeStep = Effect.fnUntraced(function* (each: Step) {
    switch (each._tag) {
      case "arrives":
        if (truth.status === "PROCESSING")
          truth = { status: "SETTLED", moved: each.units, back: 0n, currency: each.currency }
        return
      case "returns": {
        const left = truth.moved - truth.back
        const back = truth.back + (each.units > left ? left : each.units)
        if (truth.status !== "PROCESSING" && back > truth.back) truth = { ...truth, status: "RETURNED", back }
        return
      }
      case "fails":
        if (truth.status === "PROCESSING") truth = { ...truth, status: "FAILED" }
        return
      case "heard": {
        const state = word(truth, each, nameOf(each.isLastName))
        history.push(state)
        return yield* tell(state)
      }
      case "heardAgain": {
        const state = history[each.at]
        if (state !== undefined) yield* hear(tenant, yield* source, done(state))
        return
      }
      case "odd": {
        const before = yield* source
        if (each.answer === "denied" && before.providerReference === null) return
        const status = each.answer === "UNRESOLVED" ? "UNRESOLVED" : "SENT"
        const state = { ...word(truth, { received: false, returned: false }, nameOf(false)), status } as const
        const answer =
          each.answer === "denied" ? refused("no") : each.answer === "silent" ? unknown("503") : done(state)
        yield* hear(tenant, before, answer)
        return
      }
      case "stated": {
        const before = yield* source
        if (truth.status === "PROCESSING") return
        if (each.isRenamed) names.push(`n-${names.length}-${first.id}`)
        const units = truth.status === "RETURNED" ? truth.back : truth.moved
        const statement = {
          ...settledWith(units, truth.currency),
          outcome: truth.status,
          ...(truth.status === "FAILED" && { received: null }),
          providerReference: each.isRenamed ? nameOf(true) : (before.providerReference ?? nameOf(false))
        }
        const proposed = yield* Effect.exit(propose(tenant, before, statement))
        if (Exit.isSuccess(proposed)) yield* Effect.exit(submit(tenant, approval(before, proposed.value)))
        return
      }
      case "refunded": {
        const refund = { refundOf: first.id, name: "S" }
        const request = baseRequest({ kind: "REFUND", amount: of(each.units, truth.currency), payee: null, refund })
        const operation = yield* keyed(tenant, createTransfer(request))
        if (typeof operation !== "string")
          refunds.push({
            operation,
            sent: false,
            truth: { ...truth, status: "PROCESSING", moved: each.units, back: 0n }
          })
        return
      }
      case "begun": {
        const refund = refunds[each.at]
        if (refund === undefined || refund.sent) return
        const lags = each.lags && truth.status === "RETURNED"
        const { reason: _, ...said } = word(
          lags ? { ...truth, status: "SETTLED", back: 0n } : truth,
          each,
          nameOf(false)
        )
        const seen: PayerSeen = { _tag: "Told", source: first.id, ...said }
        const begin = beginTransfer(
          yield* stored(tenant, refund.operation),
          { name: "fake", environment: "LIVE" },
          { payer: [seen] }
        )
        const task = yield* submit(tenant, begin)
        if (task._tag !== "Send") return
        refund.sent = true
        const out = refunds.filter((one) => one.sent && one.truth.status !== "FAILED")
        const units = out.reduce((sum, one) => sum + one.operation.amount.units - one.truth.back, 0n)
        const known = lags ? heardBack : truth.back
        assert.isAtMost(Number(units + known), Number(truth.moved), "what is paid back came, and stayed")
        return
      }
      case "refundEnds": {
        const refund = refunds[each.at]
        if (refund === undefined || !refund.sent || refund.truth.status !== "PROCESSING") return
        const back = each.status === "RETURNED" ? refund.truth.moved : 0n
        refund.truth = { ...refund.truth, status: each.status, back }
        const operation = yield* stored(tenant, refund.operation)
        yield* hear(tenant, operation, done(word(refund.truth, all, `t-${operation.id}`)))
        return
      }
      case "cancelled": {
        const refund = refunds[each.at]
        if (refund === undefined || refund.sent) return
        const operation = yield* stored(tenant, refund.operation)
        yield* Effect.exit(submit(tenant, cancelOperation({ operation, by: "anna", currencies: defaultCurrencies })))
      }
    }
  })
  for (const each of steps) yield* takeStep(each)
  // the whole truth at the end, twice
  for (let times = 0; times < 2; times += 1) {
    const { providerReference } = yield* source
    yield* tell(word(truth, all, providerReference ?? nameOf(false)))
  }
  const end = yield* source
  const isSaid = end.unresolved || contradictionsOf(end).length > 0 || isSuspended(end)
  if (truth.status !== "PROCESSING" && !isSaid) {
    assert.strictEqual(end.status, truth.status)
    if (truth.status !== "FAILED")
      assert.deepStrictEqual([wholeOf(end).units, returnedOf(end)], [truth.moved, truth.back])
  }
  assert.deepStrictEqual(yield* wrong(tenant), [])
})

describe("an ON_RAMP and refunds of it", () => {
  it("pay back no more than came and stayed, and end as the bank has them or tell operators", () =>
    fc.assert(
      fc.asyncProperty(lives, (steps) => Effect.runPromise(Effect.provide(live(steps), store))),
      { numRuns: 80 }
    ))
})
