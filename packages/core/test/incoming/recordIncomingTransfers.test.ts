import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import { type IncomingTransfer, recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Network } from "@bursar/core/money/Network"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { addressItem, incomingTransferAt, type MinedTransfer, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { takeFence } from "@bursar/testkit/fixtures/fences"
import { WatchState } from "@bursar/core/store/WatchState"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

const record = (
  incomingTransfer: IncomingTransfer,
  reading: "first" | "again" = "again",
  begunAt: number | null = null
) => {
  const { network } = incomingTransfer
  const command = { network, requiredConfirmations: 3, reading, begunAt, incomingTransfers: [incomingTransfer] }
  return recordIncomingTransfers(command, defaultCurrencies)
}

/** A tenant with an address, registered when its network had been read up to a height. */
const setUp = Effect.fnUntraced(function* (
  network: Network,
  height: number | null,
  policy: Partial<TenantPolicy> = {}
) {
  const tenant = yield* newTenant({ createdAt: past, policy: { ...defaultPolicy, ...policy } })
  const watch = yield* WatchState
  if (height !== null) {
    const fence = yield* takeFence(`test-${tenant.id}`)
    yield* watch.advance(fence, network, { number: height, hash: "0xh", parentHash: "0xg", time: past }, height)
  }
  yield* commitAt(tenant.id, past, registerAddresses([addressItem(newEvmAddress(), { network })]))
  const queries = yield* Queries
  const [address] = yield* queries.addresses(tenant.id, { includeRetired: false, limit: 1 })
  if (address === undefined) return yield* Effect.die(new Error("no address"))
  const historical = Effect.fnUntraced(function* (
    number: number,
    time: number,
    {
      begunAt = null,
      reading,
      ...more
    }: Partial<MinedTransfer> & { readonly begunAt?: number | null; readonly reading?: "first" } = {}
  ) {
    const [deposits] = yield* commitAt(
      tenant.id,
      past + 1,
      record(
        incomingTransferAt(address, 1n, { block: { number, hash: `0x${number}`, time }, ...more }),
        reading,
        begunAt
      )
    )
    const [deposit] = deposits as ReadonlyArray<Deposit> // the reply of recordIncomingTransfers
    return deposit?.historical
  })
  return { tenant, address, historical, queries }
})

layer(Memory.layer, { excludeTestServices: true })("a deposit is historical", (it) => {
  it.effect("where its address was registered at no known height: where it was mined clearly before that", () =>
    Effect.gen(function* () {
      const { historical } = yield* setUp("ethereum", null)
      assert.isTrue(yield* historical(1, past - 15_001))
      assert.isFalse(yield* historical(2, past - 15_000))
      assert.isFalse(yield* historical(3, past + 1))
      // what was mined since the watcher began came later, whatever the clock said that was registered by
      assert.isFalse(yield* historical(8, past - 60_000, { begunAt: 7 }))
      assert.isTrue(yield* historical(7, past - 60_000, { begunAt: 7 }))
      assert.isTrue(yield* historical(8, past - 60_000, { begunAt: null }))
    })
  )

  it.effect("with as much slack as its network's clocks need, and never while it waits for a block", () =>
    Effect.gen(function* () {
      const { address, tenant } = yield* setUp("bitcoin", null)
      const mined = (time: number) =>
        incomingTransferAt(address, 1n, { currency: "BTC", block: { number: 1, hash: newTxHash(), time } })
      const incomingTransfers = [mined(past - 7_200_000), mined(past - 7_200_001), { ...mined(past), block: null }]
      const [deposits] = yield* commitAt(
        tenant.id,
        past + 1,
        recordIncomingTransfers(
          { network: "bitcoin", requiredConfirmations: 3, blockTimeSlackMs: 7_200_000, incomingTransfers },
          defaultCurrencies
        )
      )
      assert.deepStrictEqual(
        (deposits as ReadonlyArray<Deposit>).map(({ historical }) => historical), // the reply of recordIncomingTransfers
        [false, true, false]
      )
    })
  )

  it.effect("where its address was registered at a known height: up to that height, whatever the clocks say", () =>
    Effect.gen(function* () {
      const { historical } = yield* setUp("bsc", 100)
      assert.isTrue(yield* historical(100, past + 60_000))
      assert.isFalse(yield* historical(101, past - 60_000))
    })
  )

  it.effect("not by the height of a block that took the place of the one known at registration, but by its time", () =>
    Effect.gen(function* () {
      const { historical } = yield* setUp("bsc", 100)
      assert.isFalse(yield* historical(100, past - 1_000, { reading: "first" }))
      assert.isFalse(yield* historical(99, past + 60_000, { reading: "first" }))
      assert.isTrue(yield* historical(98, past - 15_001, { reading: "first" }))
      assert.isFalse(yield* historical(101, past - 60_000, { reading: "first" }))
    })
  )

  it.effect("on a sibling network by time alone: the height of one network says nothing of another", () =>
    Effect.gen(function* () {
      const { historical } = yield* setUp("bsc", 60_000_000)
      assert.isFalse(yield* historical(20_000_000, past + 1, { network: "ethereum" }))
      const { historical: again } = yield* setUp("bsc", 60_000_000)
      assert.isTrue(yield* again(70_000_000, past - 60_000, { network: "base" }))
    })
  )

  it.effect("and is then credited only where the policy says so", () =>
    Effect.gen(function* () {
      for (const creditHistorical of [false, true]) {
        const { address, queries, tenant } = yield* setUp("ethereum", null, { creditHistorical })
        const incomingTransfer = incomingTransferAt(address, 5n, {
          block: { number: 1, hash: "0x1", time: past - 60_000 }
        })
        yield* commitAt(tenant.id, past, record(incomingTransfer))
        const [deposit] = yield* queries.deposits(tenant.id, { after: 0, limit: 1 })
        if (deposit === undefined) return assert.fail("no deposit")
        yield* commitAt(
          tenant.id,
          past,
          confirmDeposits([{ deposit, blockHash: "0x1", confirmations: 3 }], defaultCurrencies, nothingUndecided)
        )
        assert.strictEqual((yield* queries.deposits(tenant.id, { after: 0, limit: 1 }))[0]?.status, "CONFIRMED")
        assert.deepStrictEqual(
          (yield* queries.float(tenant.id)).map(({ units }) => units),
          creditHistorical ? [5n] : []
        )
      }
      return undefined
    })
  )
})

layer(Memory.layer, { excludeTestServices: true })("an arrival on a network where its key was not registered", (it) => {
  it.effect("adds a sibling of the address once, and is a deposit on it", () =>
    Effect.gen(function* () {
      const { address, queries, tenant } = yield* setUp("ethereum", null)
      const onBase = (units: bigint, number: number) =>
        incomingTransferAt(address, units, {
          network: "base",
          currency: "ETH_BASE",
          block: { number, hash: `0x${number}`, time: past }
        })
      const together = {
        network: "base",
        requiredConfirmations: 3,
        incomingTransfers: [onBase(3n, 1), onBase(4n, 1)]
      } as const
      yield* commitAt(tenant.id, past + 5, recordIncomingTransfers(together, defaultCurrencies), record(onBase(5n, 2)))
      const [, sibling, ...more] = yield* queries.addresses(tenant.id, { includeRetired: true, limit: 10 })
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(
        [sibling?.network, sibling?.address, sibling?.siblingOf, sibling?.reference],
        ["base", address.address, address.id, address.reference]
      )
      const deposits = yield* queries.deposits(tenant.id, { after: 0, limit: 10 })
      assert.deepStrictEqual(
        deposits.map(({ addressId, network, units }) => [addressId, network, units]),
        [
          [sibling?.id, "base", 3n],
          [sibling?.id, "base", 4n],
          [sibling?.id, "base", 5n]
        ]
      )
    })
  )

  it.effect("is the owner's, because nobody else can have taken the address on that network", () =>
    Effect.gen(function* () {
      const { address, queries, tenant } = yield* setUp("ethereum", null)
      const other = yield* newTenant({ createdAt: past })
      yield* commitAt(other.id, past, registerAddresses([addressItem(address.address, { network: "base" })]))
      yield* commitAt(
        tenant.id,
        past,
        record(incomingTransferAt(address, 3n, { network: "base", currency: "ETH_BASE" }))
      )
      assert.deepStrictEqual(yield* queries.addresses(other.id, { includeRetired: true, limit: 10 }), [])
      const deposits = yield* queries.deposits(tenant.id, { after: 0, limit: 10 })
      assert.deepStrictEqual(
        deposits.map(({ network, units }) => [network, units]),
        [["base", 3n]]
      )
    })
  )
})

layer(Memory.layer, { excludeTestServices: true })("a transaction that is mined again", (it) => {
  it.effect("is credited for what it moves now, not for what it moved in the block that went", () =>
    Effect.gen(function* () {
      const { address, queries, tenant } = yield* setUp("ethereum", null)
      const block = (number: number) => ({ number, hash: `0xb${number}`, time: past + number })
      const first = incomingTransferAt(address, 7n, { block: block(1) })
      const [was] = yield* commitAt(tenant.id, past + 1, record(first))
      const deposit = (was as ReadonlyArray<Deposit>)[0]! // the reply of recordIncomingTransfers
      yield* commitAt(tenant.id, past + 2, reorgDeposits([{ deposit, blockHash: "0xb1" }], defaultCurrencies))
      yield* commitAt(tenant.id, past + 3, record({ ...first, units: 3n, block: block(2) }))
      yield* commitAt(
        tenant.id,
        past + 4,
        confirmDeposits([{ deposit, blockHash: "0xb2", confirmations: 3 }], defaultCurrencies, nothingUndecided)
      )
      const [now] = yield* queries.deposits(tenant.id, { after: 0, limit: 10 })
      assert.deepStrictEqual([now?.id, now?.status, now?.units], [deposit.id, "CONFIRMED", 3n])
      const available = (yield* queries.float(tenant.id)).find(({ account }) => account === "float:available")
      assert.strictEqual(available?.units, 3n)
    })
  )
})
