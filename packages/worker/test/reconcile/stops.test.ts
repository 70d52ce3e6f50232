import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { retireAddress } from "@bursar/core/address/retireAddress"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { explainBreak } from "@bursar/core/reconciliation/explainBreak"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { accountAt, importingKey, keyed, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { begin, caughtUp, depositsOf, ethereum, oneProcess, ticks, until } from "../watch/world.ts"
import { allBreaks, newWallet, shownBreaks, start, thief } from "./world.ts"

const deposits = "chain:ethereum:deposits"

/** A chain that is watched and compared, whose alarms come at once and stop payouts. */
const watched = Effect.gen(function* () {
  yield* begin
  const chain = ethereum()
  const id = yield* newWallet
  yield* start(chain, { onAlarm: "stop_payouts", alarmAfterMs: 0 })
  yield* caughtUp(chain)
  yield* ticks(5)
  return { chain, id }
})

const issue = Effect.fnUntraced(function* (id: TenantId) {
  const prederived = {
    seedId: crypto.randomUUID(),
    ...accountAt(`account-${id}`),
    from: 0,
    addresses: [keyed(newEvmAddress())]
  }
  const command = issueAddresses({ network: "ethereum", reference: "r", count: 1, prederived }, presetNetworks)
  const [issued] = (yield* (yield* Writer).submit(id, command)).addresses
  if (issued === undefined) return assert.fail("no address")
  return issued
})

const isStopped = Effect.map(
  Effect.flatMap(NetworkSwitches, ({ all }) => all),
  (all) => all.some(({ payoutsOff }) => payoutsOff)
)

/** Waits for an alarm over a break of so many units. */
const alarmOver = (units: bigint) =>
  until(
    `${units} units are an alarm`,
    Effect.map(allBreaks, (all) => all.some((one) => one.units === units && one.alarmedAt !== null))
  )

describe("one tenant or stranger does not stop the payouts of all: an alarm that stops nothing is raised", () => {
  it.effect("over a unit that comes to an issued address which was retired", () =>
    Effect.gen(function* () {
      const { chain, id } = yield* watched
      const issued = yield* issue(id)
      yield* (yield* Writer).submit(id, retireAddress(issued.id))
      chain.mine([transferTo(issued.address, 1n)])
      chain.mineMany(4)
      yield* alarmOver(-1n)
      yield* ticks(10)
      assert.isFalse(yield* isStopped)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("over what an address held before its key was handed over", () =>
    Effect.gen(function* () {
      const { chain, id } = yield* watched
      const address = newEvmAddress()
      chain.mine([transferTo(address, 1_000n)])
      chain.mineMany(10)
      yield* caughtUp(chain)
      yield* (yield* Writer).submit(id, importingKey(address))
      chain.mineMany(4)
      yield* alarmOver(-1_000n)
      yield* ticks(10)
      assert.isFalse(yield* isStopped)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("over what a tenant takes back by a copy of the key, but a loss beyond that stops", () =>
    Effect.gen(function* () {
      const { chain, id } = yield* watched
      const [address, issued] = [newEvmAddress(), yield* issue(id)]
      yield* (yield* Writer).submit(id, importingKey(address))
      chain.mine([transferTo(address, 1_000n), transferTo(issued.address, 500n)])
      chain.mineMany(6)
      yield* ticks(20)
      assert.isEmpty(yield* allBreaks)
      chain.mine([transferTo(thief, 1_000n, { from: address })])
      chain.mineMany(6)
      yield* alarmOver(1_000n)
      yield* ticks(10)
      assert.isFalse(yield* isStopped)
      chain.mine([transferTo(thief, 500n, { from: issued.address })])
      chain.mineMany(6)
      yield* until("payouts are off", isStopped)
      assert.deepStrictEqual(
        (yield* shownBreaks).map(({ open, place, units }) => [place, units, open]),
        [
          [deposits, 1_000n, true],
          [deposits, 500n, true]
        ]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("over a deposit that a tenant takes back before it is confirmed", () =>
    Effect.gen(function* () {
      const { chain, id } = yield* watched
      const address = newEvmAddress()
      yield* (yield* Writer).submit(id, importingKey(address))
      chain.mine([transferTo(address, 1_000n)])
      yield* caughtUp(chain)
      yield* ticks(20)
      chain.mine([transferTo(thief, 1_000n, { from: address })])
      yield* alarmOver(1_000n)
      assert.deepStrictEqual(
        (yield* depositsOf(id)).map(({ status }) => status),
        ["DETECTED"]
      )
      yield* ticks(10)
      assert.isFalse(yield* isStopped)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("over a part of what an address held before its key was handed over, explained or not", () =>
    Effect.gen(function* () {
      const { chain, id } = yield* watched
      const address = newEvmAddress()
      chain.mine([transferTo(address, 1_000n)])
      chain.mineMany(10)
      yield* caughtUp(chain)
      yield* (yield* Writer).submit(id, importingKey(address))
      chain.mineMany(4)
      yield* alarmOver(-1_000n)
      // by the copy of the key that it kept
      chain.mine([transferTo(thief, 400n, { from: address })])
      chain.mineMany(6)
      yield* alarmOver(-600n)
      const rest = (yield* allBreaks).find(({ units }) => units === -600n)
      const explain = explainBreak(rest?.id ?? "", "It stood there before the import.", "anna")
      yield* (yield* Writer).submit(fleetTenantId, explain)
      chain.mine([transferTo(thief, 500n, { from: address })])
      chain.mineMany(6)
      yield* alarmOver(-100n)
      yield* ticks(10)
      assert.isFalse(yield* isStopped)
      assert.deepStrictEqual(
        (yield* shownBreaks).map(({ open, units }) => [units, open]),
        [
          [-1_000n, false],
          [-600n, false],
          [-100n, true]
        ]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("over a part of what came to an imported address that was retired, but what is taken beyond it stops", () =>
    Effect.gen(function* () {
      const { chain, id } = yield* watched
      const [address, issued] = [newEvmAddress(), yield* issue(id)]
      chain.mine([transferTo(issued.address, 500n)])
      const imported = yield* (yield* Writer).submit(id, importingKey(address))
      yield* (yield* Writer).submit(id, retireAddress(imported.address.id))
      chain.mine([transferTo(address, 3n)])
      chain.mineMany(6)
      yield* alarmOver(-3n)
      chain.mine([transferTo(thief, 1n, { from: address })])
      chain.mineMany(6)
      yield* alarmOver(-2n)
      // a thief who leaves as much as he takes stops nothing, until he takes that, too
      chain.mine([transferTo(thief, 1n, { from: issued.address })])
      chain.mineMany(6)
      yield* alarmOver(-1n)
      yield* ticks(10)
      assert.isFalse(yield* isStopped)
      chain.mine([transferTo(thief, 2n, { from: address })])
      chain.mineMany(6)
      yield* alarmOver(1n)
      assert.isTrue(yield* isStopped)
    }).pipe(Effect.provide(oneProcess()))
  )
})
