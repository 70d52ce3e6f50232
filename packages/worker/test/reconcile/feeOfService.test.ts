import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { Custodian } from "@bursar/core/port/Custodian"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { writing } from "@bursar/testkit/fixtures/commands"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, observedAgain, reconciling } from "./world.ts"

/** A withdrawal of 40 units, which takes 3 for the network, is on its way from a custodian that held 500. */
const onItsWay = (networkFeeBorneBy: "RECEIVER" | "SERVICE", taken: bigint) =>
  Effect.gen(function* () {
    yield* begin
    const { id } = yield* newTenant()
    const { submit } = yield* Writer
    yield* submit(id, adjustFloat({ amount: of(500n, "BTC"), against: "custodian", reason: "funded" }))
    yield* submit(
      id,
      writing((view) => [
        putRecord(
          Operation,
          bareOperation(view, {
            kind: "WITHDRAWAL",
            status: "PROCESSING",
            amount: of(40n, "BTC"),
            customerFee: of(0n, "BTC"),
            network: "bitcoin",
            provider: "coinbase",
            providerReference: "w-1",
            details: { sent_at: 1 }
          })
        )
      ])
    )
    const provider = Custodian.of({
      ...makeFakeCustodian(() => assert.fail("nothing is ordered"), [], undefined, "coinbase").provider,
      networkFeeBorneBy,
      assets: Effect.succeed([{ currency: "BTC", withdrawable: true, pool: "BTC" }]),
      balances: Effect.succeed(new Map([["BTC", 500n - taken]]))
    })
    const looking = reconciling([], { onAlarm: "stop_payouts", alarmAfterMs: 10_000 })
    yield* Effect.forkScoped(Effect.provideService(looking, Custodian, provider))
    yield* observedAgain("custodian:coinbase", "BTC")
    yield* ticks(60)
    const stopped = (yield* (yield* NetworkSwitches).all).filter(({ payoutsOff }) => payoutsOff)
    return { breaks: (yield* allBreaks).map(({ units }) => units), stops: stopped.length }
  })

describe("a withdrawal that is on its way", () => {
  for (const [name, taken] of [
    ["that took nothing yet", 0n],
    ["that took the amount alone", 40n],
    ["that took the network's fee with it", 43n]
  ] as const)
    it.effect(`at a custodian ${name} is no break, and stops nothing, where the service bears that fee`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* onItsWay("SERVICE", taken), { breaks: [], stops: 0 })
      }).pipe(Effect.provide(oneProcess()))
    )

  it.effect("explains nothing that is missing beside it where the receiver bears the fee", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* onItsWay("RECEIVER", 43n), { breaks: [3n], stops: 1 })
    }).pipe(Effect.provide(oneProcess()))
  )
})
