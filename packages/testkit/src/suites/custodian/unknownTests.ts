import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import {
  type CustodianTerms,
  CustodianWorld,
  shown,
  holding,
  type OrderKind,
  type OrderOutcome
} from "./CustodianWorld.ts"
import { justAfter, justBefore, madeUp } from "../windows.ts"
import { newOrder } from "./orders.ts"

const hourMs = 3_600_000

const unheard = (errors: boolean): ReadonlyArray<OrderOutcome> => [
  "silent_then_settle",
  ...(errors ? (["error_then_settle", "garbage_then_settle"] as const) : [])
]

/** Orders whose answer was not seen. */
export const unknownTests = (
  it: SuiteIt<CustodianWorld>,
  kind: OrderKind,
  terms: CustodianTerms,
  timeoutMs: number
): void => {
  const { absentAfterMs, has, references, sendWithinMs } = terms
  const absent = references.includes(kind) ? "Refused" : "Unknown"

  for (const outcome of unheard(has.includes("errors"))) {
    it.effect(
      `a ${kind} of which ${outcome}: unknown at first, then found by our reference alone, and taken once`,
      () =>
        Effect.gen(function* () {
          const { another, custodian, finish, next, taken } = yield* CustodianWorld
          const before = yield* taken(kind)
          yield* next(kind, outcome)
          const order = yield* newOrder(kind)
          assert.strictEqual((yield* order.send(custodian))._tag, "Unknown")
          yield* finish
          const answer = yield* order.ask(yield* another, null)
          if (answer._tag !== "Done" || answer.value._tag !== "Settled") return assert.fail(shown(answer))
          const { providerReference } = answer.value
          const again = yield* order.ask(custodian, providerReference)
          assert.deepStrictEqual(again, answer)
          assert.strictEqual(yield* taken(kind), before + 1)
          return undefined
        }),
      timeoutMs
    )
  }

  it.effect(
    `a ${kind} whose intent is old is refused and not sent: others may have been told that it never was`,
    () =>
      Effect.gen(function* () {
        const { custodian, finish, next, taken } = yield* CustodianWorld
        assert.isAtMost(4 * sendWithinMs, absentAfterMs, "what is sent late is not taken for absent")
        const before = yield* taken(kind)
        const order = yield* newOrder(kind)
        const held = yield* holding(order.currency)
        for (const ms of [sendWithinMs, absentAfterMs])
          assert.strictEqual((yield* order.aged(justAfter(ms)).send(custodian))._tag, "Refused", `${ms} ms old`)
        assert.strictEqual(yield* taken(kind), before)
        assert.strictEqual(yield* holding(order.currency), held)
        yield* next(kind, "settle")
        const young = yield* newOrder(kind)
        assert.strictEqual((yield* young.aged(justBefore(sendWithinMs)).send(custodian))._tag, "Done")
        assert.strictEqual(yield* taken(kind), before + 1)
        yield* finish
      }),
    timeoutMs
  )

  it.effect(
    `a ${kind} of which silent_then_fail: unknown at first, then failed, and nothing is gone`,
    () =>
      Effect.gen(function* () {
        const { another, custodian, finish, next } = yield* CustodianWorld
        const order = yield* newOrder(kind)
        const before = yield* holding(order.currency)
        yield* next(kind, "silent_then_fail")
        assert.strictEqual((yield* order.send(custodian))._tag, "Unknown")
        yield* finish
        const answer = yield* order.ask(yield* another, null)
        if (answer._tag !== "Done" || answer.value._tag !== "Failed") return assert.fail(shown(answer))
        assert.strictEqual(yield* holding(order.currency), before)
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    `a ${kind} that is not there is unknown while it may come and where it was seen, and refused where our references are known`,
    () =>
      Effect.gen(function* () {
        const { custodian } = yield* CustodianWorld
        const order = yield* newOrder(kind)
        for (const ms of [0, justBefore(absentAfterMs)])
          assert.strictEqual((yield* order.aged(ms).ask(custodian, null))._tag, "Unknown", `${ms} ms old`)
        const late = order.aged(justAfter(absentAfterMs))
        assert.strictEqual((yield* late.ask(custodian, null))._tag, absent)
        // who has a reference of the custodian's has seen it take the order
        assert.strictEqual((yield* late.ask(custodian, madeUp))._tag, "Unknown")
      }),
    timeoutMs
  )

  if (references.includes(kind)) {
    it.effect(
      `a ${kind} that is given twice is taken once, and the second answer does not deny the first`,
      () =>
        Effect.gen(function* () {
          const { custodian, finish, next, taken } = yield* CustodianWorld
          const before = yield* taken(kind)
          yield* next(kind, "settle")
          const order = yield* newOrder(kind)
          assert.strictEqual((yield* order.send(custodian))._tag, "Done")
          assert.notStrictEqual((yield* order.send(custodian))._tag, "Refused")
          assert.strictEqual(yield* taken(kind), before + 1)
          yield* finish
        }),
      timeoutMs
    )
  }

  if (has.includes("lost")) {
    it.effect(
      `a ${kind} that is lost on its way is unknown while it could still arrive`,
      () =>
        Effect.gen(function* () {
          const { custodian, next, taken } = yield* CustodianWorld
          const before = yield* taken(kind)
          yield* next(kind, "lost")
          const order = yield* newOrder(kind)
          assert.strictEqual((yield* order.send(custodian))._tag, "Unknown")
          assert.strictEqual((yield* order.ask(custodian, null))._tag, "Unknown")
          assert.strictEqual((yield* order.aged(justAfter(absentAfterMs)).ask(custodian, null))._tag, absent)
          // a day later the custodian may have forgotten it
          assert.strictEqual((yield* order.aged(48 * hourMs).ask(custodian, null))._tag, "Unknown")
          assert.strictEqual(yield* taken(kind), before)
        }),
      timeoutMs
    )
  }
}
