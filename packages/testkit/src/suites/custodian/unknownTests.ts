import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { CustodianWorld, shown, holding, type OrderKind, type OrderOutcome } from "./CustodianWorld.ts"
import { newOrder } from "./orders.ts"

const hourMs = 3_600_000

/** What the suite is told of the custodian. */
export interface Knows {
  readonly errors: boolean
  readonly lost: boolean
  /** Of which orders it knows our references. */
  readonly references: ReadonlyArray<OrderKind>
}

const unheard = (errors: boolean): ReadonlyArray<OrderOutcome> => [
  "silent_then_settle",
  ...(errors ? (["error_then_settle", "garbage_then_settle"] as const) : [])
]

/** Orders whose answer was not seen. */
export const unknownTests = (it: SuiteIt<CustodianWorld>, kind: OrderKind, knows: Knows, timeoutMs: number): void => {
  for (const outcome of unheard(knows.errors)) {
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
        const { custodian, taken } = yield* CustodianWorld
        const before = yield* taken(kind)
        const order = yield* newOrder(kind)
        const held = yield* holding(order.currency)
        assert.strictEqual((yield* order.aged(hourMs).send(custodian))._tag, "Refused")
        assert.strictEqual(yield* taken(kind), before)
        assert.strictEqual(yield* holding(order.currency), held)
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
    `a ${kind} that was never sent is never said to be done, and is refused only where our references are known`,
    () =>
      Effect.gen(function* () {
        const { custodian } = yield* CustodianWorld
        const order = (yield* newOrder(kind)).aged(hourMs)
        const answer = yield* order.ask(custodian, null)
        assert.strictEqual(answer._tag, knows.references.includes(kind) ? "Refused" : "Unknown")
      }),
    timeoutMs
  )

  if (knows.references.includes(kind)) {
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

  if (knows.lost) {
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
          const late = yield* order.aged(hourMs).ask(custodian, null)
          assert.strictEqual(late._tag, knows.references.includes(kind) ? "Refused" : "Unknown")
          // a day later the custodian may have forgotten it
          assert.strictEqual((yield* order.aged(48 * hourMs).ask(custodian, null))._tag, "Unknown")
          assert.strictEqual(yield* taken(kind), before)
        }),
      timeoutMs
    )
  }
}
