import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { of } from "@bursar/core/money/Amount"
import { Custodian } from "@bursar/core/port/Custodian"
import { Statement } from "@bursar/core/reconciliation/statement/Statement"
import { StatementLine } from "@bursar/core/reconciliation/statement/StatementLine"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { writing } from "@bursar/testkit/fixtures/commands"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, observedAgain, reconciling } from "./world.ts"

const place = "custodian:kraken"

const statement = (at: number, more: object): Statement => ({
  ...{ place, id: "s", currencies: null, from: at, to: at + 1, parts: 1, digest: "d", received: [0], checkedTo: at },
  ...{ by: "alice", at, ...more }
})
const line = (at: number, more: object): StatementLine => ({
  ...{ place, statement: "s", alsoIn: [], id: "L", at, currency: "BTC", units: -1n, references: [], text: "" },
  ...{ about: null, ...more }
})

// what a column of JSON can hold
for (const [of_, lineOf] of [
  [{}, {}],
  [{ received: null }, {}],
  [{ currencies: 7 }, {}],
  [{}, { references: 7 }],
  [{}, { alsoIn: null, statement: "other" }]
] as const)
  it.effect(
    `a theft from what a custodian holds is a break, whatever a row says: ${JSON.stringify([of_, lineOf])}`,
    () =>
      Effect.gen(function* () {
        yield* begin
        const { id } = yield* newTenant()
        const { submit } = yield* Writer
        let held = 50n
        yield* submit(id, adjustFloat({ amount: of(50n, "BTC"), against: "custodian", reason: "funded" }))
        const custodian = Custodian.of({
          ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "kraken", "LIVE").provider,
          assets: Effect.succeed([{ currency: "BTC", withdrawable: true, pool: "btc" }]),
          balances: Effect.sync(() => new Map([["BTC", held]]))
        })
        yield* Effect.forkScoped(
          Effect.provideService(reconciling([], { statementGraceMs: 30_000 }), Custodian, custodian)
        )
        yield* observedAgain(place, "BTC")
        yield* ticks(10)
        yield* submit(
          fleetTenantId,
          writing((view) => [
            putRecord(Statement, statement(view.now, of_)),
            putRecord(StatementLine, line(view.now, lineOf))
          ])
        )
        yield* ticks(10)
        held = 10n
        yield* ticks(300)
        const found = (yield* allBreaks).filter(({ about }) => about === null).map(({ units }) => units)
        assert.deepStrictEqual(found, [40n])
      }).pipe(Effect.provide(oneProcess()))
  )
