import { Writer } from "@bursar/core/engine/Writer"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { HeldArrivals } from "@bursar/core/port/HeldArrivals"
import { Queries } from "@bursar/core/store/Queries"
import { keyed, newAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { above100, held, untilHeld, world } from "./secondNodeWorld.ts"
import {
  available,
  begin,
  caughtUp,
  depositsOf,
  ethereum,
  ledgerHolds,
  oneProcess,
  ticks,
  until,
  watching
} from "./world.ts"

/** A tenant gets 500 of which a second node says nothing, and moves them to another address of its own in parts that one node may credit. */
const heldAndMovedOn = (limits = {}) =>
  Effect.gen(function* () {
    const made = yield* world(above100, ["one", "two"], limits)
    const { address, mine, other, second } = made
    const came = transferTo(address, 500n)
    second.lies.block = (block) => ({
      ...block,
      transfers: block.transfers.filter(({ txHash }) => txHash !== came.txHash)
    })
    mine(came)
    yield* untilHeld("disputed")
    mine(...Array.from({ length: 5 }, () => transferTo(other, 100n, { from: address })))
    yield* ticks(20)
    return made
  })

const untilAvailable = (id: Parameters<typeof available>[0], units: bigint) =>
  until(
    `${units} are available`,
    Effect.map(available(id), (found) => found === units)
  )

describe("what a tenant moves on from an address of its own", () => {
  it.effect("in small parts waits with what came there, of which a second node has to say the same", () =>
    Effect.gen(function* () {
      const { id, second } = yield* heldAndMovedOn()
      assert.strictEqual(yield* available(id), 0n)
      delete second.lies.block
      yield* untilAvailable(id, 500n)
      yield* until(
        "all of it is confirmed",
        Effect.map(depositsOf(id), (all) => all.every(({ status }) => status === "CONFIRMED"))
      )
      assert.strictEqual(yield* available(id), 500n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("waits no longer once people refuse what came there", () =>
    Effect.gen(function* () {
      const { id } = yield* heldAndMovedOn()
      const [entry] = yield* held
      const { decide } = yield* HeldArrivals
      yield* decide(entry!, { verdict: "refuse", by: "bob", reason: "No explorer has it.", at: 1 })
      yield* until(
        "all others are confirmed",
        Effect.map(
          depositsOf(id),
          (all) =>
            all
              .map(({ status, txHash }) => `${txHash === entry?.txHash} ${status}`)
              .toSorted()
              .join() === [...Array.from({ length: 5 }, () => "false CONFIRMED"), "true DETECTED"].join()
        )
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("keeps nobody else from being credited while it waits, though a pass looks at fewer", () =>
    Effect.gen(function* () {
      const { id, mine, other } = yield* heldAndMovedOn({ confirmationsPerPassMax: 2 })
      mine(transferTo(other, 7n), transferTo(other, 8n), transferTo(other, 9n))
      yield* untilAvailable(id, 24n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("to the wallet is known to be the float's, though both are confirmed at once", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newTenant()
      const own = yield* newAddress(id)
      const wallet = "0x00000000000000000000000000000000000000A0"
      const command = { network: "ethereum", role: "PAYOUT", seedId: crypto.randomUUID(), index: 0 } as const
      yield* (yield* Writer).submit(id, addWallet({ ...command, ...keyed(wallet) }, presetNetworks))
      chain.setConfirmedLag(1_000)
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      chain.mine([transferTo(own.address, 9n)])
      chain.mine([transferTo(wallet, 6n, { from: own.address })])
      yield* caughtUp(chain)
      chain.setConfirmedLag(0)
      yield* untilAvailable(id, 9n)
      const queries = yield* Queries
      yield* until(
        "what came to the wallet is booked",
        Effect.map(
          queries.operations({ tenantId: id, kinds: ["ADJUSTMENT"], order: "newest", limit: 10 }),
          ([one]) => one?.details.own_units === "6"
        )
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )
})
