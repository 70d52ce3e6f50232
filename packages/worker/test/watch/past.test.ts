import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { retireAddress } from "@bursar/core/address/retireAddress"
import { watchNow, watchNowWindowMs } from "@bursar/core/address/watchNow"
import { Writer } from "@bursar/core/engine/Writer"
import { WatchState } from "@bursar/core/store/WatchState"
import { ChainError } from "@bursar/core/port/Chain"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { emptyState } from "@bursar/memory"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { setTenantPolicy } from "@bursar/core/access/tenantCommands"
import { addressItem, newAddress, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import type { FakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { defaultWatchLimits } from "../../src/watch/WatchLimits.ts"
import {
  available,
  begin,
  ledgerHolds,
  caughtUp,
  depositsOf,
  ethereum,
  kindsOf,
  oneProcess,
  processOver,
  statusOf,
  tick,
  ticks,
  until,
  watching
} from "./world.ts"

const register = Effect.fnUntraced(function* (
  id: TenantId,
  address: string,
  from: { watchFrom?: number; watchFromBlock?: number }
) {
  const writer = yield* Writer
  const [result] = yield* writer.submit(id, registerAddresses([addressItem(address, from)]))
  if (result?.status !== "registered") return yield* Effect.die(new Error("the address was not registered"))
  return result.address
})

const backfillsDone = until(
  "the backfills are finished",
  Effect.flatMap(WatchState, (state) => Effect.map(state.backfills("ethereum", 100), (jobs) => jobs.length === 0))
)

/** A chain with a coin on each of its 200 blocks for one address, which is read up to its end before anybody registers it. */
const withPast = Effect.gen(function* () {
  yield* begin
  const chain = ethereum()
  const address = newEvmAddress()
  for (let number = 1; number <= 200; number++) chain.mine([transferTo(address, 1n), transferTo(newEvmAddress(), 1n)])
  const { id } = yield* newTenant()
  yield* Effect.forkScoped(watching(chain))
  yield* caughtUp(chain)
  yield* TestClock.setTime(chain.latest().time)
  return { chain, address, id }
})

describe("reading the past", () => {
  it.effect("finds what was paid in the second from which on an address is to be watched", () =>
    Effect.gen(function* () {
      const { address, id } = yield* withPast
      yield* register(id, address, { watchFrom: past + 100 * 12_000 + 700 })
      yield* backfillsDone
      const blocks = (yield* depositsOf(id)).map(({ block }) => block?.number ?? 0)
      assert.strictEqual(Math.min(...blocks), 100)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("finds what arrived before the address was registered, and confirms but does not credit it", () =>
    Effect.gen(function* () {
      const { address, chain, id } = yield* withPast
      yield* register(id, address, { watchFrom: past + 100 * 12_000 })
      yield* backfillsDone
      chain.mine([transferTo(address, 5n)])
      chain.mineMany(3)
      yield* caughtUp(chain)
      yield* ticks(3)
      const deposits = yield* depositsOf(id)
      const historical = deposits.filter((deposit) => deposit.historical)
      assert.deepStrictEqual(
        historical.map(({ block }) => block?.number).toSorted((left = 0, right = 0) => left - right),
        Array.from({ length: 101 }, (_, index) => 100 + index)
      )
      assert.isTrue(deposits.every(({ status }) => status === "CONFIRMED"))
      assert.strictEqual(yield* available(id), 5n)
      assert.strictEqual((yield* kindsOf(id)).filter((kind) => kind === "deposit.settled").length, 1)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("credits it where the tenant's policy says so", () =>
    Effect.gen(function* () {
      const { address, id } = yield* withPast
      const writer = yield* Writer
      yield* writer.submit(id, setTenantPolicy({ creditHistorical: true }))
      yield* register(id, address, { watchFromBlock: 191 })
      yield* backfillsDone
      yield* until(
        "8 of 10 are deep enough",
        Effect.map(available(id), (units) => units === 8n)
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("goes on in slices while new blocks are read, shared by several jobs, and survives a node that fails", () =>
    Effect.gen(function* () {
      const { address, chain, id } = yield* withPast
      const other = yield* newTenant()
      const second = newEvmAddress()
      yield* register(id, address, { watchFromBlock: 1 })
      yield* register(other.id, second, { watchFromBlock: 50 })
      chain.fail("unreachable", 3, "block")
      const fresh = transferTo(second, 9n)
      chain.mine([fresh])
      yield* until(
        "the new block is read",
        Effect.map(depositsOf(other.id), (deposits) => deposits.some(({ txHash }) => txHash === fresh.txHash))
      )
      yield* backfillsDone
      assert.strictEqual((yield* depositsOf(id)).length, 200)
      assert.strictEqual((yield* depositsOf(other.id)).length, 1)
      assert.strictEqual((yield* statusOf("ethereum"))?.problem, null)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "that one tenant asks for before a network was ever read keeps no other waiting, on a node without it",
    () =>
      Effect.gen(function* () {
        yield* begin
        const chain = ethereum()
        chain.mineMany(300)
        yield* TestClock.setTime(chain.latest().time)
        const [asking, other] = [yield* newTenant(), yield* newTenant()]
        yield* register(asking.id, newEvmAddress(), { watchFrom: 0 })
        const { address } = yield* newAddress(other.id)
        chain.mine([transferTo(address, 5n)])
        const { block } = chain.reader
        const old = new Set(chain.blocks().flatMap(({ hash, number }) => (number < 250 ? [hash] : [])))
        const gone = new ChainError({ network: "ethereum", reason: "absent", doing: "read", detail: "pruned" })
        Object.assign(chain.reader, { block: (hash: string) => (old.has(hash) ? Effect.fail(gone) : block(hash)) })
        yield* Effect.forkScoped(watching(chain))
        yield* until(
          "the other's deposit is found",
          Effect.map(depositsOf(other.id), (deposits) => deposits.length === 1)
        )
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("twice changes nothing", () =>
    Effect.gen(function* () {
      const { address, id } = yield* withPast
      const record = yield* register(id, address, { watchFromBlock: 190 })
      yield* backfillsDone
      yield* ticks(3)
      const before = yield* depositsOf(id)
      const writer = yield* Writer
      yield* writer.submit(id, retireAddress(record.id))
      yield* register(id, address, { watchFromBlock: 190 })
      yield* backfillsDone
      assert.deepStrictEqual(yield* depositsOf(id), before)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is not misled by a reorganisation of what it reads", () =>
    Effect.gen(function* () {
      const { address, chain, id } = yield* withPast
      yield* register(id, address, { watchFromBlock: 195 })
      yield* backfillsDone
      assert.strictEqual((yield* depositsOf(id)).length, 6)
      chain.reorg(3)
      yield* caughtUp(chain)
      const deposits = yield* depositsOf(id)
      assert.strictEqual(deposits.filter(({ status }) => status === "REORGED").length, 3)
      assert.strictEqual(deposits.filter(({ status }) => status !== "REORGED").length, 3)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("takes no block for the chain's that is not the one it remembers", () =>
    Effect.gen(function* () {
      const { address, chain, id } = yield* withPast
      const { block, header } = chain.reader
      const real = chain.blocks().find(({ number }) => number === 195)
      if (real === undefined) return assert.fail("there is no block 195")
      const fork = { ...real, hash: `0x${"f".repeat(64)}` }
      let told = 0
      Object.assign(chain.reader, {
        header: (number: number) => (number === 195 && told++ < 3 ? Effect.succeed(fork) : header(number)),
        block: (hash: string) => (hash === fork.hash ? Effect.succeed(fork) : block(hash))
      })
      yield* register(id, address, { watchFromBlock: 195 })
      yield* backfillsDone
      yield* ticks(3)
      assert.isAtLeast(told, 4)
      const deposits = yield* depositsOf(id)
      assert.strictEqual(deposits.length, 6)
      assert.isTrue(deposits.every((deposit) => deposit.status !== "REORGED" && deposit.block?.hash !== fork.hash))
      assert.notInclude(yield* kindsOf(id), "deposit.reorged")
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("of which the node has nothing is reported and keeps nobody else waiting", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum({ firstBlock: 1_000 })
      const address = newEvmAddress()
      for (let number = 0; number < 5; number++) chain.mine([transferTo(address, 1n)])
      const { id } = yield* newTenant()
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      yield* register(id, newEvmAddress(), { watchFromBlock: 1 })
      yield* register(id, address, { watchFromBlock: 1_000 })
      yield* until(
        "the other job is done",
        Effect.map(depositsOf(id), (deposits) => deposits.length === 5)
      )
      // it is no problem of the network, which is read as before
      assert.isNull((yield* statusOf("ethereum"))?.problem)
      assert.include((yield* statusOf("ethereum"))?.notice ?? "", "Past deposits that cannot be read now: 1 ")
      const [failing] = yield* (yield* WatchState).backfills("ethereum", 10)
      assert.include(failing?.problem ?? "", "does not have a block")
      chain.mine([transferTo(address, 1n)])
      yield* until(
        "new blocks are read",
        Effect.map(depositsOf(id), (deposits) => deposits.length === 6)
      )
    }).pipe(Effect.provide(oneProcess()))
  )
})

/** A node that has nothing from before a block, and says so of a time before it too. It has all once `isWhole` is set. */
const keepingFrom = (chain: FakeChain, first: number) => {
  const state = { isWhole: false }
  const { blockAt, header } = chain.reader
  const gone = new ChainError({ network: "ethereum", reason: "absent", doing: "read", detail: "no history so old" })
  const kept = <A>(number: number, value: A) =>
    state.isWhole || number >= first ? Effect.succeed(value) : Effect.fail(gone)
  Object.assign(chain.reader, {
    header: (number: number) => Effect.flatMap(header(number), (found) => kept(number, found)),
    blockAt: (time: number) => Effect.flatMap(blockAt(time), (found) => kept(found.number, found))
  })
  return state
}

describe("a time from before what a node keeps", () => {
  it.effect("is searched from once a node has it, and told of until then", () =>
    Effect.gen(function* () {
      const { address, chain, id } = yield* withPast
      const node = keepingFrom(chain, 150)
      yield* register(id, address, { watchFrom: past + 100 * 12_000 })
      yield* until(
        "it is told",
        Effect.map(statusOf("ethereum"), (status) => (status?.notice ?? "").includes("cannot be read now: 1 "))
      )
      assert.lengthOf(yield* depositsOf(id), 0)
      node.isWhole = true
      yield* backfillsDone
      assert.lengthOf(yield* depositsOf(id), 101)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is where a network begins once a node has it, and its problem until then", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newTenant()
      const { address } = yield* newAddress(id)
      for (let number = 1; number <= 200; number++) chain.mine([transferTo(address, 1n)])
      yield* TestClock.setTime(chain.latest().time)
      const node = keepingFrom(chain, 150)
      yield* Effect.forkScoped(watching(chain))
      yield* until(
        "it is told",
        Effect.map(statusOf("ethereum"), (status) => (status?.problem ?? "").includes("no history so old"))
      )
      assert.lengthOf(yield* depositsOf(id), 0)
      node.isWhole = true
      yield* until(
        "all is found",
        Effect.map(depositsOf(id), (deposits) => deposits.length === 200)
      )
    }).pipe(Effect.provide(oneProcess()))
  )
})

describe("searches of the past that fail", () => {
  it.effect("are tried no more once an operator has ended them, and are no notice", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum({ firstBlock: 1_000 })
      chain.mineMany(5)
      const { id } = yield* newTenant()
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      yield* register(id, newEvmAddress(), { watchFromBlock: 1 })
      const notice = Effect.map(statusOf("ethereum"), (status) => status?.notice ?? "")
      yield* until(
        "it is told",
        Effect.map(notice, (text) => text.includes("cannot be read now: 1 "))
      )
      const { backfills, endBackfill, endedBackfills } = yield* WatchState
      const [failing] = yield* backfills("ethereum", 10)
      if (failing === undefined) return assert.fail("nothing fails")
      assert.strictEqual(failing.nextBlock, 1)
      yield* endBackfill(failing, { by: "otto", reason: "no node keeps it", at: 0 })
      yield* until(
        "it is told no more",
        Effect.map(notice, (text) => text === "")
      )
      const [ended] = yield* endedBackfills("ethereum", 10)
      assert.deepInclude(ended, { nextBlock: 1, failures: failing.failures })
      return undefined
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("keep those of no other tenant waiting, however many they are", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum({ firstBlock: 1_000 })
      const address = newEvmAddress()
      for (let number = 0; number < 5; number++) chain.mine([transferTo(address, 1n)])
      const [failing, other] = [yield* newTenant(), yield* newTenant()]
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      const many = defaultWatchLimits.backfillsMax
      for (let n = 1; n <= many; n++) yield* register(failing.id, newEvmAddress(), { watchFromBlock: n })
      yield* register(other.id, address, { watchFromBlock: 1_000 })
      yield* until(
        "the other's deposits are found",
        Effect.map(depositsOf(other.id), (deposits) => deposits.length === 5)
      )
      yield* ticks(5)
      assert.isNull((yield* statusOf("ethereum"))?.problem)
      assert.lengthOf(yield* (yield* WatchState).backfills("ethereum", 100), many)
    }).pipe(Effect.provide(oneProcess()))
  )
})

/** Makes a block unreadable for as long as `broken` says so, and lets the watcher pass it. */
const passing = Effect.fnUntraced(function* (chain: FakeChain, number: number) {
  const bad = chain.blocks().find((one) => one.number === number)
  if (bad === undefined) return yield* Effect.die(new Error(`there is no block ${number}`))
  const state = { broken: true }
  const { block } = chain.reader
  const failure = new ChainError({ network: "ethereum", reason: "inconsistent", doing: "read", detail: "no receipts" })
  Object.assign(chain.reader, {
    block: (hash: string) => (state.broken && hash === bad.hash ? Effect.fail(failure) : block(hash))
  })
  const quarantine = yield* Quarantine
  const order = { network: "ethereum", number, by: "alice", reason: null, at: 0 } as const
  yield* quarantine.order({ ...order, kind: "PASS" })
  return { state, again: quarantine.order({ ...order, kind: "REREAD" }), bad, quarantine }
})

describe("a block that an operator had passed", () => {
  for (const ended of [false, true])
    it.effect(
      `is stepped over by searches of the past, ${ended ? "though its entry was ended" : "and found later"}`,
      () =>
        Effect.gen(function* () {
          yield* begin
          const chain = ethereum()
          const address = newEvmAddress()
          for (let number = 1; number <= 30; number++) chain.mine([transferTo(address, 1n)])
          // whose registration lets the network be read from its first block
          yield* newAddress((yield* newTenant()).id)
          const { again, bad, quarantine, state } = yield* passing(chain, 15)
          const { id } = yield* newTenant()
          yield* Effect.forkScoped(watching(chain))
          yield* caughtUp(chain)
          const which = { network: "ethereum", blockHash: bad.hash, txHash: "all" } as const
          if (ended) yield* quarantine.end(which, { outcome: "passed", by: "alice", reason: null, at: 1 })
          yield* register(id, address, { watchFromBlock: 1 })
          yield* backfillsDone
          const found = Effect.map(depositsOf(id), (deposits) => deposits.map(({ block }) => block?.number))
          assert.lengthOf(yield* found, 29)
          assert.notInclude(yield* found, 15)
          state.broken = false
          yield* again
          yield* until(
            "what it holds is found",
            Effect.map(found, (numbers) => numbers.includes(15))
          )
        }).pipe(Effect.provide(oneProcess()))
    )

  for (const reread of [true, false])
    it.effect(`is stepped over at no single late answer, ${reread ? "and read since" : "though not read since"}`, () =>
      Effect.gen(function* () {
        yield* begin
        const chain = ethereum()
        const address = newEvmAddress()
        for (let number = 1; number <= 30; number++) chain.mine([transferTo(address, 1n)])
        yield* newAddress((yield* newTenant()).id)
        const { again, bad, quarantine, state } = yield* passing(chain, 15)
        const { id } = yield* newTenant()
        yield* Effect.forkScoped(watching(chain))
        yield* caughtUp(chain)
        const which = { network: "ethereum", blockHash: bad.hash, txHash: "all" } as const
        yield* quarantine.end(which, { outcome: "passed", by: "alice", reason: null, at: 1 })
        state.broken = false
        if (reread) {
          yield* again
          yield* until(
            "it is read again",
            Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 0)
          )
          assert.deepStrictEqual(yield* quarantine.passedWhole("ethereum", 0), [])
        }
        const { block } = chain.reader
        const late = new ChainError({ network: "ethereum", reason: "unreachable", doing: "read", detail: "slow" })
        let fails = 1
        Object.assign(chain.reader, {
          block: (hash: string) => (hash === bad.hash && fails-- > 0 ? Effect.fail(late) : block(hash))
        })
        yield* register(id, address, { watchFromBlock: 1 })
        yield* backfillsDone
        assert.isBelow(fails, 0, "it was asked for again")
        assert.lengthOf(yield* depositsOf(id), 30)
      }).pipe(Effect.provide(oneProcess()))
    )

  it.effect("is stepped over where the node does not answer for it, however often it is asked", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const address = newEvmAddress()
      for (let number = 1; number <= 30; number++) chain.mine([transferTo(address, 1n)])
      yield* newAddress((yield* newTenant()).id)
      const { bad } = yield* passing(chain, 15)
      const { id } = yield* newTenant()
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      const { block } = chain.reader
      const late = new ChainError({ network: "ethereum", reason: "unreachable", doing: "read", detail: "slow" })
      Object.assign(chain.reader, { block: (hash: string) => (hash === bad.hash ? Effect.fail(late) : block(hash)) })
      yield* register(id, address, { watchFromBlock: 1 })
      yield* backfillsDone
      assert.lengthOf(yield* depositsOf(id), 29)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("behind the cursor is stepped over by the search that stands at it, where it still cannot be read", () =>
    Effect.gen(function* () {
      const { address, chain, id } = yield* withPast
      const { quarantine, state } = yield* passing(chain, 195)
      yield* register(id, address, { watchFromBlock: 190 })
      yield* until(
        "the order is carried out",
        Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 0)
      )
      yield* backfillsDone
      assert.lengthOf(yield* depositsOf(id), 10)
      state.broken = false
      const order = { network: "ethereum", number: 197, kind: "PASS", by: "alice", reason: null, at: 0 } as const
      yield* quarantine.order(order)
      yield* until(
        "that is, too",
        Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 0)
      )
      const open = yield* quarantine.openFrom("ethereum", 0)
      assert.deepStrictEqual(
        open.map(({ block }) => block.number),
        [195],
        "what can be read is not passed"
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("though the watcher has it in memory: the search reads it from there, and the operator is told", () => {
    const events: Array<string> = []
    return Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const address = newEvmAddress()
      for (let number = 1; number <= 30; number++) chain.mine([transferTo(address, 1n)])
      yield* newAddress((yield* newTenant()).id)
      const { id } = yield* newTenant()
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      const { quarantine } = yield* passing(chain, 25)
      yield* until(
        "the order is taken back",
        Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 0)
      )
      assert.strictEqual(yield* quarantine.openCount("ethereum"), 0)
      assert.include(events, "block.pass_unneeded")
      yield* register(id, address, { watchFromBlock: 20 })
      yield* backfillsDone
      assert.lengthOf(yield* depositsOf(id), 11)
    }).pipe(
      Effect.provide(oneProcess()),
      Effect.provide(Logger.layer([Logger.make(({ message }) => void events.push(String(message)))]))
    )
  })

  for (const kind of ["PASS", "REREAD"] as const)
    it.effect(`or is to be (${kind}), of which the node has nothing, is a notice and no problem of the network`, () =>
      Effect.gen(function* () {
        yield* begin
        const chain = ethereum({ firstBlock: 1_000 })
        for (let number = 0; number < 5; number++) chain.mine([])
        const { address } = yield* newAddress((yield* newTenant()).id)
        yield* Effect.forkScoped(watching(chain))
        yield* caughtUp(chain)
        const { order, orders } = yield* Quarantine
        yield* order({ network: "ethereum", number: 1, kind, by: "alice", reason: null, at: 0 })
        yield* until(
          "it is told",
          Effect.map(statusOf("ethereum"), (status) => /does not serve now: 1\./u.test(status?.notice ?? ""))
        )
        assert.isNull((yield* statusOf("ethereum"))?.problem)
        assert.lengthOf(yield* orders("ethereum"), 1, "it stands until it can be carried out")
        chain.mine([transferTo(address, 1n)])
        yield* caughtUp(chain)
        assert.isNull((yield* statusOf("ethereum"))?.problem)
      }).pipe(Effect.provide(oneProcess()))
    )

  it.effect("keeps no search from failing at another that cannot be read", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const address = newEvmAddress()
      for (let number = 1; number <= 30; number++) chain.mine([transferTo(address, 1n)])
      // none of which the watcher has in memory then
      chain.mineMany(defaultWatchLimits.rereadBlocksMax)
      yield* newAddress((yield* newTenant()).id)
      yield* passing(chain, 15)
      const { id } = yield* newTenant()
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      const { block } = chain.reader
      const other = chain.blocks().find(({ number }) => number === 20)
      const failure = new ChainError({
        network: "ethereum",
        reason: "inconsistent",
        doing: "read",
        detail: "no receipts"
      })
      Object.assign(chain.reader, {
        block: (hash: string) => (hash === other?.hash ? Effect.fail(failure) : block(hash))
      })
      yield* register(id, address, { watchFromBlock: 1 })
      yield* until(
        "the search fails",
        Effect.flatMap(WatchState, (state) =>
          Effect.map(state.backfills("ethereum", 1), ([job]) => job?.nextBlock === 20 && job.problem !== null)
        )
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "keeps nobody from being watched now after a restart, and one that was not passed keeps only what it holds",
    () => {
      const shared = emptyState()
      return Effect.gen(function* () {
        yield* begin
        const chain = ethereum()
        chain.mineMany(20)
        const watched = newEvmAddress()
        for (let number = 0; number < 10; number++) chain.mine([transferTo(watched, 1n)])
        yield* newAddress((yield* newTenant()).id)
        yield* passing(chain, 25)
        const first = yield* Effect.forkScoped(watching(chain))
        yield* caughtUp(chain)
        yield* Fiber.interrupt(first)
        yield* TestClock.adjust("1 minute")
        const { block } = chain.reader
        const other = chain.blocks().find(({ number }) => number === 27)
        const failure = new ChainError({ network: "ethereum", reason: "unreachable", doing: "read", detail: "slow" })
        const state = { broken: true }
        Object.assign(chain.reader, {
          block: (hash: string) => (state.broken && hash === other?.hash ? Effect.fail(failure) : block(hash))
        })
        const { id } = yield* newTenant()
        const record = yield* register(id, watched, {})
        yield* (yield* Writer).submit(id, watchNow(record.id))
        yield* Effect.forkScoped(watching(chain))
        const found = Effect.map(depositsOf(id), (deposits) => deposits.map(({ block: at }) => at?.number).toSorted())
        yield* until(
          "the others are read",
          Effect.map(found, (numbers) => numbers.length === 8)
        )
        assert.deepStrictEqual(yield* found, [21, 22, 23, 24, 26, 28, 29, 30])
        state.broken = false
        yield* until(
          "that is read as well",
          Effect.map(found, (numbers) => numbers.includes(27))
        )
        yield* until(
          "nothing is wrong",
          Effect.map(statusOf("ethereum"), (status) => status?.problem === null)
        )
      }).pipe(Effect.provide(processOver(shared)))
    }
  )
})

describe("an address that changes its owner", () => {
  it.effect("leaves what it received with the tenant that had it, also when the next owner reads its past", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const [first, second] = [yield* newTenant(), yield* newTenant()]
      const writer = yield* Writer
      const address = yield* newAddress(first.id)
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      chain.mine([transferTo(address.address, 5n)])
      chain.mineMany(16)
      yield* until(
        "the first owner is credited",
        Effect.map(available(first.id), (units) => units === 5n)
      )
      yield* writer.submit(first.id, retireAddress(address.id))
      yield* writer.submit(second.id, setTenantPolicy({ creditHistorical: true }))
      yield* register(second.id, address.address, { watchFromBlock: 0 })
      yield* backfillsDone
      yield* ticks(5)
      assert.deepStrictEqual(yield* depositsOf(second.id), [])
      assert.strictEqual(yield* available(second.id), 0n)
      yield* ledgerHolds(first.id)
    }).pipe(Effect.provide(oneProcess()))
  )
})

describe("watching an address now", () => {
  it.effect("reads the newest blocks again in the next pass and every minute, at no cost to the node", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const address = newEvmAddress()
      const { id } = yield* newTenant()
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      for (let number = 0; number < 20; number++) chain.mine([transferTo(address, 1n)])
      yield* caughtUp(chain)
      yield* TestClock.setTime(chain.latest().time)
      const record = yield* register(id, address, {})
      yield* ticks(3)
      assert.deepStrictEqual(yield* depositsOf(id), [])
      const asked = chain.asked("block")
      const writer = yield* Writer
      yield* writer.submit(id, watchNow(record.id))
      yield* until(
        "the remembered blocks are read",
        Effect.map(depositsOf(id), (deposits) => deposits.length === 16)
      )
      assert.isTrue((yield* depositsOf(id)).every(({ historical }) => historical))
      yield* TestClock.adjust("5 minutes")
      yield* tick
      assert.strictEqual((yield* depositsOf(id)).length, 16)
      assert.strictEqual(chain.asked("block"), asked)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("comes again a minute later, again after the next request, and ends with the hour", () => {
    let owners = 0
    const spy = Layer.effect(
      WatchState,
      Effect.map(WatchState, (state) =>
        WatchState.of({
          ...state,
          owners: (...args) =>
            Effect.andThen(
              Effect.sync(() => owners++),
              state.owners(...args)
            )
        })
      )
    )
    return Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newTenant()
      const record = yield* newAddress(id)
      yield* Effect.forkScoped(watching(chain))
      chain.mine([transferTo(record.address, 1n)])
      yield* caughtUp(chain)
      const writer = yield* Writer
      yield* writer.submit(id, watchNow(record.id))
      const before = owners
      yield* ticks(5)
      assert.strictEqual(owners, before + 1)
      yield* TestClock.adjust("61 seconds")
      yield* tick
      assert.strictEqual(owners, before + 2)
      yield* TestClock.adjust(watchNowWindowMs)
      yield* tick
      const after = owners
      yield* TestClock.adjust("10 minutes")
      yield* tick
      assert.strictEqual(owners, after)
    }).pipe(Effect.provide(spy.pipe(Layer.provideMerge(oneProcess()))))
  })

  it.effect("asks a watcher that has just begun to read the blocks from the node, once", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newTenant()
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.forkScoped(watching(chain))
          chain.mineMany(20)
          yield* caughtUp(chain)
        })
      )
      const record = yield* newAddress(id)
      const writer = yield* Writer
      yield* writer.submit(id, watchNow(record.id))
      const asked = chain.asked("block")
      yield* Effect.forkScoped(watching(chain))
      yield* until(
        "they were read",
        Effect.sync(() => chain.asked("block") === asked + 16)
      )
      yield* TestClock.adjust("3 minutes")
      yield* tick
      assert.strictEqual(chain.asked("block"), asked + 16)
    }).pipe(Effect.provide(oneProcess()))
  )
})
