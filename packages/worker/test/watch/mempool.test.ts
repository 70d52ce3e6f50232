import type { Transfer } from "@bursar/core/port/Chain"
import { watchNow } from "@bursar/core/address/watchNow"
import { Writer } from "@bursar/core/engine/Writer"
import { StorageError } from "@bursar/core/engine/StorageError"
import { WatchState } from "@bursar/core/store/WatchState"
import { emptyState } from "@bursar/memory"
import { newAddress, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { makeFakeMempool } from "@bursar/testkit/fixtures/FakeMempool"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import type { WatchLimits } from "../../src/watch/WatchLimits.ts"
import {
  available,
  begin,
  ledgerHolds,
  caughtUp,
  depositsOf,
  kindsOf,
  oneProcess,
  processOver,
  statusOf,
  ticks,
  until,
  untilStatuses,
  watching
} from "./world.ts"

/** A bitcoin whose mempool is read, with a tenant and an address on it; nothing is watching yet. */
const world = Effect.gen(function* () {
  yield* begin
  const mempool = makeFakeMempool("bitcoin", 3)
  const chain = makeFakeChain({ network: "bitcoin", firstBlockTime: past, reorgDepthMax: 16, mempool })
  chain.mineMany(5)
  const { id } = yield* newTenant()
  const address = yield* newAddress(id, "bitcoin")
  const pay = (units: bigint, more: Partial<Transfer> = {}) => {
    const transfer = transferTo(address.address, units, { from: null, ...more })
    mempool.put(transfer)
    return transfer
  }
  const watch = (limits: Partial<WatchLimits> = {}) => Effect.forkScoped(watching(chain, limits))
  return { address, chain, id, mempool, pay, watch }
})

/** Waits until the mempool has been read so many times more. */
const readings = (mempool: { readonly asked: () => number }, count: number) =>
  Effect.suspend(() => {
    const from = mempool.asked()
    return until(
      `the mempool was read ${count} times`,
      Effect.sync(() => mempool.asked() >= from + count)
    )
  })

describe("what waits for a block", () => {
  it.effect("is detected without one, never counts, gets its block silently, and is confirmed and credited once", () =>
    Effect.gen(function* () {
      const { chain, id, mempool, pay, watch } = yield* world
      yield* watch()
      yield* caughtUp(chain)
      const transfer = pay(7n)
      yield* untilStatuses(id, "DETECTED")
      const [waits] = yield* depositsOf(id)
      assert.deepInclude(waits, { txHash: transfer.txHash, block: null, confirmations: 0, historical: false })
      chain.mineMany(20)
      yield* caughtUp(chain)
      yield* readings(mempool, 5)
      assert.deepStrictEqual(yield* kindsOf(id), ["deposit.detected"])
      assert.strictEqual(yield* available(id, "BTC"), 0n)

      const block = chain.mine([transfer])
      yield* caughtUp(chain)
      yield* readings(mempool, 5)
      const [mined] = yield* depositsOf(id)
      assert.deepStrictEqual<unknown>(
        { ...waits, block: { number: block.number, hash: block.hash, time: block.time }, confirmations: 1 },
        mined
      )
      assert.deepStrictEqual(yield* kindsOf(id), ["deposit.detected"])
      chain.mineMany(2)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id, "BTC"), 7n)
      assert.deepStrictEqual(yield* kindsOf(id), ["deposit.detected", "deposit.confirmed", "deposit.settled"])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is reorged when it is replaced, and what pays in its stead is another deposit", () =>
    Effect.gen(function* () {
      const { chain, id, mempool, pay, watch } = yield* world
      yield* watch()
      yield* caughtUp(chain)
      const lost = pay(7n)
      yield* untilStatuses(id, "DETECTED")
      mempool.drop(lost.txHash)
      const instead = pay(6n)
      yield* untilStatuses(id, "DETECTED", "REORGED")
      const [standing, gone] = yield* depositsOf(id)
      assert.deepStrictEqual([standing?.txHash, standing?.units], [instead.txHash, 6n])
      assert.deepInclude(gone, { txHash: lost.txHash, block: null, confirmations: 0, creditedBy: null })
      assert.isNotNull(gone?.reorgedAt)
      chain.mine([instead])
      chain.mineMany(2)
      yield* untilStatuses(id, "REORGED", "CONFIRMED")
      assert.strictEqual(yield* available(id, "BTC"), 6n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is detected again in the same row when it comes back, or when it is mined after all", () =>
    Effect.gen(function* () {
      const { chain, id, mempool, pay, watch } = yield* world
      yield* watch()
      yield* caughtUp(chain)
      const transfer = pay(7n)
      yield* untilStatuses(id, "DETECTED")
      const [first] = yield* depositsOf(id)
      mempool.drop(transfer.txHash)
      yield* untilStatuses(id, "REORGED")
      mempool.put(transfer)
      yield* untilStatuses(id, "DETECTED")
      mempool.drop(transfer.txHash)
      yield* untilStatuses(id, "REORGED")
      const block = chain.mine([transfer])
      yield* untilStatuses(id, "DETECTED")
      const [last] = yield* depositsOf(id)
      assert.deepStrictEqual([last?.id, last?.changeSeq, last?.reorgedAt], [first?.id, 5, null])
      assert.strictEqual(last?.block?.hash, block.hash)
      assert.deepStrictEqual(yield* kindsOf(id), [
        ...["deposit.detected", "deposit.reorged", "deposit.detected", "deposit.reorged", "deposit.detected"]
      ])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is given up only when it is missing several times in a row", () =>
    Effect.gen(function* () {
      const { chain, id, mempool, pay, watch } = yield* world
      yield* watch({ mempoolAbsencesMax: 3 })
      yield* caughtUp(chain)
      const transfer = pay(7n)
      yield* untilStatuses(id, "DETECTED")
      for (let times = 0; times < 5; times++) {
        mempool.drop(transfer.txHash)
        yield* readings(mempool, 1)
        mempool.put(transfer)
        yield* readings(mempool, 1)
      }
      assert.deepStrictEqual(yield* kindsOf(id), ["deposit.detected"])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is not given up while its block cannot be read, nor when it was mined between the readings", () =>
    Effect.gen(function* () {
      const { chain, id, mempool, pay, watch } = yield* world
      yield* watch({ mempoolAbsencesMax: 1 })
      yield* caughtUp(chain)
      const transfer = pay(7n)
      yield* untilStatuses(id, "DETECTED")
      chain.fail("unreachable", 20, "block")
      chain.mine([transfer])
      yield* ticks(30)
      assert.deepStrictEqual(yield* kindsOf(id), ["deposit.detected"])
      chain.heal()
      yield* caughtUp(chain)

      const other = pay(1n)
      yield* untilStatuses(id, "DETECTED", "DETECTED")
      // the watcher has asked for the newest block and now asks for what waits: another block comes in between
      mempool.before(() => chain.mine([other]))
      yield* readings(mempool, 1)
      yield* caughtUp(chain)
      yield* readings(mempool, 3)
      assert.deepStrictEqual(yield* kindsOf(id), ["deposit.detected", "deposit.detected"])
      chain.mineMany(3)
      yield* untilStatuses(id, "CONFIRMED", "CONFIRMED")
      assert.strictEqual(yield* available(id, "BTC"), 8n)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("that a reorganisation sends back to wait is detected again without a block", () =>
    Effect.gen(function* () {
      const { chain, id, mempool, pay, watch } = yield* world
      yield* watch()
      yield* caughtUp(chain)
      const transfer = pay(7n)
      yield* untilStatuses(id, "DETECTED")
      chain.mine([transfer])
      chain.mineMany(2)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id, "BTC"), 7n)
      // the mempool tells of it before the lost blocks were noticed
      mempool.put(transfer)
      yield* readings(mempool, 2)
      chain.reorg(3, [[], [], [], []])
      yield* until(
        "it waits again",
        Effect.map(depositsOf(id), ([one]) => one?.status === "DETECTED" && one.block === null)
      )
      assert.strictEqual(yield* available(id, "BTC"), 0n)
      chain.mine([transfer])
      chain.mineMany(2)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id, "BTC"), 7n)
      assert.deepStrictEqual((yield* kindsOf(id)).slice(3), [
        ...["deposit.reorged", "deposit.detected", "deposit.confirmed", "deposit.settled"]
      ])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("and is mined in a block without having been seen waiting is an arrival like any other", () =>
    Effect.gen(function* () {
      const { address, chain, id, watch } = yield* world
      yield* watch()
      yield* caughtUp(chain)
      chain.mine([transferTo(address.address, 5n, { from: null })])
      chain.mineMany(2)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id, "BTC"), 5n)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is followed over restarts: what was mined, replaced or still waits is told apart", () => {
    const state = emptyState()
    return Effect.gen(function* () {
      const { chain, id, mempool, pay } = yield* world
      const first = yield* Effect.forkChild(watching(chain))
      yield* caughtUp(chain)
      const [mined, replaced, stays] = [pay(1n), pay(2n), pay(4n)]
      yield* untilStatuses(id, "DETECTED", "DETECTED", "DETECTED")
      yield* Fiber.interrupt(first)
      chain.mine([mined])
      mempool.drop(replaced.txHash)
      yield* Effect.forkScoped(watching(chain).pipe(Effect.provide(processOver(state))))
      yield* until(
        "one is gone",
        Effect.map(depositsOf(id), (all) => all.some(({ status }) => status === "REORGED"))
      )
      const found = new Map((yield* depositsOf(id)).map((deposit) => [deposit.txHash, deposit]))
      assert.strictEqual(found.get(mined.txHash)?.block?.hash, chain.latest().hash)
      assert.strictEqual(found.get(replaced.txHash)?.status, "REORGED")
      assert.deepInclude(found.get(stays.txHash), { status: "DETECTED", block: null })
      assert.strictEqual((yield* kindsOf(id)).length, 4)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(state)))
  })

  it.effect("is found at once for an address that was registered later and is to be watched now", () =>
    Effect.gen(function* () {
      const { address, chain, id, mempool, watch } = yield* world
      yield* watch()
      yield* caughtUp(chain)
      const later = `${address.address.slice(0, -2)}${address.address.endsWith("ff") ? "00" : "ff"}`
      mempool.put(transferTo(later, 9n, { from: null }))
      yield* readings(mempool, 2)
      const registered = yield* newAddress(id, "bitcoin", { address: later })
      yield* readings(mempool, 5)
      assert.deepStrictEqual(yield* depositsOf(id), [])
      const writer = yield* Writer
      yield* writer.submit(id, watchNow(registered.id))
      yield* untilStatuses(id, "DETECTED")
      assert.deepInclude((yield* depositsOf(id))[0], { block: null, historical: false, units: 9n })
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "is recorded in the end though node and storage fail, and memory keeps only what pays somebody here",
    () => {
      let broken = 3
      const flaky = Layer.effect(
        WatchState,
        Effect.map(WatchState, (state) =>
          WatchState.of({
            ...state,
            depositsAmong: (network, txHashes) =>
              Effect.suspend(() =>
                broken-- > 0
                  ? Effect.fail(new StorageError({ doing: "look up", cause: "broken by the test" }))
                  : state.depositsAmong(network, txHashes)
              )
          })
        )
      )
      return Effect.gen(function* () {
        const { chain, id, mempool, pay, watch } = yield* world
        const limits = { mempoolTransactionsMax: 1, mempoolAbsencesMax: 1 }
        const crowd = () => {
          for (let number = 0; number < 10; number++) mempool.put(transferTo(newEvmAddress(), 1n, { from: null }))
        }
        mempool.fail(2)
        pay(1n)
        crowd()
        pay(2n)
        crowd()
        const first = yield* watch(limits)
        yield* untilStatuses(id, "DETECTED", "DETECTED")
        assert.isAtMost(broken, 0)
        yield* Fiber.interrupt(first)
        // the next term reads all of it anew, a part at a time: what it has not come to yet is not missing
        yield* watch(limits)
        yield* readings(mempool, 10)
        yield* caughtUp(chain)
        assert.deepStrictEqual(yield* kindsOf(id), ["deposit.detected", "deposit.detected"])
        assert.isNull((yield* statusOf("bitcoin"))?.problem)
      }).pipe(Effect.provide(flaky.pipe(Layer.provideMerge(oneProcess()))))
    }
  )
})

describe("a part of an account", () => {
  it.effect("is matched before the account itself, which gets what nobody registered more exactly", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = makeFakeChain({ network: "stellar", firstBlockTime: past })
      const accountOf = (address: string) => (address.startsWith("M") ? `G${address.slice(1, 4)}` : undefined)
      const [one, other] = [yield* newTenant(), yield* newTenant()]
      yield* newAddress(one.id, "stellar", { address: "GABC" })
      yield* newAddress(other.id, "stellar", { address: "MABC7" })
      yield* Effect.forkScoped(watching({ ...chain, accountOf }))
      yield* caughtUp(chain)
      chain.mine([transferTo("GABC", 1n), transferTo("MABC7", 2n), transferTo("MABC8", 4n), transferTo("MXYZ7", 8n)])
      chain.mineMany(3)
      yield* untilStatuses(one.id, "CONFIRMED", "CONFIRMED")
      yield* untilStatuses(other.id, "CONFIRMED")
      assert.strictEqual(yield* available(one.id, "XLM"), 5n)
      assert.strictEqual(yield* available(other.id, "XLM"), 2n)
      assert.deepStrictEqual(
        (yield* depositsOf(one.id)).map(({ address }) => address),
        ["GABC", "GABC"]
      )
    }).pipe(Effect.provide(oneProcess()))
  )
})
