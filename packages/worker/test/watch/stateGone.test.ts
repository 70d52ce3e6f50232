import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { Writer } from "@bursar/core/engine/Writer"
import type { Block, ChainReader } from "@bursar/core/port/Chain"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { WatchState } from "@bursar/core/store/WatchState"
import { addressItem, newAddress, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { defaultWatchLimits, type WatchLimits } from "../../src/watch/WatchLimits.ts"
import {
  begin,
  caughtUp,
  depositsOf,
  ethereum,
  ledgerHolds,
  oneProcess,
  statusOf,
  ticks,
  until,
  watching
} from "./world.ts"

const why = "the coin that contracts sent in the block is not seen"

const heavy = `0x${"ab".repeat(32)}`

/**
 * A chain whose node tells no coin that contracts sent (here all of the native asset that `hidden` names) in blocks below `keptFrom`, and that
 * cannot trace one transaction of each block of `withHeavy`. `meanwhile` happens while it tells such a block.
 */
const forgetful = () => {
  const chain = ethereum()
  const nothing: Effect.Effect<void> = Effect.void
  const node = { keptFrom: 0, hidden: new Set<string>(), withHeavy: new Set<number>(), meanwhile: nothing }
  const partial = (block: Block): Block => ({
    ...block,
    transfers: block.transfers.filter(({ txHash }) => !node.hidden.has(txHash)),
    unread: [{ txHash: block.hash, reason: why, gains: null }],
    isStateGone: true
  })
  const reader: ChainReader = {
    ...chain.reader,
    block: (hash) =>
      Effect.flatMap(chain.reader.block(hash), (block) => {
        if (block.number < node.keptFrom) return Effect.as(node.meanwhile, partial(block))
        if (!node.withHeavy.has(block.number)) return Effect.succeed(block)
        return Effect.succeed({ ...block, unread: [{ txHash: heavy, reason: "too large to trace", gains: null }] })
      })
  }
  return { chain: { ...chain, reader }, node }
}

/** A watcher that has caught up, on such a chain, and an address that it watches. */
const start = Effect.fnUntraced(function* (limits: Partial<WatchLimits> = {}) {
  yield* begin
  const world = forgetful()
  const { id } = yield* newTenant()
  const { address } = yield* newAddress(id)
  yield* Effect.forkScoped(watching(world.chain, limits))
  yield* caughtUp(world.chain)
  return { ...world, id, address, quarantine: yield* Quarantine }
})

const unitsOf = (id: Parameters<typeof depositsOf>[0]) =>
  Effect.map(depositsOf(id), (deposits) => deposits.map(({ units }) => units))

const by = { by: "alice", reason: null, at: 1 }
const rereading = (number: number) => ({ network: "ethereum", number, kind: "REREAD", ...by }) as const

describe("blocks whose state the node does not keep", () => {
  it.effect("keep no network waiting: what needs no state is credited, and each is noted as not seen", () =>
    Effect.gen(function* () {
      const { address, chain, id, node, quarantine } = yield* start()
      const asked = chain.asked("block")
      node.keptFrom = 1_000
      const hidden = transferTo(address, 9n)
      node.hidden.add(hidden.txHash)
      const blocks = Array.from({ length: 40 }, (_, index) =>
        chain.mine(index === 7 ? [transferTo(address, 5n), hidden] : [])
      )
      yield* caughtUp(chain)
      assert.deepStrictEqual(yield* unitsOf(id), [5n])
      const open = yield* quarantine.openFrom("ethereum", 0)
      assert.deepStrictEqual(
        open.map(({ block, gains, reason, txHash }) => [block.hash, txHash, gains, reason]),
        blocks.map(({ hash }) => [hash, hash, null, why])
      )
      assert.include((yield* statusOf("ethereum"))?.notice, "In quarantine: 40")
      // tried again first, as a node may be at fault, but not each block anew: the watcher would never catch up
      const tries = chain.asked("block") - asked
      assert.isAbove(tries, blocks.length)
      assert.isBelow(tries, blocks.length + 4 * defaultWatchLimits.readAheadMax * defaultWatchLimits.unreadTriesMax)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("are read again once an operator orders so and a node keeps the state; the order waits for that", () =>
    Effect.gen(function* () {
      const { address, chain, id, node, quarantine } = yield* start()
      node.keptFrom = 1_000
      const hidden = transferTo(address, 9n)
      node.hidden.add(hidden.txHash)
      const { number } = chain.mine([transferTo(address, 5n), hidden])
      yield* caughtUp(chain)
      yield* quarantine.order(rereading(number))
      yield* ticks(5)
      assert.lengthOf(yield* quarantine.orders("ethereum"), 1)
      assert.strictEqual(yield* quarantine.openCount("ethereum"), 1)
      assert.isNull((yield* statusOf("ethereum"))?.problem)
      assert.include((yield* statusOf("ethereum"))?.notice, `does not serve now: ${number}.`)
      node.keptFrom = 0
      yield* until(
        "it is read whole",
        Effect.map(quarantine.openCount("ethereum"), (open) => open === 0)
      )
      assert.sameMembers([...(yield* unitsOf(id))], [5n, 9n])
      assert.deepStrictEqual(yield* quarantine.orders("ethereum"), [])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("that are ordered and cannot be read take a share of a pass, and keep no later order from its turn", () =>
    Effect.gen(function* () {
      const { address, chain, id, node, quarantine } = yield* start({ backfillBlocksPerPassMax: 2 })
      const numbers = Array.from({ length: 5 }, () => chain.mine().number)
      yield* caughtUp(chain)
      node.keptFrom = Math.max(...numbers)
      for (const number of numbers) yield* quarantine.order(rereading(number))
      yield* until(
        "the last is read, which the node keeps",
        Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 4)
      )
      // each of the others has its turn
      yield* ticks(5)
      node.keptFrom = 0
      yield* until(
        "all are read",
        Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 0)
      )
      chain.mine([transferTo(address, 5n)])
      yield* caughtUp(chain)
      assert.deepStrictEqual(yield* unitsOf(id), [5n])
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("that are ordered and no node can serve are asked for ever more rarely, and all at once when one can", () =>
    Effect.gen(function* () {
      const { chain, node, quarantine } = yield* start()
      const numbers = Array.from({ length: 60 }, () => chain.mine().number)
      yield* caughtUp(chain)
      node.keptFrom = Math.max(...numbers) + 1
      for (const number of numbers) yield* quarantine.order(rereading(number))
      yield* ticks(600)
      const asked = chain.asked("block")
      yield* ticks(600)
      // each is asked for every ten minutes at most
      assert.isAtMost(chain.asked("block") - asked, 2 * numbers.length)
      node.keptFrom = 0
      yield* ticks(600)
      assert.deepStrictEqual(yield* quarantine.orders("ethereum"), [])
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("that are ordered and fail wait no longer where the clock was ahead and is set right", () =>
    Effect.gen(function* () {
      const real = yield* Clock.Clock
      let aheadMs = 86_400_000
      const clock: Clock.Clock = {
        ...real,
        currentTimeMillis: Effect.sync(() => real.currentTimeMillisUnsafe() + aheadMs),
        sleep: (duration) => real.sleep(duration)
      }
      const { chain, node, quarantine } = yield* start().pipe(Effect.provideService(Clock.Clock, clock))
      const { number } = chain.mine()
      yield* caughtUp(chain)
      node.keptFrom = number + 1
      yield* quarantine.order(rereading(number))
      yield* ticks(60)
      assert.lengthOf(yield* quarantine.orders("ethereum"), 1)
      node.keptFrom = 0
      aheadMs = 0
      yield* until(
        "it is read",
        Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 0)
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("that are ordered and fail are tried at once where the operator orders so again", () =>
    Effect.gen(function* () {
      const { chain, node, quarantine } = yield* start()
      const { number } = chain.mine()
      yield* caughtUp(chain)
      node.keptFrom = number + 1
      yield* quarantine.order(rereading(number))
      yield* ticks(600)
      node.keptFrom = 0
      yield* quarantine.order({ ...rereading(number), at: 2 })
      yield* ticks(2)
      assert.deepStrictEqual(yield* quarantine.orders("ethereum"), [])
    }).pipe(Effect.provide(oneProcess()))
  )

  for (const noted of [false, true])
    it.effect(
      noted
        ? "keep no search of the past waiting where they stand in quarantine"
        : "keep a search of the past waiting until a node keeps the state, and nothing else",
      () =>
        Effect.gen(function* () {
          const { chain, node, quarantine } = yield* start()
          const late = newEvmAddress()
          const hidden = transferTo(late, 9n)
          node.hidden.add(hidden.txHash)
          if (noted) node.keptFrom = 1_000
          const { number } = chain.mine([transferTo(late, 5n), hidden])
          // none of which the watcher has in memory then
          node.keptFrom = noted ? number + 1 : 0
          yield* caughtUp(chain)
          chain.mineMany(defaultWatchLimits.rereadBlocksMax + 1)
          yield* caughtUp(chain)
          node.keptFrom = number + 1
          const { id } = yield* newTenant()
          const { submit } = yield* Writer
          yield* submit(id, registerAddresses([addressItem(late, { watchFromBlock: number })]))
          const { backfills } = yield* WatchState
          const jobs = backfills("ethereum", 10)
          if (noted) {
            yield* until(
              "the search is over",
              Effect.map(jobs, ({ length }) => length === 0)
            )
            assert.deepStrictEqual(yield* unitsOf(id), [5n])
            yield* quarantine.order(rereading(number))
          } else {
            yield* until(
              "the search waits",
              Effect.map(jobs, ([job]) => job?.problem?.includes(why) === true)
            )
            assert.deepStrictEqual(yield* quarantine.openFrom("ethereum", 0), [])
            assert.isNull((yield* statusOf("ethereum"))?.problem)
          }
          node.keptFrom = 0
          yield* until(
            "all is found",
            Effect.map(depositsOf(id), ({ length }) => length === 2)
          )
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(oneProcess()))
    )

  it.effect("keep a search of the past waiting also where another transaction of theirs stands in quarantine", () =>
    Effect.gen(function* () {
      const { chain, node, quarantine } = yield* start()
      const late = newEvmAddress()
      const hidden = transferTo(late, 9n)
      node.hidden.add(hidden.txHash)
      const { hash, number } = chain.mine([hidden])
      node.withHeavy.add(number)
      yield* until(
        "the transaction is in quarantine",
        Effect.map(quarantine.openIn("ethereum", hash), ([entry]) => entry?.txHash === heavy)
      )
      chain.mineMany(defaultWatchLimits.rereadBlocksMax + 1)
      yield* caughtUp(chain)
      node.keptFrom = number + 1
      const { id } = yield* newTenant()
      const { submit } = yield* Writer
      yield* submit(id, registerAddresses([addressItem(late, { watchFromBlock: number })]))
      const { backfills } = yield* WatchState
      yield* until(
        "the search was there",
        Effect.map(backfills("ethereum", 10), ([job]) => job === undefined || job.problem !== null)
      )
      assert.include((yield* backfills("ethereum", 10))[0]?.problem, why)
      node.keptFrom = 0
      yield* until(
        "it is found",
        Effect.map(unitsOf(id), ([units]) => units === 9n)
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("are passed by a search of the past when an operator says so, and what could be told counts", () =>
    Effect.gen(function* () {
      const { chain, node, quarantine } = yield* start()
      const late = newEvmAddress()
      const { number } = chain.mine([transferTo(late, 5n)])
      chain.mineMany(defaultWatchLimits.rereadBlocksMax + 1)
      yield* caughtUp(chain)
      node.keptFrom = number + 1
      const { id } = yield* newTenant()
      const { submit } = yield* Writer
      yield* submit(id, registerAddresses([addressItem(late, { watchFromBlock: number })]))
      const { backfills } = yield* WatchState
      yield* until(
        "the search waits",
        Effect.map(backfills("ethereum", 10), ([job]) => job?.problem != null)
      )
      yield* quarantine.order({ network: "ethereum", number, kind: "PASS", ...by })
      yield* until(
        "the search is over",
        Effect.map(backfills("ethereum", 10), ({ length }) => length === 0)
      )
      assert.deepStrictEqual(yield* unitsOf(id), [5n])
      assert.strictEqual(yield* quarantine.openCount("ethereum"), 1)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("keep an order that is given while another for the same block is carried out", () =>
    Effect.gen(function* () {
      const { chain, node, quarantine } = yield* start()
      const { number } = chain.mine()
      chain.mineMany(defaultWatchLimits.rereadBlocksMax + 1)
      yield* caughtUp(chain)
      node.keptFrom = number + 1
      const later = { ...rereading(number), by: "bob", at: 2 }
      node.meanwhile = Effect.orDie(quarantine.order(later))
      yield* quarantine.order({ network: "ethereum", number, kind: "PASS", ...by })
      yield* until(
        "the first is carried out",
        Effect.map(quarantine.openCount("ethereum"), (open) => open === 1)
      )
      yield* ticks(2)
      assert.deepStrictEqual(yield* quarantine.orders("ethereum"), [later])
      node.keptFrom = 0
      yield* until(
        "the later one is carried out, too",
        Effect.map(quarantine.orders("ethereum"), (orders) => orders.length === 0)
      )
      assert.strictEqual(yield* quarantine.openCount("ethereum"), 0)
    }).pipe(Effect.provide(oneProcess()))
  )
})
