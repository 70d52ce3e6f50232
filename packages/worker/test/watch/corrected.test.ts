import { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import { Writer } from "@bursar/core/engine/Writer"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { Transfer } from "@bursar/core/port/Chain"
import { HeldArrivals } from "@bursar/core/port/HeldArrivals"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { Queries } from "@bursar/core/store/Queries"
import { keyed, newAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { above100, held, untilHeld, withTransfer, world } from "./secondNodeWorld.ts"
import { available, depositsOf, kindsOf, ledgerHolds, oneProcess, ticks, until, untilStatuses } from "./world.ts"

const usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7"

const three = ["one", "two", "three"]

const untilCorrected = (events: ReadonlyArray<string>) =>
  until(
    "it is corrected",
    Effect.sync(() => events.includes("arrival.corrected"))
  )

const rowsOf = (tenantId: Parameters<typeof depositsOf>[0]) =>
  Effect.map(depositsOf(tenantId), (all) =>
    all.map(({ address, currency, status, units }) => [status, units, currency, address])
  )

describe("a deposit that the preferred node lied about", () => {
  it.effect("is corrected when the lie ends, and credited with what it truly is", () =>
    Effect.gen(function* () {
      const { address, events, first, id, mine } = yield* world()
      const paid = transferTo(address, 200n)
      first.lies.block = withTransfer({ ...paid, units: 5_000n })
      mine(paid)
      yield* untilHeld("disputed")
      assert.deepStrictEqual(yield* rowsOf(id), [["DETECTED", 5_000n, "ETH", address]])
      delete first.lies.block
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id), 200n)
      assert.include(events, "arrival.corrected")
      // whoever was told of the wrong one is told that it is not there
      const kinds = (yield* kindsOf(id)).filter((kind) => kind.startsWith("deposit."))
      assert.deepStrictEqual(kinds, [
        "deposit.detected",
        "deposit.reorged",
        "deposit.detected",
        "deposit.confirmed",
        "deposit.settled"
      ])
      yield* until(
        "nothing is held",
        Effect.map(held, (all) => all.length === 0)
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is corrected when the lie ends after operators have refused it", () =>
    Effect.gen(function* () {
      const { address, events, first, id, mine } = yield* world()
      const paid = transferTo(address, 200n)
      first.lies.block = withTransfer({ ...paid, units: 5_000n })
      mine(paid)
      yield* untilHeld("disputed")
      const [one] = yield* held
      if (one === undefined) return assert.fail("held")
      const { decide } = yield* HeldArrivals
      const word = { verdict: "refuse", by: "ann", reason: "No explorer has 5,000.", at: one.since } as const
      assert.strictEqual(yield* decide(one, word), "refused")
      yield* ticks(60)
      assert.deepStrictEqual(yield* rowsOf(id), [["DETECTED", 5_000n, "ETH", address]])
      delete first.lies.block
      yield* ticks(700)
      assert.deepStrictEqual(yield* rowsOf(id), [["CONFIRMED", 200n, "ETH", address]])
      assert.strictEqual(yield* available(id), 200n)
      assert.include(events, "arrival.corrected")
      yield* ledgerHolds(id)
      return undefined
    }).pipe(Effect.provide(oneProcess()))
  )

  for (const [what, lie, rows] of [
    ["the amount", (paid: Transfer): Transfer => ({ ...paid, units: 5_000n }), 200n],
    ["the asset", (paid: Transfer): Transfer => ({ ...paid, contract: usdt }), 200n],
    [
      "the sender",
      (paid: Transfer): Transfer => ({ ...paid, from: "0x00000000000000000000000000000000000000F9" }),
      200n
    ]
  ] as const) {
    it.effect(`shows what two others agree on while it goes on to lie about ${what}, and credits nothing`, () =>
      Effect.gen(function* () {
        const { address, events, first, id, mine } = yield* world(above100, three)
        const paid = transferTo(address, 200n)
        first.lies.block = withTransfer(lie(paid))
        mine(paid)
        yield* untilCorrected(events)
        yield* ticks(60)
        assert.deepStrictEqual(yield* rowsOf(id), [["DETECTED", rows, "ETH", address]])
        assert.strictEqual((yield* depositsOf(id))[0]?.fromAddress, paid.from)
        assert.strictEqual(yield* available(id), 0n)
        assert.deepStrictEqual(
          (yield* held).map(({ state, units }) => [state, units]),
          [["disputed", 200n]]
        )
        // once, however often nodes are asked
        assert.strictEqual(events.filter((event) => event === "arrival.corrected").length, 1)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(oneProcess()))
    )
  }

  it.effect("goes where two others have no such transfer", () =>
    Effect.gen(function* () {
      const { address, events, first, id, second, third } = yield* world(above100, three)
      const made = transferTo(address, 900n)
      first.chain.mine([made])
      const blocks = first.chain
        .blocks()
        .slice(-1)
        .map((block) => ({ ...block, transfers: [] }))
      for (const { chain } of [second, third]) chain.restore(blocks)
      for (const { chain } of [first, second, third]) chain.mineMany(3)
      yield* untilCorrected(events)
      yield* untilStatuses(id, "REORGED")
      yield* ticks(60)
      assert.strictEqual(yield* available(id), 0n)
      yield* untilStatuses(id, "REORGED")
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("becomes that of the tenant whom two others say it pays", () =>
    Effect.gen(function* () {
      const { address, events, first, id, mine } = yield* world(above100, three)
      const { id: owner } = yield* newTenant()
      const { address: theirs } = yield* newAddress(owner)
      const paid = transferTo(theirs, 200n)
      first.lies.block = withTransfer({ ...paid, to: address })
      mine(paid)
      yield* untilCorrected(events)
      yield* untilStatuses(id, "REORGED")
      assert.deepStrictEqual(yield* rowsOf(owner), [["DETECTED", 200n, "ETH", theirs]])
      delete first.lies.block
      yield* untilStatuses(owner, "CONFIRMED")
      assert.deepStrictEqual([yield* available(id), yield* available(owner)], [0n, 200n])
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("stays as it is while only one other says otherwise, or as many say the same", () =>
    Effect.gen(function* () {
      const { address, events, first, id, mine, second, third } = yield* world(above100, three)
      const paid = transferTo(address, 200n)
      first.lies.block = withTransfer({ ...paid, units: 5_000n })
      second.lies.block = withTransfer({ ...paid, units: 5_001n })
      mine(paid)
      yield* untilHeld("disputed")
      yield* ticks(60)
      assert.deepStrictEqual(yield* rowsOf(id), [["DETECTED", 5_000n, "ETH", address]])
      third.chain.fail("unreachable", 1_000_000)
      second.lies.block = withTransfer(paid)
      yield* ticks(60)
      assert.deepStrictEqual(yield* rowsOf(id), [["DETECTED", 5_000n, "ETH", address]])
      assert.notInclude(events, "arrival.corrected")
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("at a wallet is corrected as well, before anything is booked", () =>
    Effect.gen(function* () {
      const { events, first, id, mine } = yield* world()
      const wallet = "0x00000000000000000000000000000000000000A0"
      const put = { network: "ethereum", role: "PAYOUT", seedId: crypto.randomUUID(), index: 0 } as const
      yield* (yield* Writer).submit(id, addWallet({ ...put, ...keyed(wallet) }, presetNetworks))
      const ofWallet = Effect.flatMap(Queries, ({ records }) => records(id, WalletTransfer))
      const paid = transferTo(wallet, 200n)
      first.lies.block = withTransfer({ ...paid, units: 5_000n })
      mine(paid)
      yield* untilHeld("disputed")
      delete first.lies.block
      yield* until(
        "it is booked",
        Effect.map(ofWallet, ([one]) => one?.status === "CONFIRMED")
      )
      assert.deepStrictEqual(
        (yield* ofWallet).map(({ units }) => units),
        [200n]
      )
      assert.include(events, "arrival.corrected")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("has the sender that two others name where it leaves one out", () =>
    Effect.gen(function* () {
      const { address, events, first, id, mine } = yield* world(above100, three)
      const paid = transferTo(address, 200n)
      first.lies.block = withTransfer({ ...paid, from: null })
      mine(paid)
      yield* untilCorrected(events)
      // it says nothing of what is recorded now, and the two others agree on it
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual((yield* depositsOf(id))[0]?.fromAddress, paid.from)
      assert.strictEqual(yield* available(id), 200n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("credits nothing of what came from an address of the tenant's own, though it leaves the sender out", () =>
    Effect.gen(function* () {
      const { address, first, id, mine, other } = yield* world()
      mine(transferTo(other, 900n))
      yield* untilStatuses(id, "CONFIRMED")
      const moved = transferTo(address, 900n, { from: other })
      first.lies.block = withTransfer({ ...moved, from: null })
      mine(moved)
      yield* untilHeld("disputed")
      assert.strictEqual(yield* available(id), 900n)
      delete first.lies.block
      yield* untilStatuses(id, "CONFIRMED", "CONFIRMED")
      assert.strictEqual(yield* available(id), 900n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is found at the wallet that two others say it pays", () =>
    Effect.gen(function* () {
      const { address, events, first, id, mine } = yield* world(above100, three)
      const wallet = "0x00000000000000000000000000000000000000A0"
      const put = { network: "ethereum", role: "PAYOUT", seedId: crypto.randomUUID(), index: 0 } as const
      yield* (yield* Writer).submit(id, addWallet({ ...put, ...keyed(wallet) }, presetNetworks))
      const paid = transferTo(wallet, 900n)
      first.lies.block = withTransfer({ ...paid, to: address })
      mine(paid)
      yield* untilCorrected(events)
      yield* untilStatuses(id, "REORGED")
      delete first.lies.block
      const ofWallet = Effect.flatMap(Queries, ({ records }) => records(id, WalletTransfer))
      yield* until(
        "it is booked at the wallet",
        Effect.map(ofWallet, ([one]) => one?.status === "CONFIRMED" && one.units === 900n)
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )
})
