import { toIso } from "@bursar/core/base/Timestamp"
import { Custodian } from "@bursar/core/port/Custodian"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Egress } from "../../src/egress/Egress.ts"
import { begin, caughtUp, ethereum, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, mineFrom, newWallet, reconciling, start, thief, told, wallet } from "./world.ts"

const alarmUrl = "https://ops.example/alarms"

/** A URL of the operators' that refuses the first that is posted to it, and what was. */
const answering = (...statuses: Array<number>) => {
  const posted: Array<unknown> = []
  const send: Egress["Service"]["send"] = ({ body }) =>
    Effect.sync(() => {
      posted.push(JSON.parse(String(body)))
      return { status: statuses.shift() ?? 204, headers: new Map(), body: new Uint8Array(), truncated: false }
    })
  return { egress: Layer.succeed(Egress, Egress.of({ send })), posted }
}

const gone = new ProviderError({ provider: "kraken", doing: "tell its balance", detail: "503" })
const hang = Effect.never

/** A custodian whose balances are told in some way. */
const tellingBy = (balances: Custodian["Service"]["balances"]) =>
  Custodian.of({
    ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "kraken", "LIVE").provider,
    assets: Effect.succeed([{ currency: "BTC", withdrawable: true, pool: "btc" }]),
    balances
  })

describe("a place that cannot be looked at", () => {
  for (const [how, balances, reason] of [
    ["says so", Effect.fail(gone), gone.message],
    ["never answers", hang, "no look has ended"],
    ["is looked at by what dies", Effect.die(new Error("an odd row")), "an internal error"]
  ] as const)
    it.effect(`is an alarm of its own that reaches the operators' URL until that takes it: it ${how}`, () => {
      const { egress, posted } = answering(503)
      const events: Array<string> = []
      return Effect.gen(function* () {
        yield* begin
        yield* newTenant()
        yield* Effect.forkScoped(
          Effect.provideService(reconciling([], { alarmAfterMs: 30_000, alarmUrl }), Custodian, tellingBy(balances))
        )
        yield* ticks(30)
        assert.deepStrictEqual(posted, [], "it is no alarm yet")
        yield* ticks(20)
        const alarm = {
          event: "reconciliation.place_unseen",
          place: "custodian:kraken",
          places: ["custodian:kraken"],
          since: toIso(past),
          reason
        }
        assert.deepStrictEqual(posted, [alarm, alarm])
        assert.lengthOf(
          events.filter((one) => one === "reconciliation.place_unseen"),
          1
        )
      }).pipe(Effect.provide([oneProcess(), egress, told(events)]))
    })

  it.effect("is told again once it was looked at meanwhile, and one look that fails is no alarm", () => {
    const { egress, posted } = answering()
    return Effect.gen(function* () {
      yield* begin
      yield* newTenant()
      let isDown = false
      const balances = Effect.suspend(() => (isDown ? Effect.fail(gone) : Effect.succeed(new Map<string, bigint>())))
      yield* Effect.forkScoped(
        Effect.provideService(reconciling([], { alarmAfterMs: 0, alarmUrl }), Custodian, tellingBy(balances))
      )
      yield* ticks(60)
      isDown = true
      yield* ticks(6)
      isDown = false
      yield* ticks(30)
      assert.lengthOf(posted, 0)
      for (const times of [1, 2]) {
        isDown = true
        yield* ticks(60)
        assert.lengthOf(posted, times)
        isDown = false
        yield* ticks(20)
      }
    }).pipe(Effect.provide([oneProcess(), egress]))
  })
})

describe("a row of a network that cannot be read", () => {
  it.effect("hides no theft there, and is an alarm of its own", () => {
    const { egress, posted } = answering()
    const events: Array<string> = []
    return Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      yield* newWallet
      let unreadable: ReadonlyArray<{ readonly row: string; readonly problem: string }> = []
      const positions = yield* Positions
      const chained: Positions["Service"]["chain"] = (network, above) =>
        Effect.map(positions.chain(network, above), (found) => ({ ...found, unreadable }))
      yield* Effect.provideService(
        start(chain, { onAlarm: "stop_payouts", alarmAfterMs: 0, alarmUrl }),
        Positions,
        Positions.of({ ...positions, chain: chained })
      )
      yield* caughtUp(chain)
      mineFrom(chain, "0x00000000000000000000000000000000000000F0", wallet, 1_000n)
      yield* ticks(30)
      unreadable = [{ row: "outbound_transaction 1", problem: "the database gave number where a list was expected" }]
      chain.mine([transferTo(thief, 400n, { from: wallet })])
      chain.mineMany(4)
      yield* ticks(200)
      const stopped = (yield* (yield* NetworkSwitches).all).map(({ network }) => network)
      assert.deepStrictEqual(
        [(yield* allBreaks).some(({ alarmedAt }) => alarmedAt !== null), stopped],
        [true, ["ethereum"]]
      )
      const reason = "outbound_transaction 1 cannot be read: the database gave number where a list was expected"
      assert.isTrue(
        posted.some((one) => {
          const { event, reason: why } = one as { readonly event: string; readonly reason: string } // our own body
          return event === "reconciliation.place_unseen" && why === reason
        })
      )
      assert.lengthOf(
        events.filter((one) => one === "reconciliation.row_unreadable"),
        1
      )
    }).pipe(Effect.provide([oneProcess(), egress, told(events)]))
  })
})
