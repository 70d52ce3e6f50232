import { StorageError } from "@bursar/core/engine/StorageError"
import { ChainError, type ChainReader, type UnreadTransaction } from "@bursar/core/port/Chain"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { WatchState } from "@bursar/core/store/WatchState"
import { newAddress } from "@bursar/testkit/fixtures/deposits"
import type { FakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { defaultWatchLimits, type WatchLimits } from "../../src/watch/WatchLimits.ts"
import { begin, ledgerHolds, depositsOf, ethereum, oneProcess, statusOf, ticks, until, watching } from "./world.ts"

/** A chain whose reader cannot read some transactions of some blocks, or a block at all. */
const partly = (chain: FakeChain) => {
  const unread = new Map<string, ReadonlyArray<UnreadTransaction>>()
  const unreadable = new Set<string>()
  const reader: ChainReader = {
    ...chain.reader,
    block: (hash) =>
      unreadable.has(hash)
        ? Effect.fail(
            new ChainError({ network: "ethereum", reason: "inconsistent", doing: "read a block", detail: "no sense" })
          )
        : Effect.map(chain.reader.block(hash), (block) => {
            const hidden = unread.get(hash)
            if (hidden === undefined) return block
            const hashes = new Set(hidden.map(({ txHash }) => txHash))
            return { ...block, transfers: block.transfers.filter(({ txHash }) => !hashes.has(txHash)), unread: hidden }
          })
  }
  return { chain: { ...chain, reader }, unread, unreadable }
}

/** The same, on a node that tells how balances changed: by these, in the order of the addresses that it is asked for. */
const telling = (
  world: ReturnType<typeof partly>,
  changes: (addresses: ReadonlyArray<string>) => ReadonlyArray<bigint>
) => {
  const asked: Array<ReadonlyArray<string>> = []
  const reader: ChainReader = {
    ...world.chain.reader,
    balanceChanges: (_, addresses) =>
      Effect.sync(() => {
        asked.push(addresses)
        return changes(addresses).flatMap((units, index) =>
          units === 0n ? [] : [{ address: addresses[index] ?? "", contract: null, units }]
        )
      })
  }
  return { ...world, chain: { ...world.chain, reader }, asked }
}

const gains = (to: string, units: bigint): UnreadTransaction["gains"] => [{ to, contract: null, units }]

const entries = Effect.flatMap(Quarantine, (quarantine) =>
  quarantine.list({ network: "ethereum", open: false, limit: 50 })
)

const scanned = (chain: FakeChain) =>
  until(
    "the watcher read the newest block",
    Effect.map(statusOf("ethereum"), (status) => status?.cursor?.hash === chain.latest().hash)
  )

/** A tenant with a watched address, and a watcher that has caught up. */
const start = Effect.fnUntraced(function* (
  changes?: (addresses: ReadonlyArray<string>) => ReadonlyArray<bigint>,
  limits: Partial<WatchLimits> = {}
) {
  yield* begin
  const silent = partly(ethereum())
  const world = changes === undefined ? { ...silent, asked: [] } : telling(silent, changes)
  const { id } = yield* newTenant()
  const { address } = yield* newAddress(id)
  yield* Effect.forkScoped(watching(world.chain, limits))
  yield* scanned(world.chain)
  return { ...world, id, address }
})

const operator = { by: "alice", reason: "seen by hand", at: 1 } as const

describe("a transaction that cannot be read", () => {
  it.effect("keeps nobody waiting where it concerns nobody here, and is not quarantined", () =>
    Effect.gen(function* () {
      const { address, chain, id, unread } = yield* start()
      const block = chain.mine([transferTo(address, 5n)])
      unread.set(block.hash, [{ txHash: "0xstrange", reason: "a new kind", gains: gains("0xstranger", 9n) }])
      yield* scanned(chain)
      assert.deepStrictEqual(yield* entries, [])
      assert.strictEqual(chain.asked("block"), 2)
      assert.strictEqual((yield* depositsOf(id)).length, 1)
      assert.isNull((yield* statusOf("ethereum"))?.notice)
    }).pipe(Effect.provide(oneProcess()))
  )

  for (const [name, mine] of [
    ["may pay a watched address", (address: string) => gains(address, 9n)],
    ["pays nobody knows whom", () => null]
  ] as const) {
    it.effect(`is quarantined once where it ${name}; what else stands in the block counts, and reading goes on`, () =>
      Effect.gen(function* () {
        const { address, chain, id, unread } = yield* start()
        const block = chain.mine([transferTo(address, 5n)])
        unread.set(block.hash, [
          { txHash: "0xstrange", reason: "a new kind", gains: mine(address) },
          { txHash: "0xother", reason: "a new kind", gains: gains("0xstranger", 1n) }
        ])
        chain.mineMany(5)
        yield* scanned(chain)
        yield* ticks(3)
        const found = yield* entries
        assert.deepStrictEqual(
          found.map(({ block: { number }, end, gains: told, reason, txHash }) => [number, txHash, reason, told, end]),
          [[block.number, "0xstrange", "a new kind", mine(address), null]]
        )
        assert.deepStrictEqual(
          (yield* depositsOf(id)).map(({ status, units }) => [status, units]),
          [["CONFIRMED", 5n]]
        )
        const status = yield* statusOf("ethereum")
        assert.include(status?.notice, "quarantine")
        assert.isNull(status?.problem)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(oneProcess()))
    )
  }

  it.effect("is read again a few times first, as a node may have been at fault", () =>
    Effect.gen(function* () {
      const { address, chain, id, unread } = yield* start()
      const asked = chain.asked("block")
      const block = chain.mine([transferTo(address, 5n)])
      unread.set(block.hash, [{ txHash: "0xstrange", reason: "no trace", gains: null }])
      yield* until(
        "it was read twice",
        Effect.sync(() => chain.asked("block") >= asked + 2)
      )
      assert.isBelow(chain.asked("block") - asked, defaultWatchLimits.unreadTriesMax)
      unread.clear()
      yield* scanned(chain)
      assert.deepStrictEqual(yield* entries, [])
      assert.strictEqual((yield* depositsOf(id)).length, 1)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is credited once when an operator has its block read again and it can be read by then", () =>
    Effect.gen(function* () {
      const { address, chain, id, unread } = yield* start()
      const [known, hidden] = [transferTo(address, 5n), transferTo(address, 7n)]
      const block = chain.mine([known, hidden])
      const quarantine = yield* Quarantine
      unread.set(block.hash, [{ txHash: hidden.txHash, reason: "no trace", gains: gains(address, 7n) }])
      chain.mineMany(2)
      yield* scanned(chain)
      const order = { network: "ethereum", number: block.number, kind: "REREAD", ...operator } as const
      // Still not readable: it stays in quarantine, and the order is carried out all the same.
      yield* quarantine.order(order)
      yield* until(
        "the order was carried out",
        Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 0)
      )
      assert.strictEqual(yield* quarantine.openCount("ethereum"), 1)
      unread.clear()
      for (const _ of [1, 2]) {
        yield* quarantine.order(order)
        yield* until(
          "the order was carried out",
          Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 0)
        )
      }
      assert.deepStrictEqual(
        (yield* entries).map(({ end, txHash }) => [txHash, end?.outcome]),
        [[hidden.txHash, "read"]]
      )
      yield* ticks(3)
      assert.strictEqual((yield* depositsOf(id)).length, 2)
      assert.isNull((yield* statusOf("ethereum"))?.notice)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is out of quarantine when its block is replaced, and in again where it is mined again", () =>
    Effect.gen(function* () {
      const { address, chain, unread } = yield* start()
      const strange = { txHash: "0xstrange", reason: "a new kind", gains: gains(address, 7n) }
      unread.set(chain.mine().hash, [strange])
      yield* scanned(chain)
      const [again] = chain.reorg(1, [[], []])
      unread.set(again?.hash ?? "", [strange])
      yield* scanned(chain)
      yield* ticks(3)
      assert.sameDeepMembers(
        (yield* entries).map(({ block, end }) => [block.hash === again?.hash, end?.outcome ?? "open"]),
        [
          [false, "gone"],
          [true, "open"]
        ]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is out of quarantine when its block is replaced, though its watcher fails right after it went back", () =>
    Effect.gen(function* () {
      const state = yield* WatchState
      let left = 1
      const broken = Effect.suspend(() =>
        left-- > 0 ? Effect.fail(new StorageError({ doing: "rewind", cause: "broken by the test" })) : Effect.void
      )
      const { address, chain, unread } = yield* Effect.provideService(start(), WatchState, {
        ...state,
        rewind: (...args) => Effect.andThen(state.rewind(...args), broken)
      })
      unread.set(chain.mine().hash, [{ txHash: "0xstrange", reason: "a new kind", gains: gains(address, 7n) }])
      yield* scanned(chain)
      chain.reorg(1, [[], []])
      yield* scanned(chain)
      assert.isBelow(left, 1)
      assert.deepStrictEqual(
        (yield* entries).map(({ end }) => end?.outcome),
        ["gone"]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is in quarantine again when the block that was replaced is on the chain again", () =>
    Effect.gen(function* () {
      const { address, chain, unread } = yield* start()
      const strange = { txHash: "0xstrange", reason: "a new kind", gains: gains(address, 7n) }
      const block = chain.mine()
      unread.set(block.hash, [strange])
      yield* scanned(chain)
      const quarantine = yield* Quarantine
      chain.reorg(1, [[], []])
      yield* until(
        "the block is gone",
        Effect.map(quarantine.openCount("ethereum"), (open) => open === 0)
      )
      chain.restore([block])
      yield* scanned(chain)
      yield* ticks(3)
      assert.deepStrictEqual(
        (yield* entries).map(({ end, txHash }) => [txHash, end]),
        [["0xstrange", null]]
      )
      assert.include((yield* statusOf("ethereum"))?.notice, "quarantine")
    }).pipe(Effect.provide(oneProcess()))
  )
})

describe("a transaction of which nothing tells whom it paid, on a node that tells balances", () => {
  const untold = (names: ReadonlyArray<string> = []) => [
    { txHash: "0xstrange", reason: "no trace", gains: null, names } satisfies UnreadTransaction
  ]

  it.effect("is not quarantined where the balances of all that is watched are as what was read makes them", () =>
    Effect.gen(function* () {
      const { address, asked, chain, unread } = yield* start(() => [5n])
      const block = chain.mine([transferTo(address, 5n)])
      unread.set(block.hash, untold())
      yield* scanned(chain)
      assert.deepStrictEqual(asked, [[address]])
      assert.deepStrictEqual(yield* entries, [])
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is quarantined with what came beyond what was read", () =>
    Effect.gen(function* () {
      const { address, chain, unread } = yield* start(() => [12n])
      const block = chain.mine([transferTo(address, 5n)])
      unread.set(block.hash, untold())
      yield* scanned(chain)
      const [entry, ...others] = yield* entries
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(entry?.gains, [
        { to: address, contract: null, units: 7n, across: "block", alreadyRead: 5n }
      ])
      assert.match(entry?.reason ?? "", /^no trace; the balances of all 1 watched/u)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is quarantined where a balance fell by more than was read: a fee may hide a gain", () =>
    Effect.gen(function* () {
      const { address, chain, unread } = yield* start(() => [3n])
      const block = chain.mine([transferTo(address, 5n)])
      unread.set(block.hash, untold())
      yield* scanned(chain)
      const [entry] = yield* entries
      assert.isNull(entry?.gains)
      assert.include(entry?.reason, `${address} has 2 less`)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("has only those compared that it names where more are watched than are compared, and says so", () =>
    Effect.gen(function* () {
      const { address, asked, chain, id, unread } = yield* start((addresses) => addresses.map(() => 0n), {
        comparedAddressesMax: 1
      })
      const named = yield* newAddress(id)
      unread.set(chain.mine().hash, untold(["0xstranger", named.address]))
      yield* scanned(chain)
      assert.deepStrictEqual(asked, [[named.address]])
      assert.notStrictEqual(named.address, address)
      const [entry] = yield* entries
      assert.isNull(entry?.gains)
      assert.match(entry?.reason ?? "", /balances of 1 that it names were compared.* of the others none/u)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is quarantined as before where the node cannot tell, and the operator is told why", () =>
    Effect.gen(function* () {
      yield* begin
      const world = partly(ethereum())
      const lost = new ChainError({
        network: "ethereum",
        reason: "unreachable",
        doing: "compare balances",
        detail: "missing trie node"
      })
      const reader: ChainReader = { ...world.chain.reader, balanceChanges: () => Effect.fail(lost) }
      yield* newAddress((yield* newTenant()).id)
      yield* Effect.forkScoped(watching({ ...world.chain, reader }))
      yield* scanned(world.chain)
      world.unread.set(world.chain.mine().hash, untold())
      yield* scanned(world.chain)
      const [entry] = yield* entries
      assert.isNull(entry?.gains)
      assert.include(entry?.reason, "missing trie node")
    }).pipe(Effect.provide(oneProcess()))
  )
})

describe("a reread that does not find what a transaction is known to have brought", () => {
  it.effect("leaves it in quarantine; what was found of others ends theirs", () =>
    Effect.gen(function* () {
      const { address, chain, id, unread } = yield* start()
      const [less, enough] = [transferTo(address, 7n), transferTo(address, 9n)]
      const block = chain.mine([less, enough])
      unread.set(block.hash, [
        { txHash: less.txHash, reason: "no trace", gains: gains(address, 8n) },
        { txHash: enough.txHash, reason: "no trace", gains: gains(address, 9n) }
      ])
      yield* scanned(chain)
      const quarantine = yield* Quarantine
      unread.clear()
      yield* quarantine.order({ network: "ethereum", number: block.number, kind: "REREAD", ...operator })
      yield* until(
        "the order was carried out",
        Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 0)
      )
      assert.sameDeepMembers(
        (yield* entries).map(({ end, txHash }) => [txHash, end?.outcome ?? "open"]),
        [
          [less.txHash, "open"],
          [enough.txHash, "read"]
        ]
      )
      // What could be read counts all the same.
      assert.sameMembers(
        (yield* depositsOf(id)).map(({ units }) => units),
        [7n, 9n]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("does not take what had been read before for what was missing", () =>
    Effect.gen(function* () {
      const { address, chain, unread } = yield* start(() => [8n])
      const block = chain.mine([transferTo(address, 5n)])
      unread.set(block.hash, [{ txHash: "0xstrange", reason: "no trace", gains: null }])
      yield* scanned(chain)
      const quarantine = yield* Quarantine
      // 3 came beyond the 5 that were read all along, which do not explain them.
      unread.clear()
      yield* quarantine.order({ network: "ethereum", number: block.number, kind: "REREAD", ...operator })
      yield* until(
        "the order was carried out",
        Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 0)
      )
      assert.strictEqual(yield* quarantine.openCount("ethereum"), 1)
    }).pipe(Effect.provide(oneProcess()))
  )
})

describe("a block that cannot be read", () => {
  it.effect(
    "stops the network until an operator tells to pass it; then it is quarantined whole and can be read later",
    () =>
      Effect.gen(function* () {
        const { address, chain, id, unreadable } = yield* start()
        const quarantine = yield* Quarantine
        const block = chain.mine([transferTo(address, 5n)])
        unreadable.add(block.hash)
        chain.mine([transferTo(address, 7n)])
        yield* ticks(30)
        assert.strictEqual((yield* statusOf("ethereum"))?.cursor?.number, block.number - 1)
        assert.deepStrictEqual(yield* entries, [])
        // An order for another block helps nothing.
        yield* quarantine.order({ network: "ethereum", number: block.number + 1, kind: "PASS", ...operator })
        yield* ticks(10)
        assert.strictEqual((yield* statusOf("ethereum"))?.cursor?.number, block.number - 1)
        yield* quarantine.order({ network: "ethereum", number: block.number, kind: "PASS", ...operator })
        yield* scanned(chain)
        assert.deepStrictEqual(
          (yield* depositsOf(id)).map(({ units }) => units),
          [7n]
        )
        assert.deepStrictEqual(
          (yield* entries).map(({ block: { hash }, end, txHash }) => [hash, txHash, end]),
          [[block.hash, null, null]]
        )
        unreadable.clear()
        yield* quarantine.order({ network: "ethereum", number: block.number, kind: "REREAD", ...operator })
        yield* until(
          "it was read",
          Effect.map(quarantine.openCount("ethereum"), (open) => open === 0)
        )
        assert.sameMembers(
          (yield* depositsOf(id)).map(({ units }) => units),
          [5n, 7n]
        )
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(oneProcess()))
  )
})

describe("an order to pass a block that can be read after all", () => {
  it.effect("is dropped with that block, and passes none that takes its place", () =>
    Effect.gen(function* () {
      const { address, chain, id, unreadable } = yield* start()
      const quarantine = yield* Quarantine
      const number = chain.latest().number + 1
      yield* quarantine.order({ network: "ethereum", number, kind: "PASS", ...operator })
      chain.mine([transferTo(address, 5n)])
      yield* until(
        "the order is dropped",
        Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 0)
      )
      assert.strictEqual((yield* depositsOf(id)).length, 1)
      const [again] = chain.reorg(1, [[transferTo(address, 7n)]])
      unreadable.add(again?.hash ?? "")
      yield* ticks(20)
      assert.deepStrictEqual(yield* entries, [])
      assert.notStrictEqual((yield* statusOf("ethereum"))?.cursor?.hash, again?.hash)
    }).pipe(Effect.provide(oneProcess()))
  )
})

describe("a node that does not tell what is final", () => {
  it.effect("has arrivals detected and none confirmed, and says so, until it tells again", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      let silent = true
      const reader: ChainReader = {
        ...chain.reader,
        tip: Effect.map(chain.reader.tip, (tip) =>
          silent ? { ...tip, confirmed: -1, unconfirmable: "the node tells of no finalized block" } : tip
        )
      }
      const { id } = yield* newTenant()
      const { address } = yield* newAddress(id)
      yield* Effect.forkScoped(watching({ ...chain, reader }))
      yield* scanned(chain)
      chain.mine([transferTo(address, 5n)])
      chain.mineMany(50)
      yield* scanned(chain)
      yield* ticks(5)
      assert.deepStrictEqual(
        (yield* depositsOf(id)).map(({ status }) => status),
        ["DETECTED"]
      )
      assert.include((yield* statusOf("ethereum"))?.notice, "no finalized block")
      silent = false
      yield* until(
        "it is confirmed",
        Effect.map(depositsOf(id), ([deposit]) => deposit?.status === "CONFIRMED")
      )
      yield* ticks(2)
      assert.isNull((yield* statusOf("ethereum"))?.notice)
    }).pipe(Effect.provide(oneProcess()))
  )
})
