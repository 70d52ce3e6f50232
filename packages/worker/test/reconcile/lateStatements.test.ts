import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { recordPart } from "@bursar/core/reconciliation/statement/recordLines"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, observedAgain, reconciling } from "./world.ts"

const bridge = "bank:bridge"
const dayMs = 86_400_000

/** A tenant with 50 EUR at a bank that tells no balance: nothing but statements shows what is missing there. */
const funded = Effect.gen(function* () {
  yield* begin
  const { id } = yield* newTenant()
  yield* (yield* Writer).submit(id, adjustFloat({ amount: of(50n, "EUR"), against: "bank", reason: "funded" }))
  const { provider } = makeFakeFiat(() => assert.fail("nothing is ordered"), "bridge")
  yield* Effect.forkScoped(Effect.provideService(reconciling([], { statementGraceMs: 30_000 }), FiatProvider, provider))
  yield* observedAgain(bridge, "EUR")
  yield* ticks(10)
  return id
})

/** Imports a statement, of which the lines are known by when they were booked, and lets it be compared. */
const imported = Effect.fnUntraced(function* (
  id: string,
  [from, to]: readonly [number, number],
  lines: ReadonlyArray<readonly [at: number, units: bigint]>
) {
  const header = { place: bridge, id, currencies: ["EUR"], from, to, parts: 1, digest: "d" }
  const told = lines.map(([at, units]) => ({
    id: `${id}/${at}`,
    at,
    currency: "EUR",
    units,
    references: [],
    text: "",
    about: null
  }))
  yield* (yield* Writer).submit(fleetTenantId, recordPart(header, { index: 0, lines: told }, "alice"))
  yield* ticks(200)
})

/** Books 8 EUR that the bank never got, of an operation that began before. */
const bookLater = Effect.fnUntraced(function* (id: TenantId, createdAt: number) {
  const leg = { currency: "EUR", units: 8n, what: "principal" } as const
  yield* (yield* Writer).submit(
    id,
    writing(
      (view) => {
        const more = { kind: "ON_RAMP", status: "SETTLED", provider: "bridge", createdAt, settledAt: view.now } as const
        const operation = { ...bareOperation(view, more), amount: of(8n, "EUR") }
        return [
          putRecord(Operation, operation),
          {
            _tag: "Posted",
            operationId: operation.id,
            happened: true,
            legs: [
              { ...leg, account: "bank", direction: "DEBIT" },
              { ...leg, account: "suspense", direction: "CREDIT" }
            ]
          }
        ]
      },
      (["bank", "suspense:bank", "suspense"] as const).map(
        (account) => ({ _tag: "Balance", account, currency: "EUR" }) as const
      )
    )
  )
})

const orders = ["the older first", "the newer first"] as const

const openUnits = Effect.map(allBreaks, (all) =>
  all.filter(({ closedAt }) => closedAt === null).map(({ units }) => units)
)

describe("what the bank never made", () => {
  it.effect(
    "is a break, booked after the import of a statement that ends in the future, once the next one is there",
    () =>
      Effect.gen(function* () {
        const id = yield* funded
        const now = yield* Clock.currentTimeMillis
        yield* imported("early", [now - dayMs, now + 30 * dayMs], [[now - 15_000, 50n]])
        yield* (yield* Writer).submit(id, adjustFloat({ amount: of(8n, "EUR"), against: "bank", reason: "never came" }))
        yield* ticks(200)
        assert.deepStrictEqual(yield* openUnits, [])
        const later = yield* Clock.currentTimeMillis
        yield* imported("next", [later, later + dayMs], [])
        assert.deepStrictEqual(yield* openUnits, [8n])
      }).pipe(Effect.provide(oneProcess()))
  )

  for (const order of orders)
    it.effect(`is a break, booked in the quiet time between two statements that are imported ${order}`, () =>
      Effect.gen(function* () {
        const id = yield* funded
        const now = yield* Clock.currentTimeMillis
        yield* (yield* Writer).submit(id, adjustFloat({ amount: of(8n, "EUR"), against: "bank", reason: "never came" }))
        const older = imported("older", [now - dayMs, now], [[now - 15_000, 50n]])
        const newer = imported("newer", [now + 60_000, now + 120_000], [])
        yield* ticks(120)
        yield* order === "the older first" ? older : newer
        yield* order === "the older first" ? newer : older
        assert.deepStrictEqual(yield* openUnits, [8n])
      }).pipe(Effect.provide(oneProcess()))
    )

  for (const order of orders)
    it.effect(
      `is a break, begun in the time of a statement and booked in that of the next, which are imported ${order}`,
      () =>
        Effect.gen(function* () {
          const id = yield* funded
          const now = yield* Clock.currentTimeMillis
          yield* bookLater(id, now - 5_000)
          const older = imported("older", [now - dayMs, now], [[now - 15_000, 50n]])
          const newer = imported("newer", [now, now + 120_000], [])
          yield* ticks(120)
          yield* order === "the older first" ? older : newer
          yield* order === "the older first" ? newer : older
          assert.deepStrictEqual(yield* openUnits, [8n])
        }).pipe(Effect.provide(oneProcess()))
    )

  for (const order of orders)
    it.effect(
      `is a break, begun in the time of a statement and booked in that of one long after, imported ${order}`,
      () =>
        Effect.gen(function* () {
          const id = yield* funded
          const now = yield* Clock.currentTimeMillis
          yield* bookLater(id, now - 12 * dayMs)
          const older = imported("older", [now - 13 * dayMs, now - 11 * dayMs], [])
          const daily = Effect.gen(function* () {
            for (let day = 11; day > 0; day -= 1)
              yield* imported(
                `day-${day}`,
                [now - day * dayMs, now - (day - 1) * dayMs],
                day === 1 ? [[now - 15_000, 50n]] : []
              )
            yield* imported("today", [now, now + dayMs], [])
          })
          yield* order === "the older first" ? older : daily
          yield* order === "the older first" ? daily : older
          assert.deepStrictEqual(yield* openUnits, [8n])
        }).pipe(Effect.provide(oneProcess()))
    )
})

describe("what the bank made", () => {
  it.effect(
    "is no break, come after the import of a statement that ends in the future, before the next one is there and after",
    () =>
      Effect.gen(function* () {
        const id = yield* funded
        const now = yield* Clock.currentTimeMillis
        yield* imported("intraday", [now - dayMs, now + dayMs], [[now - 15_000, 50n]])
        const came = yield* Clock.currentTimeMillis
        yield* (yield* Writer).submit(id, adjustFloat({ amount: of(8n, "EUR"), against: "bank", reason: "it came" }))
        yield* ticks(200)
        assert.deepStrictEqual(yield* allBreaks, [])
        yield* imported("whole-day", [came, came + 100_000], [[came, 8n]])
        assert.deepStrictEqual(yield* allBreaks, [])
      }).pipe(Effect.provide(oneProcess()))
  )
})
