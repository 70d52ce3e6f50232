import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Writer } from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { recordPart } from "@bursar/core/reconciliation/statement/recordLines"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, observedAgain, reconciling } from "./world.ts"

const bridge = "bank:bridge"
const graceMs = 30_000
const [hourMs, dayMs] = [3_600_000, 86_400_000]

const units = fc.constantFrom(-8n, -5n, -3n, 3n, 5n, 8n, 13n)

/** What happens: it is booked here, at the bank, or at both, some seconds apart. */
const happening = fc.record({
  units,
  where: fc.constantFrom("both", "both", "here", "bank"),
  apart: fc.integer({ min: -5, max: 5 }),
  wait: fc.integer({ min: 1, max: 10 })
})

/** A statement of a part of the time, in tenths of it. */
const told = fc.record({ from: fc.nat(8), length: fc.integer({ min: 1, max: 10 }) })

const live = Effect.fnUntraced(function* (
  all: ReadonlyArray<typeof happening extends fc.Arbitrary<infer A> ? A : never>,
  statements: ReadonlyArray<typeof told extends fc.Arbitrary<infer A> ? A : never>,
  wholeAt: number,
  between: ReadonlyArray<number>
) {
  yield* begin
  const { submit } = yield* Writer
  const { id } = yield* newTenant()
  const { provider } = makeFakeFiat(() => assert.fail("nothing is ordered"), "bridge")
  const start = yield* Clock.currentTimeMillis
  yield* submit(id, adjustFloat({ amount: of(1_000n, "EUR"), against: "bank", reason: "funded" }))
  yield* Effect.forkScoped(
    Effect.provideService(reconciling([], { statementGraceMs: graceMs }), FiatProvider, provider)
  )
  yield* observedAgain(bridge, "EUR")
  const lines = [{ units: 1_000n, at: start }]
  let booked = 1_000n
  for (const one of all) {
    yield* ticks(one.wait)
    const now = yield* Clock.currentTimeMillis
    if (one.where !== "bank") {
      yield* submit(id, adjustFloat({ amount: of(one.units, "EUR"), against: "bank", reason: "counted" }))
      booked += one.units
    }
    if (one.where !== "here") lines.push({ units: one.units, at: Math.max(start, now + one.apart * 1_000) })
  }
  yield* ticks(60)
  const end = yield* Clock.currentTimeMillis
  const tenth = (n: number) => (n >= 10 ? end : Math.floor(start + ((end - start) * n) / 10))
  const whole = { from: start - dayMs, to: end }
  const parts = statements.map(({ from, length }) => ({ from: tenth(from), to: tenth(from + length) }))
  const inOrder = [...parts.slice(0, wholeAt), whole, ...parts.slice(wholeAt)]
  for (const [at, { from, to }] of inOrder.entries()) {
    const header = { place: bridge, id: `s${at}`, currencies: ["EUR"], from, to, parts: 1, digest: "d" }
    const some = lines.flatMap((line, nth) =>
      line.at < from || line.at >= to
        ? []
        : [{ ...line, id: `L${nth}`, currency: "EUR", references: [], text: "", about: null }]
    )
    yield* submit(fleetTenantId, recordPart(header, { index: 0, lines: some }, "alice"))
    yield* ticks(between[at % between.length] ?? 0)
  }
  // a later one, so that nothing may still be on the next
  const later = { place: bridge, id: "later", currencies: ["EUR"], from: end, to: end + hourMs, parts: 1, digest: "d" }
  yield* submit(fleetTenantId, recordPart(later, { index: 0, lines: [] }, "alice"))
  yield* ticks(120)
  const open = (yield* allBreaks).filter(({ closedAt }) => closedAt === null)
  return {
    differs: booked - lines.reduce((sum, one) => sum + one.units, 0n),
    broken: open.reduce((sum, one) => sum + one.units, 0n),
    open: open.map(({ about, units: by }) => [by, about?.kind])
  }
})

describe("adjustments beside statements that overlap, in any order", () => {
  it(
    "leave breaks that come to what the books have more than the bank",
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(happening, { minLength: 1, maxLength: 5 }),
          fc.array(told, { maxLength: 3 }),
          fc.nat(3),
          fc.array(fc.constantFrom(0, 0, 7, 40), { minLength: 5, maxLength: 5 }),
          async (all, statements, wholeAt, between) => {
            const { broken, differs } = await Effect.runPromise(
              live(all, statements, wholeAt, between).pipe(
                Effect.provide(oneProcess()),
                Effect.scoped,
                Effect.provide(TestClock.layer())
              )
            )
            assert.strictEqual(broken, differs)
          }
        ),
        { numRuns: 3 }
      ),
    20_000
  )
})
