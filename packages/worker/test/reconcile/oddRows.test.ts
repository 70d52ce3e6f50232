import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { Custodian } from "@bursar/core/port/Custodian"
import { Leadership } from "@bursar/core/port/Leadership"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { writing } from "@bursar/testkit/fixtures/commands"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { begin, caughtUp, ethereum, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, mineFrom, newWallet, start, thief, wallet } from "./world.ts"

/** As PostgreSQL's: a term that dies is followed by another half a second later. */
const electedAgain = () =>
  Layer.effect(
    Leadership,
    Effect.map(Leadership, ({ lead }) =>
      Leadership.of({
        lead: (name, work) =>
          lead(name, (fence) =>
            work(fence).pipe(
              Effect.catchDefect(() => Effect.void),
              Effect.andThen(Effect.sleep("500 millis")),
              Effect.forever
            )
          )
      })
    )
  ).pipe(Layer.provideMerge(oneProcess()))

for (const received of ["5", "5.0"])
  it.effect(`a theft on a network is an alarm and stops it, whatever one row of a custodian says: ${received}`, () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const id = yield* newWallet
      const { submit } = yield* Writer
      yield* submit(id, adjustFloat({ amount: of(5n, "BTC"), against: "custodian", reason: "funded" }))
      const custodian = Custodian.of({
        ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "kraken", "LIVE").provider,
        assets: Effect.succeed([{ currency: "BTC", withdrawable: true, pool: "btc" }]),
        balances: Effect.succeed(new Map([["BTC", 5n]]))
      })
      yield* Effect.provideService(start(chain, { onAlarm: "stop_payouts", alarmAfterMs: 0 }), Custodian, custodian)
      yield* caughtUp(chain)
      mineFrom(chain, "0x00000000000000000000000000000000000000F0", wallet, 1_000n)
      yield* ticks(30)
      yield* submit(
        id,
        writing((view) => {
          const swap = {
            kind: "SWAP",
            status: "PROCESSING",
            provider: "kraken",
            toAmountQuoted: of(1n, "BTC")
          } as const
          return [putRecord(Operation, bareOperation(view, { ...swap, details: { received } }))]
        })
      )
      yield* ticks(20)
      chain.mine([transferTo(thief, 400n, { from: wallet })])
      chain.mineMany(4)
      yield* ticks(200)
      const stopped = (yield* (yield* NetworkSwitches).all).map(({ network }) => network)
      assert.deepStrictEqual(
        [(yield* allBreaks).some(({ alarmedAt, place }) => alarmedAt !== null && place.startsWith("chain:")), stopped],
        [true, ["ethereum"]]
      )
    }).pipe(Effect.provide(electedAgain()))
  )
