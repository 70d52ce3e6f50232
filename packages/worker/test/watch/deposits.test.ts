import { setTenantPolicy } from "@bursar/core/access/tenantCommands"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { Writer } from "@bursar/core/engine/Writer"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { WatchState } from "@bursar/core/store/WatchState"
import { accountAt, keyed, newAddress, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  available,
  begin,
  ledgerHolds,
  caughtUp,
  depositsOf,
  ethereum,
  kindsOf,
  oneProcess,
  statusOf,
  ticks,
  untilStatuses,
  watching
} from "./world.ts"

const usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7"

describe("watching for deposits", () => {
  it.effect("detects, confirms and credits a deposit once", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newTenant()
      const address = yield* newAddress(id)
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      const transfer = transferTo(address.address, 7n)
      const block = chain.mine([transfer])
      yield* untilStatuses(id, "DETECTED")
      const [detected] = yield* depositsOf(id)
      assert.deepInclude(detected, {
        txHash: transfer.txHash,
        units: 7n,
        currency: "ETH",
        confirmations: 1,
        requiredConfirmations: 3,
        historical: false
      })
      assert.deepStrictEqual(detected?.block, { number: block.number, hash: block.hash, time: block.time })
      assert.strictEqual(yield* available(id), 0n)

      chain.mine()
      yield* caughtUp(chain)
      yield* ticks(3)
      assert.deepStrictEqual(yield* kindsOf(id), ["deposit.detected"])
      chain.mine()
      yield* untilStatuses(id, "CONFIRMED")
      const [confirmed] = yield* depositsOf(id)
      assert.strictEqual(confirmed?.confirmations, 3)
      chain.mineMany(20)
      yield* caughtUp(chain)
      yield* ticks(5)
      assert.strictEqual(yield* available(id), 7n)
      assert.deepStrictEqual(yield* kindsOf(id), ["deposit.detected", "deposit.confirmed", "deposit.settled"])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "tells the assets, the tenants and the transfers of one transaction apart, and ignores what is no deposit",
    () =>
      Effect.gen(function* () {
        yield* begin
        const chain = ethereum()
        const one = yield* newTenant()
        const other = yield* newTenant()
        const mine = yield* newAddress(one.id)
        const theirs = yield* newAddress(other.id)
        yield* Effect.forkScoped(watching(chain))
        yield* caughtUp(chain)
        const first = transferTo(mine.address, 1n)
        chain.mine([
          first,
          { ...first, transferIndex: 1, units: 2n },
          { ...first, transferIndex: 2, units: 3n, contract: usdt.toLowerCase() },
          transferTo(theirs.address, 4n),
          transferTo(mine.address, 5n, { contract: "0x00000000000000000000000000000000000000AA" }),
          transferTo(mine.address, 0n, { contract: usdt }),
          transferTo(newEvmAddress(), 6n)
        ])
        yield* caughtUp(chain)
        chain.mineMany(3)
        yield* untilStatuses(other.id, "CONFIRMED")
        yield* untilStatuses(one.id, "CONFIRMED", "CONFIRMED", "CONFIRMED")
        assert.strictEqual(yield* available(one.id), 3n)
        assert.strictEqual(yield* available(one.id, "USDT_ETH"), 3n)
        assert.strictEqual(yield* available(other.id), 4n)
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("finds coins that arrive on another network of the same key, and adds the sibling address", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum({ network: "bsc" })
      const { id } = yield* newTenant()
      const address = yield* newAddress(id, "ethereum")
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      chain.mine([transferTo(address.address, 9n), transferTo(address.address, 1n)])
      chain.mineMany(3)
      yield* untilStatuses(id, "CONFIRMED", "CONFIRMED")
      assert.strictEqual(yield* available(id, "BNB"), 10n)
      const addresses = new Set((yield* depositsOf(id)).map(({ addressId }) => addressId))
      assert.strictEqual(addresses.size, 1)
      assert.isFalse(addresses.has(address.id))
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("begins where the addresses begin to be watched, and else at the newest block", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      chain.mineMany(100)
      const { id } = yield* newTenant()
      // the clock stands at the first block, so all of the chain lies after this registration
      const address = yield* newAddress(id)
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      assert.strictEqual(address.registeredAtBlock, null)
      assert.strictEqual(chain.asked("block"), 101)
      const tron = ethereum({ network: "tron" })
      tron.mineMany(100)
      yield* Effect.forkScoped(watching(tron))
      yield* caughtUp(tron)
      assert.strictEqual(tron.asked("block"), 1)
      assert.strictEqual((yield* statusOf("tron"))?.cursor?.number, 100)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "credits what came after the height of a restored backup to an address that is issued again before it reads on",
    () =>
      Effect.gen(function* () {
        yield* begin
        const chain = ethereum()
        const { id } = yield* newTenant()
        const before = yield* Effect.forkChild(watching(chain))
        yield* caughtUp(chain)
        yield* Fiber.interrupt(before)
        // issued and paid after the backup was made, of which it knows nothing
        const lost = newEvmAddress()
        chain.mine([transferTo(lost, 7n)])
        chain.mineMany(10)
        yield* TestClock.setTime(chain.latest().time + 3_600_000)
        const prederived = {
          ...{ seedId: crypto.randomUUID(), ...accountAt(`account-${id}`) },
          ...{ from: 0, addresses: [keyed(lost)] }
        }
        const again = issueAddresses(
          { network: "ethereum", reference: "restored", count: 1, prederived },
          presetNetworks
        )
        yield* (yield* Writer).submit(id, again)
        yield* Effect.forkScoped(watching(chain))
        yield* untilStatuses(id, "CONFIRMED")
        assert.isFalse((yield* depositsOf(id))[0]?.historical)
        assert.strictEqual(yield* available(id), 7n)
      }).pipe(Effect.provide(oneProcess()))
  )

  for (const [what, lateMs] of [
    ["the same second, which blocks round down", 900],
    ["its slot, which had begun before", 11_000]
  ] as const)
    it.effect(`begins early enough for what is paid right after an address was registered: in ${what}`, () =>
      Effect.gen(function* () {
        yield* begin
        const chain = ethereum()
        chain.mineMany(10)
        // the next block tells a time before the registration, though it was made after it
        yield* TestClock.setTime(chain.latest().time + 12_000 + lateMs)
        const { id } = yield* newTenant()
        const address = yield* newAddress(id)
        chain.mine([transferTo(address.address, 7n)])
        chain.mineMany(5)
        yield* Effect.forkScoped(watching(chain))
        yield* caughtUp(chain)
        yield* untilStatuses(id, "CONFIRMED")
        assert.strictEqual(yield* available(id), 7n)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(oneProcess()))
    )

  it.effect("catches up in bounded passes without losing or doubling a deposit", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newTenant()
      const address = yield* newAddress(id)
      for (let number = 0; number < 60; number++) chain.mine([transferTo(address.address, 1n)])
      yield* Effect.forkScoped(
        watching(chain, { blocksPerPassMax: 7, readAheadMax: 3, confirmationsPerPassMax: 5, depositsPerCommandMax: 2 })
      )
      yield* caughtUp(chain)
      chain.mineMany(3)
      yield* caughtUp(chain)
      yield* ticks(20)
      assert.strictEqual(yield* available(id), 60n)
      assert.strictEqual((yield* depositsOf(id)).filter(({ status }) => status === "CONFIRMED").length, 60)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("confirms without crediting what the tenant's policy does not credit", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newTenant()
      const writer = yield* Writer
      yield* writer.submit(id, setTenantPolicy({ creditOrigins: [] }))
      const address = yield* newAddress(id)
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      chain.mine([transferTo(address.address, 7n)])
      chain.mineMany(3)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id), 0n)
      assert.deepStrictEqual(yield* kindsOf(id), ["deposit.detected", "deposit.confirmed"])
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "asks the directory for the receivers of a block and for no more, however many addresses are watched",
    () => {
      const asked: Array<ReadonlyArray<string>> = []
      const spy = Layer.effect(
        WatchState,
        Effect.map(WatchState, (state) =>
          WatchState.of({
            ...state,
            owners: (network, addresses) => {
              asked.push(addresses)
              return state.owners(network, addresses)
            }
          })
        )
      )
      return Effect.gen(function* () {
        yield* begin
        const chain = ethereum()
        const { id } = yield* newTenant()
        const address = yield* newAddress(id)
        for (let more = 0; more < 50; more++) yield* newAddress(id)
        yield* Effect.forkScoped(watching(chain))
        yield* caughtUp(chain)
        const stranger = newEvmAddress()
        chain.mine([transferTo(address.address, 1n), transferTo(address.address, 1n), transferTo(stranger, 1n)])
        chain.mine()
        yield* caughtUp(chain)
        assert.deepStrictEqual(asked, [[address.address, stranger]])
      }).pipe(Effect.provide(spy.pipe(Layer.provideMerge(oneProcess()))))
    }
  )
})

describe("a deposit on an address that was registered before anything of its network was read", () => {
  for (const [what, behindMs, units] of [
    ["counts where it is mined after the watcher began, though the clock of the block is behind", 60_000, 7n],
    ["is historical where the node is far behind, and shows as new what is old", 864_000_000, 0n]
  ] as const)
    it.effect(what, () =>
      Effect.gen(function* () {
        yield* begin
        const chain = ethereum({ firstBlockTime: past - behindMs })
        const { id } = yield* newTenant()
        const { address } = yield* newAddress(id)
        yield* Effect.forkScoped(watching(chain))
        yield* caughtUp(chain)
        chain.mine([transferTo(address, 7n)])
        chain.mineMany(3)
        yield* untilStatuses(id, "CONFIRMED")
        assert.strictEqual(yield* available(id), units)
        assert.strictEqual((yield* depositsOf(id))[0]?.historical, units === 0n)
      }).pipe(Effect.provide(oneProcess()))
    )
})
