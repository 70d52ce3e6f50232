import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareTransaction } from "@bursar/testkit/fixtures/records"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { begin, caughtUp, ethereum, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, mineFrom, newWallet, start, thief, wallet } from "./world.ts"

for (const payments of [[], 7])
  it.effect(
    `a theft on a network stops it, whatever a transaction of another tenant says: ${JSON.stringify(payments)}`,
    () =>
      Effect.gen(function* () {
        yield* begin
        const chain = ethereum()
        yield* newWallet
        const { id: other } = yield* newTenant()
        const { submit } = yield* Writer
        yield* start(chain, { onAlarm: "stop_payouts", alarmAfterMs: 0 })
        yield* caughtUp(chain)
        mineFrom(chain, "0x00000000000000000000000000000000000000F0", wallet, 1_000n)
        yield* ticks(30)
        yield* submit(
          other,
          writing((view) => [
            putRecord(
              OutboundTransaction,
              bareTransaction(view, { network: "ethereum", phase: "SIGNED", payments: payments as never })
            )
          ])
        )
        yield* ticks(20)
        chain.mine([transferTo(thief, 400n, { from: wallet })])
        chain.mineMany(4)
        yield* ticks(200)
        const stopped = (yield* (yield* NetworkSwitches).all).map(({ network }) => network)
        assert.deepStrictEqual(
          [(yield* allBreaks).some(({ alarmedAt }) => alarmedAt !== null), stopped],
          [true, ["ethereum"]]
        )
      }).pipe(Effect.provide(oneProcess()))
  )
