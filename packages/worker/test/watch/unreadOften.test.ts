import type { ChainReader, UnreadTransaction } from "@bursar/core/port/Chain"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { newAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { defaultWatchLimits } from "../../src/watch/WatchLimits.ts"
import { begin, caughtUp, depositsOf, ethereum, oneProcess, statusOf, ticks, watching } from "./world.ts"

const secondsPerBlock = 3

/**
 * A watcher that has caught up on a node that takes `answersInMs` for a block, and a stranger who pays the own address one unit in a way
 * that cannot be read, in each block that `spoil` is given. `helps` says whether reading such a block again helps.
 */
const start = Effect.fnUntraced(function* (answersInMs = 0, helps = false) {
  yield* begin
  const chain = ethereum()
  const { address: own } = yield* newAddress((yield* newTenant()).id)
  const unread = new Map<string, ReadonlyArray<UnreadTransaction>>()
  const reader: ChainReader = {
    ...chain.reader,
    block: (hash) =>
      Effect.map(Effect.delay(chain.reader.block(hash), answersInMs), (block) => {
        const hidden = unread.get(hash)
        if (helps) unread.delete(hash)
        return hidden === undefined ? block : { ...block, unread: hidden }
      })
  }
  const spoil = (hash: string) =>
    unread.set(hash, [
      { txHash: `0xodd${hash}`, reason: "said oddly", gains: [{ to: own, contract: null, units: 1n }] }
    ])
  const watched = { ...chain, reader }
  yield* Effect.forkScoped(watching(watched))
  yield* caughtUp(watched)
  return { chain: watched, spoil, quarantine: yield* Quarantine }
})

const behind = (chain: ReturnType<typeof ethereum>) =>
  Effect.map(statusOf("ethereum"), (status) => chain.latest().number - (status?.cursor?.number ?? 0))

describe("a network on which somebody pays unreadably again and again", () => {
  for (const [name, every, pause, answersInMs] of [
    ["each block, after a pause of the node", 1, 10, 0],
    ["each second block, after a pause of the node", 2, 10, 0],
    ["each fourth block, after a pause of the node", 4, 10, 0],
    ["each block, on a slow node", 1, 0, 500],
    ["each second block, on a slow node", 2, 0, 500]
  ] as const)
    it.effect(`keeps no deposits waiting: ${name}`, () =>
      Effect.gen(function* () {
        const { chain, quarantine, spoil } = yield* start(answersInMs)
        const { id } = yield* newTenant()
        const { address } = yield* newAddress(id)
        const blocks = 60
        for (let n = 0; n < blocks; n++) {
          const { hash } = chain.mine(n === 40 ? [transferTo(address, 5n)] : [])
          if (n % every === 0) spoil(hash)
          if (n >= pause) yield* ticks(secondsPerBlock)
        }
        assert.isBelow(yield* behind(chain), 5)
        assert.deepStrictEqual(
          (yield* depositsOf(id)).map(({ units }) => units),
          [5n]
        )
        yield* caughtUp(chain)
        assert.strictEqual(yield* quarantine.openCount("ethereum"), blocks / every)
      }).pipe(Effect.provide(oneProcess()))
    )

  it.effect("has a block tried again first once it has caught up: a node may be at fault another time", () =>
    Effect.gen(function* () {
      const { chain, quarantine, spoil } = yield* start()
      for (let n = 0; n < 10; n++) spoil(chain.mine().hash)
      yield* caughtUp(chain)
      const asked = chain.asked("block")
      spoil(chain.mine().hash)
      yield* caughtUp(chain)
      assert.strictEqual(chain.asked("block") - asked, defaultWatchLimits.unreadTriesMax)
      assert.strictEqual(yield* quarantine.openCount("ethereum"), 11)
    }).pipe(Effect.provide(oneProcess()))
  )
})

describe("a node on which each block can be read only at the second time", () => {
  it.effect("has every block tried again, and none waits for long once the one before was read", () =>
    Effect.gen(function* () {
      const { chain, quarantine, spoil } = yield* start(0, true)
      for (let n = 0; n < 160; n++) spoil(chain.mine().hash)
      yield* ticks(60)
      assert.strictEqual(yield* behind(chain), 0)
      assert.strictEqual(yield* quarantine.openCount("ethereum"), 0)
    }).pipe(Effect.provide(oneProcess()))
  )
})
