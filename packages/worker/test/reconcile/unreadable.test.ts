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
import { Clock, Effect, Layer } from "effect"
import { Egress } from "../../src/egress/Egress.ts"
import type { ReconcileLimits } from "../../src/reconcile/ReconcileLimits.ts"
import { begin, oneProcess, ticks, until } from "../watch/world.ts"
import { allBreaks, reconciling } from "./world.ts"

/** A custodian that does not tell its balance. */
const silent = Custodian.of({
  ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "kraken", "LIVE").provider,
  assets: Effect.succeed([{ currency: "BTC", withdrawable: true, pool: "btc" }]),
  balances: Effect.fail(new ProviderError({ provider: "kraken", doing: "tell its balance", detail: "503" }))
})

/** A break that a statement has shown there, five seconds before it is an alarm, and the reconciler. */
const begun = Effect.fnUntraced(function* (more: Partial<ReconcileLimits>) {
  yield* begin
  const { id } = yield* newTenant()
  const shown: ReconciliationBreak = {
    id: crypto.randomUUID(),
    place: "custodian:kraken",
    currency: "BTC",
    units: 40n,
    since: yield* Clock.currentTimeMillis,
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
  yield* Effect.forkScoped(
    reconciling([], { alarmAfterMs: 5_000, ...more }).pipe(Effect.provideService(Custodian, silent))
  )
})

describe("a break at a place whose keeper does not tell its balance", () => {
  it.effect("is an alarm once it is old enough, and stops the place where policy says so", () =>
    Effect.gen(function* () {
      yield* begun({ onAlarm: "stop_payouts" })
      yield* ticks(200)
      const [one] = yield* allBreaks
      const stopped = (yield* (yield* NetworkSwitches).all).map(({ network }) => network)
      assert.deepStrictEqual([one?.alarmedAt !== null, stopped], [true, ["custodian:kraken"]])
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is posted to the operators' URL until that takes it, once a round", () => {
    const statuses = [500, 503, 204]
    const posted: Array<number> = []
    const egress = Layer.succeed(
      Egress,
      Egress.of({
        send: () =>
          Effect.suspend(() => {
            const status = statuses.shift() ?? assert.fail("it was taken already")
            return Effect.as(
              Effect.map(Clock.currentTimeMillis, (at) => posted.push(at)),
              { status, headers: new Map(), body: new Uint8Array(), truncated: false }
            )
          })
      })
    )
    return Effect.gen(function* () {
      yield* begun({ alarmUrl: "https://ops.example/alarms" })
      yield* until(
        "it is taken",
        Effect.map(allBreaks, ([one]) => one?.toldAt != null)
      )
      yield* ticks(30)
      assert.strictEqual(posted.length, 3)
      assert.strictEqual(new Set(posted).size, 3, "each in a round of its own")
    }).pipe(Effect.provide([oneProcess(), egress]))
  })
})
