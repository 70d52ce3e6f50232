import { toIso } from "@bursar/core/base/Timestamp"
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

/** A custodian that does not tell its balance: it says so, or never answers. */
const silentBy = (balances: Custodian["Service"]["balances"]) =>
  Custodian.of({
    ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "kraken", "LIVE").provider,
    assets: Effect.succeed([{ currency: "BTC", withdrawable: true, pool: "btc" }]),
    balances
  })

const refusing = silentBy(
  Effect.fail(new ProviderError({ provider: "kraken", doing: "tell its balance", detail: "503" }))
)

const put = (one: ReconciliationBreak) =>
  Effect.flatMap(Writer, (writer) =>
    writer.submit(
      fleetTenantId,
      writing(() => [putRecord(ReconciliationBreak, one)])
    )
  )

const alarmUrl = "https://ops.example/alarms"

/** A URL of the operators' that answers with these statuses, one after the other, and what was posted to it when over breaks. It takes all else. */
const answering = (...statuses: Array<number>) => {
  const posted: Array<{ readonly at: number; readonly closed: unknown }> = []
  const send: Egress["Service"]["send"] = ({ body }) =>
    Effect.gen(function* () {
      const { closed, event } = JSON.parse(String(body))
      const isOverBreak = event === "reconciliation.alarm"
      const status = isOverBreak ? (statuses.shift() ?? assert.fail("it was taken already, or not to be posted")) : 204
      if (isOverBreak) posted.push({ at: yield* Clock.currentTimeMillis, closed })
      return { status, headers: new Map(), body: new Uint8Array(), truncated: false }
    })
  return { egress: Layer.succeed(Egress, Egress.of({ send })), posted }
}

/** A break that a statement has shown there, five seconds before it is an alarm, and the reconciler. */
const begun = Effect.fnUntraced(function* (more: Partial<ReconcileLimits>, custodian = refusing) {
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
  yield* put(shown)
  yield* Effect.forkScoped(
    reconciling([], { alarmAfterMs: 5_000, ...more }).pipe(Effect.provideService(Custodian, custodian))
  )
})

describe("a break at a place whose keeper does not tell its balance", () => {
  for (const [how, custodian] of [
    ["says so", refusing],
    ["never answers", silentBy(Effect.never)]
  ] as const)
    it.effect(`is an alarm once it is old enough, and stops the place where policy says so: it ${how}`, () =>
      Effect.gen(function* () {
        yield* begun({ onAlarm: "stop_payouts" }, custodian)
        yield* ticks(200)
        const [one] = yield* allBreaks
        const stopped = (yield* (yield* NetworkSwitches).all).map(({ network }) => network)
        assert.deepStrictEqual([one?.alarmedAt !== null, stopped], [true, ["custodian:kraken"]])
      }).pipe(Effect.provide(oneProcess()))
    )

  it.effect("is posted to the operators' URL until that takes it, once a round", () => {
    const { egress, posted } = answering(500, 503, 204)
    return Effect.gen(function* () {
      yield* begun({ alarmUrl })
      yield* until(
        "it is taken",
        Effect.map(allBreaks, ([one]) => one?.toldAt != null)
      )
      yield* ticks(30)
      assert.strictEqual(posted.length, 3)
      assert.strictEqual(new Set(posted.map(({ at }) => at)).size, 3, "each in a round of its own")
      assert.isTrue(posted.every(({ closed }) => closed === null))
    }).pipe(Effect.provide([oneProcess(), egress]))
  })

  it.effect("is posted also once it has closed, as such: what it has stopped stands", () => {
    const { egress, posted } = answering(503, 204)
    return Effect.gen(function* () {
      yield* begun({ alarmUrl, onAlarm: "stop_payouts" })
      yield* until(
        "it was not taken",
        Effect.sync(() => posted.length > 0)
      )
      const [one] = yield* allBreaks
      if (one === undefined) return assert.fail("it is gone")
      const closedAt = yield* Clock.currentTimeMillis
      yield* put({ ...one, closedAt })
      yield* ticks(100)
      assert.deepStrictEqual(
        posted.map(({ closed }) => closed),
        [null, toIso(closedAt)]
      )
      assert.isTrue((yield* (yield* NetworkSwitches).all).every(({ payoutsOff }) => payoutsOff))
    }).pipe(Effect.provide([oneProcess(), egress]))
  })

  it.effect("is not posted where it has closed long ago", () => {
    const { egress, posted } = answering()
    return Effect.gen(function* () {
      yield* begun({ alarmUrl, alarmAfterMs: 3_600_000 })
      const [one] = yield* allBreaks
      if (one === undefined) return assert.fail("it is gone")
      const at = one.since - 8 * 86_400_000
      yield* put({ ...one, since: at, alarmedAt: at, closedAt: at })
      yield* ticks(100)
      assert.deepStrictEqual(posted, [])
    }).pipe(Effect.provide([oneProcess(), egress]))
  })
})
