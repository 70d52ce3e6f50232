import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { of } from "@bursar/core/money/Amount"
import { Custodian } from "@bursar/core/port/Custodian"
import { recordPart } from "@bursar/core/reconciliation/statement/recordLines"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, observedAgain, reconciling } from "./world.ts"

const place = "custodian:kraken"

for (const { before, down } of [
  { down: "nothing", before: true },
  { down: "its statement", before: true },
  { down: "its balances and statement", before: true },
  { down: "all of its interface", before: true },
  { down: "all of its interface", before: false }
])
  it.effect(`an imported statement is compared where ${down} never answers${before ? "" : " from the start"}`, () =>
    Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const { submit } = yield* Writer
      let isDown = !before
      const unless = <A>(which: ReadonlyArray<string>, value: A) =>
        Effect.suspend(() => (isDown && which.some((one) => down.endsWith(one)) ? Effect.never : Effect.succeed(value)))
      yield* submit(id, adjustFloat({ amount: of(50n, "BTC"), against: "custodian", reason: "funded" }))
      const custodian = Custodian.of({
        ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "kraken", "LIVE").provider,
        assets: unless(["interface"], [{ currency: "BTC", withdrawable: true, pool: "btc" }]),
        balances: unless(["balances and statement", "interface"], new Map([["BTC", 50n]])),
        statement: () => unless(["statement", "interface"], [])
      })
      yield* Effect.forkScoped(
        Effect.provideService(reconciling([], { statementGraceMs: 30_000 }), Custodian, custodian)
      )
      if (before) yield* observedAgain(place, "BTC")
      yield* ticks(10)
      isDown = true
      const now = yield* Clock.currentTimeMillis
      const header = {
        place,
        id: "by hand",
        currencies: ["BTC"],
        from: now - 86_400_000,
        to: now + 3_600_000,
        parts: 1,
        digest: "d"
      }
      const theft = { id: "T", at: now, currency: "BTC", units: -40n, references: [], text: "a thief", about: null }
      yield* submit(fleetTenantId, recordPart(header, { index: 0, lines: [theft] }, "alice"))
      yield* ticks(300)
      const about = (yield* allBreaks).flatMap(({ about: one, units }) => (one?.id === "T" ? [units] : []))
      assert.deepStrictEqual(about, [40n])
    }).pipe(Effect.provide(oneProcess()))
  )
