import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { Custodian } from "@bursar/core/port/Custodian"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { writing } from "@bursar/testkit/fixtures/commands"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, reconciling } from "./world.ts"

describe("a break at a place whose keeper does not tell its balance", () => {
  it.effect("is an alarm once it is old enough, and stops the place where policy says so", () =>
    Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const since = yield* Clock.currentTimeMillis
      const shown: ReconciliationBreak = {
        id: crypto.randomUUID(),
        place: "custodian:kraken",
        currency: "BTC",
        units: 40n,
        since,
        sinceBlock: null,
        candidates: [],
        about: { kind: "operation", id: crypto.randomUUID(), tenantId: id },
        explanation: null,
        alarmedAt: null,
        toldAt: null,
        closedAt: null
      }
      yield* (yield* Writer).submit(
        fleetTenantId,
        writing(() => [putRecord(ReconciliationBreak, shown)])
      )
      const custodian = Custodian.of({
        ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "kraken", "LIVE").provider,
        assets: Effect.succeed([{ currency: "BTC", withdrawable: true, pool: "btc" }]),
        balances: Effect.fail(new ProviderError({ provider: "kraken", doing: "tell its balance", detail: "503" }))
      })
      yield* Effect.forkScoped(
        reconciling([], { onAlarm: "stop_payouts", alarmAfterMs: 5_000 }).pipe(
          Effect.provideService(Custodian, custodian)
        )
      )
      yield* ticks(200)
      const [one] = yield* allBreaks
      const stopped = (yield* (yield* NetworkSwitches).all).map(({ network }) => network)
      assert.deepStrictEqual([one?.alarmedAt !== null, stopped], [true, ["custodian:kraken"]])
    }).pipe(Effect.provide(oneProcess()))
  )
})
