import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { Writer } from "@bursar/core/engine/Writer"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { addressItem, keyed, newAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import type { Network } from "@bursar/core/money/Network"
import type { Block } from "@bursar/core/port/Chain"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import {
  begin,
  ledgerHolds,
  caughtUp,
  depositsOf,
  ethereum,
  kindsOf,
  oneProcess,
  signed,
  ticks,
  until,
  watching
} from "./world.ts"
import { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"

const address = "0x00000000000000000000000000000000000000A0"

const newWallet = Effect.fnUntraced(function* (network: Network = "ethereum", at = address) {
  const writer = yield* Writer
  const { id } = yield* newTenant()
  const command = addWallet(
    { network, role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, ...keyed(at) },
    presetNetworks
  )
  return { id, wallet: yield* writer.submit(id, command) }
})

const adjustmentsOf = (id: TenantId) =>
  Effect.flatMap(Queries, (queries) =>
    queries.operations({ tenantId: id, kinds: ["ADJUSTMENT"], order: "newest", limit: 50 })
  )

const walletTransfersOf = (id: TenantId) => Effect.flatMap(Queries, (queries) => queries.records(id, WalletTransfer))

const untilStatus = (id: TenantId, status: string) =>
  until(
    `the arrival is ${status}`,
    Effect.map(walletTransfersOf(id), (all) => all[0]?.status === status)
  )

describe("what comes to a wallet", () => {
  it.effect("is booked against suspense when it is confirmed, and is never a deposit", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newWallet()
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      chain.mine([transferTo(address, 77n)])
      yield* untilStatus(id, "DETECTED")
      assert.lengthOf(yield* adjustmentsOf(id), 0)
      chain.mineMany(3)
      yield* untilStatus(id, "CONFIRMED")
      const [adjustment] = yield* adjustmentsOf(id)
      assert.deepStrictEqual(adjustment?.amount, { units: 77n, currency: "ETH" })
      assert.match(String(adjustment?.details.reason), /from outside/u)
      const legs = yield* (yield* Queries).legs(id, adjustment?.id ?? "")
      assert.deepStrictEqual(
        legs.map(({ account, direction, units }) => [account, direction, units]),
        [
          ["chain:ethereum:payouts", "DEBIT", 77n],
          ["suspense", "CREDIT", 77n]
        ]
      )
      assert.deepStrictEqual([yield* depositsOf(id), yield* kindsOf(id)], [[], []])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is taken back when its block is replaced, and booked again where it comes again", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newWallet()
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      const transfer = transferTo(address, 5n)
      chain.mine([transfer])
      chain.mineMany(3)
      yield* untilStatus(id, "CONFIRMED")
      chain.reorg(4, [[], [], [], [], []])
      yield* untilStatus(id, "REORGED")
      assert.deepStrictEqual(
        (yield* adjustmentsOf(id)).map(({ amount }) => amount.units).toSorted((one, other) => Number(one - other)),
        [-5n, 5n]
      )
      yield* ledgerHolds(id)
      chain.mine([transfer])
      chain.mineMany(3)
      yield* untilStatus(id, "CONFIRMED")
      assert.lengthOf(yield* adjustmentsOf(id), 3)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is booked where its transaction, in a block that was replaced, paid a deposit address", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      chain.mineMany(5)
      const { id } = yield* newWallet()
      const { address: deposited } = yield* newAddress(id)
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      const paid = transferTo(deposited, 900n)
      chain.mine([paid])
      yield* caughtUp(chain)
      chain.reorg(1, [[{ ...paid, to: address }], [], [], []])
      yield* caughtUp(chain)
      yield* untilStatus(id, "CONFIRMED")
      assert.deepStrictEqual(
        (yield* walletTransfersOf(id)).map(({ units }) => units),
        [900n]
      )
      assert.deepStrictEqual(
        (yield* depositsOf(id)).map(({ status }) => status),
        ["REORGED"]
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is not booked where a deposit counts, whatever a node says when its block is read again", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      chain.mineMany(5)
      const { id } = yield* newWallet()
      const { address: deposited } = yield* newAddress(id)
      const paid = transferTo(deposited, 900n)
      let isLying = false
      const told = (block: Block): Block =>
        isLying && block.transfers.length > 0 ? { ...block, transfers: [{ ...paid, to: address }] } : block
      const reader = { ...chain.reader, block: (hash: string) => Effect.map(chain.reader.block(hash), told) }
      yield* Effect.forkScoped(watching({ ...chain, reader }))
      yield* caughtUp(chain)
      const { number } = chain.mine([paid])
      chain.mineMany(3)
      yield* until(
        "it is credited",
        Effect.map(depositsOf(id), ([one]) => one?.status === "CONFIRMED")
      )
      isLying = true
      const at = yield* Clock.currentTimeMillis
      const { order } = yield* Quarantine
      yield* order({ network: "ethereum", number, kind: "REREAD", by: "ann", reason: null, at })
      yield* ticks(60)
      assert.deepStrictEqual(yield* walletTransfersOf(id), [])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "is not booked again where our own transaction brought it inside of one of a stranger's, who bids for it",
    () =>
      Effect.gen(function* () {
        yield* begin
        const chain = ethereum()
        const { id } = yield* newWallet()
        const { address: deposited } = yield* newAddress(id)
        const sweep = transferTo(address, 900n)
        const [own, theirs] = [sweep.txHash, transferTo(address, 1n).txHash]
        yield* signed(id, "ethereum", own)
        yield* Effect.forkScoped(watching(chain))
        yield* caughtUp(chain)
        const gift = { ...transferTo(address, 70n), innerHash: transferTo(address, 1n).txHash }
        chain.mine([
          { ...sweep, txHash: theirs, innerHash: own },
          // coin for network fees, which our own transaction moves to an address that it sweeps
          { ...transferTo(deposited, 5n), txHash: theirs, innerHash: own, transferIndex: 1 },
          gift
        ])
        chain.mineMany(3)
        yield* until(
          "both are confirmed",
          Effect.map(walletTransfersOf(id), (all) => all.filter(({ status }) => status === "CONFIRMED").length === 2)
        )
        assert.sameDeepMembers(
          (yield* walletTransfersOf(id)).map(({ bookedBy, txHash, units }) => [txHash, units, bookedBy !== null]),
          [
            [own, 900n, false],
            [gift.txHash, 70n, true]
          ]
        )
        assert.deepStrictEqual(yield* depositsOf(id), [])
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is not booked again where a transaction of our own brought it, and becomes a coin on bitcoin", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = makeFakeChain({ network: "bitcoin", firstBlockTime: past, reorgDepthMax: 16 })
      const mine = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
      const { id, wallet } = yield* newWallet("bitcoin", mine)
      const [change, gift] = [transferTo(mine, 900n), transferTo(mine, 800n)]
      yield* signed(id, "bitcoin", change.txHash)
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      chain.mine([change, gift])
      chain.mineMany(3)
      yield* until(
        "both are confirmed",
        Effect.map(walletTransfersOf(id), (all) => all.filter(({ status }) => status === "CONFIRMED").length === 2)
      )
      const coins = yield* (yield* Queries).records(id, WalletUtxo, wallet.id)
      assert.sameDeepMembers(
        coins.map(({ state, units }) => [state, units]),
        [
          ["FREE", 900n],
          ["FREE", 800n]
        ]
      )
      assert.deepStrictEqual(
        (yield* adjustmentsOf(id)).map(({ amount }) => amount.units),
        [800n]
      )
      chain.reorg(4, [[], [], [], [], []])
      yield* ticks(5)
      assert.lengthOf(yield* (yield* Queries).records(id, WalletUtxo, wallet.id), 0)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("has an address that nobody can register, and whose sibling networks are its wallet's too", () =>
    Effect.gen(function* () {
      yield* begin
      const { id } = yield* newWallet()
      const { id: stranger } = yield* newTenant()
      const writer = yield* Writer
      for (const tenant of [id, stranger]) {
        const [result] = yield* writer.submit(tenant, registerAddresses([addressItem(address)]))
        assert.strictEqual(result?.status === "refused" ? result.refusal.code : result?.status, "address_unavailable")
      }
      const chain = makeFakeChain({ network: "base", firstBlockTime: past, reorgDepthMax: 16 })
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      chain.mine([transferTo(address, 9n)])
      chain.mineMany(3)
      yield* untilStatus(id, "CONFIRMED")
      assert.strictEqual((yield* adjustmentsOf(id))[0]?.network, "base")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )
})
