import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { of } from "@bursar/core/money/Amount"
import { Custodian } from "@bursar/core/port/Custodian"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { recordPart } from "@bursar/core/reconciliation/statement/recordLines"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, observedAgain, reconciling } from "./world.ts"

const place = "custodian:kraken"
const gone = new ProviderError({ provider: "kraken", doing: "reading", detail: "503" })

for (const { before, down } of [
  { down: "nothing", before: true },
  { down: "its statement", before: true },
  { down: "its balances and statement", before: true },
  { down: "all of its interface", before: true },
  { down: "all of its interface", before: false }
])
  it.effect(`an imported statement is compared where ${down} is down${before ? "" : " from the start"}`, () =>
    Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const { submit } = yield* Writer
      let isDown = !before
      const unless = <A>(which: ReadonlyArray<string>, value: A) =>
        Effect.suspend(() =>
          isDown && which.some((one) => down.endsWith(one)) ? Effect.fail(gone) : Effect.succeed(value)
        )
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

it.effect("one break is open of a line, also after a restart while nothing tells of which holding it is", () =>
  Effect.gen(function* () {
    yield* begin
    const { id } = yield* newTenant()
    const { submit } = yield* Writer
    yield* submit(id, adjustFloat({ amount: of(50n, "USDC_ETH"), against: "custodian", reason: "funded" }))
    let isDown = false
    const unless = <A>(value: A) => Effect.suspend(() => (isDown ? Effect.fail(gone) : Effect.succeed(value)))
    const pooled = ["USDC_ETH", "USDT_ETH"]
    const custodian = Custodian.of({
      ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "kraken", "LIVE").provider,
      assets: unless(pooled.map((currency) => ({ currency, withdrawable: true, pool: "dollars" }))),
      balances: unless(new Map(pooled.map((currency) => [currency, 50n]))),
      statement: () => unless([])
    })
    const process = Effect.provideService(reconciling([], { statementGraceMs: 30_000 }), Custodian, custodian)
    const first = yield* Effect.forkScoped(process)
    yield* observedAgain(place, "USDC_ETH")
    const now = yield* Clock.currentTimeMillis
    const header = {
      place,
      id: "by hand",
      currencies: pooled,
      from: now - 86_400_000,
      to: now + 3_600_000,
      parts: 1,
      digest: "d"
    }
    const theft = { id: "T", at: now, currency: "USDT_ETH", units: -40n, references: [], text: "", about: null }
    yield* submit(fleetTenantId, recordPart(header, { index: 0, lines: [theft] }, "alice"))
    yield* ticks(100)
    const shown = Effect.map(allBreaks, (all) =>
      all.flatMap(({ about, closedAt, currency, units }) =>
        about?.id === "T" && closedAt === null ? [{ currency, units }] : []
      )
    )
    const known = yield* shown
    assert.deepStrictEqual(known, [{ currency: "USDC_ETH", units: 40n }])
    isDown = true
    yield* Fiber.interrupt(first)
    yield* Effect.forkScoped(process)
    yield* ticks(100)
    assert.deepStrictEqual(yield* shown, [{ currency: "USDT_ETH", units: 40n }])
    isDown = false
    yield* ticks(100)
    assert.deepStrictEqual(yield* shown, known)
  }).pipe(Effect.provide(oneProcess()))
)
