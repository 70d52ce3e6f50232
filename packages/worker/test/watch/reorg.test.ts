import { StorageError } from "@bursar/core/engine/StorageError"
import type { Block, ChainReader } from "@bursar/core/port/Chain"
import { WatchState } from "@bursar/core/store/WatchState"
import { Writer } from "@bursar/core/engine/Writer"
import { retireAddress } from "@bursar/core/address/retireAddress"
import { newAddress } from "@bursar/testkit/fixtures/deposits"
import type { FakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
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
  until,
  untilStatuses,
  watching
} from "./world.ts"

const hashes = (blocks: ReadonlyArray<Pick<Block, "hash">>) => blocks.map(({ hash }) => hash)

/** A tenant and an address on a chain that is watched, by `watcher`. */
const watchedBy = (watcher: (chain: FakeChain) => ReturnType<typeof watching>) =>
  Effect.gen(function* () {
    yield* begin
    const chain = ethereum()
    chain.mineMany(5)
    const { id } = yield* newTenant()
    const address = yield* newAddress(id)
    yield* Effect.forkScoped(watcher(chain))
    yield* caughtUp(chain)
    return { chain, id, address }
  })

const watched = watchedBy(watching)

/** Whether something was done when the storage failed. */
type Broken = "before it" | "after it"

/** A watcher whose storage fails once as it goes back to the common ancestor or as it marks what was in lost blocks; `then` happens with that. */
const failingOnce = (step: "ReorgDeposits" | "rewind", broken: Broken, then: (chain: FakeChain) => void) => {
  let left = 1
  return (chain: FakeChain) => {
    const failing = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
      Effect.suspend(() => {
        if (left-- !== 1) return effect
        const fails = Effect.andThen(
          Effect.sync(() => then(chain)),
          Effect.fail(new StorageError({ doing: step, cause: "broken by the test" }))
        )
        return broken === "before it" ? fails : Effect.andThen(effect, fails)
      })
    return Effect.gen(function* () {
      const [state, writer] = [yield* WatchState, yield* Writer]
      return yield* watching(chain).pipe(
        Effect.provideService(WatchState, {
          ...state,
          rewind: (...args) => (step === "rewind" ? failing(state.rewind(...args)) : state.rewind(...args))
        }),
        Effect.provideService(Writer, {
          ...writer,
          submit: (tenant, command, ...more) =>
            step === command.name
              ? failing(writer.submit(tenant, command, ...more))
              : writer.submit(tenant, command, ...more)
        })
      )
    })
  }
}

describe("reorganisations", () => {
  it.effect("that replace the block at which an address was registered make no payment to it historical", () =>
    Effect.gen(function* () {
      const { chain, id } = yield* watched
      chain.mine()
      yield* caughtUp(chain)
      const { address } = yield* newAddress(id)
      chain.reorg(2, [[transferTo(address, 3n)], [transferTo(address, 7n)], []])
      chain.mineMany(3)
      yield* untilStatuses(id, "CONFIRMED", "CONFIRMED")
      assert.strictEqual(yield* available(id), 10n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("take back a detected deposit, and detect the same row again when its transaction is mined again", () =>
    Effect.gen(function* () {
      const { address, chain, id } = yield* watched
      const transfer = transferTo(address.address, 7n)
      chain.mine([transfer])
      yield* untilStatuses(id, "DETECTED")
      const [before] = yield* depositsOf(id)
      chain.reorg(1, [[], []])
      yield* untilStatuses(id, "REORGED")
      const [lost] = yield* depositsOf(id)
      assert.strictEqual(lost?.confirmations, 0)
      assert.isNotNull(lost?.reorgedAt)
      chain.mine([transferTo("0x00000000000000000000000000000000000000aB", 1n), transfer])
      yield* untilStatuses(id, "DETECTED")
      const [again] = yield* depositsOf(id)
      assert.strictEqual(again?.id, before?.id)
      assert.strictEqual(again?.block?.hash, chain.latest().hash)
      assert.deepStrictEqual([before?.changeSeq, lost?.changeSeq, again?.changeSeq], [1, 2, 3])
      chain.mineMany(3)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id), 7n)
      assert.deepStrictEqual(yield* kindsOf(id), [
        "deposit.detected",
        "deposit.reorged",
        "deposit.detected",
        "deposit.confirmed",
        "deposit.settled"
      ])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("reverse a credited deposit by a posting of its own, and credit it again when it is mined again", () =>
    Effect.gen(function* () {
      const { address, chain, id } = yield* watched
      const transfer = transferTo(address.address, 7n)
      chain.mine([transfer])
      chain.mineMany(4)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id), 7n)
      chain.reorg(5)
      yield* untilStatuses(id, "REORGED")
      assert.strictEqual(yield* available(id), 0n)
      yield* ledgerHolds(id)
      chain.mine([transfer])
      chain.mineMany(3)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id), 7n)
      assert.strictEqual((yield* depositsOf(id))[0]?.changeSeq, 5)
      assert.deepStrictEqual(yield* kindsOf(id), [
        "deposit.detected",
        "deposit.confirmed",
        "deposit.settled",
        "deposit.reorged",
        "deposit.detected",
        "deposit.confirmed",
        "deposit.settled"
      ])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("that carry the deposit along leave it credited once", () =>
    Effect.gen(function* () {
      const { address, chain, id } = yield* watched
      const transfer = transferTo(address.address, 7n)
      chain.mine([transfer])
      chain.mine()
      yield* caughtUp(chain)
      chain.reorg(2, [[], [transfer], []])
      yield* caughtUp(chain)
      chain.mineMany(3)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id), 7n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("are seen at the same height and down to a shorter chain", () =>
    Effect.gen(function* () {
      const { address, chain, id } = yield* watched
      chain.mine([transferTo(address.address, 1n)])
      yield* untilStatuses(id, "DETECTED")
      chain.reorg(1)
      yield* untilStatuses(id, "REORGED")
      chain.mine([transferTo(address.address, 2n)])
      chain.mineMany(2)
      yield* untilStatuses(id, "REORGED", "CONFIRMED")
      chain.reorg(4, [[]])
      yield* untilStatuses(id, "REORGED", "REORGED")
      yield* caughtUp(chain)
      const state = yield* WatchState
      assert.deepStrictEqual(hashes(yield* state.blocks("ethereum", 0)), hashes(chain.blocks()))
      assert.strictEqual(yield* available(id), 0n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  for (const step of ["rewind", "ReorgDeposits"] as const)
    for (const broken of ["before it", "after it"] as const)
      describe(`of which a watcher sees only a part (${step} fails, ${broken})`, () => {
        it.effect("lose nothing where the blocks come back", () =>
          Effect.gen(function* () {
            const gone: Array<Block> = []
            const { address, chain, id } = yield* watchedBy(failingOnce(step, broken, (one) => one.restore(gone)))
            gone.push(chain.mine([transferTo(address.address, 7n)]))
            yield* untilStatuses(id, "DETECTED")
            chain.reorg(1, [[]])
            yield* until(
              "its block is back",
              Effect.sync(() => chain.latest().hash === gone[0]?.hash)
            )
            chain.mineMany(3)
            yield* untilStatuses(id, "CONFIRMED")
            assert.strictEqual(yield* available(id), 7n)
            yield* ledgerHolds(id)
          }).pipe(Effect.provide(oneProcess()))
        )

        it.effect("take back what was credited", () =>
          Effect.gen(function* () {
            const { address, chain, id } = yield* watchedBy(failingOnce(step, broken, () => undefined))
            chain.mine([transferTo(address.address, 7n)])
            chain.mineMany(3)
            yield* untilStatuses(id, "CONFIRMED")
            // down to a chain that is shorter for a while
            chain.reorg(4, [[]])
            yield* ticks(3)
            chain.mineMany(5)
            yield* untilStatuses(id, "REORGED")
            assert.strictEqual(yield* available(id), 0n)
            yield* ledgerHolds(id)
          }).pipe(Effect.provide(oneProcess()))
        )
      })

  it.effect("between two readings of one pass lose and invent nothing", () =>
    Effect.gen(function* () {
      const { address, chain, id } = yield* watched
      const [one, two] = [transferTo(address.address, 1n), transferTo(address.address, 2n)]
      chain.mine([one])
      chain.mineMany(3)
      chain.before("block", () => chain.reorg(5, [[two], [], [one]]))
      chain.before("header", () => chain.reorg(1, [[], []]))
      yield* caughtUp(chain)
      const canonical = new Set(
        chain.blocks().flatMap(({ hash, transfers }) => transfers.map(({ txHash }) => `${hash} ${txHash}`))
      )
      const deposits = (yield* depositsOf(id)).filter(({ status }) => status !== "REORGED")
      assert.deepStrictEqual(new Set(deposits.map(({ block, txHash }) => `${block?.hash} ${txHash}`)), canonical)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("keep a deposit with its tenant even if the address was retired in between", () =>
    Effect.gen(function* () {
      const { address, chain, id } = yield* watched
      const transfer = transferTo(address.address, 7n)
      chain.mine([transfer])
      yield* untilStatuses(id, "DETECTED")
      const writer = yield* Writer
      yield* writer.submit(id, retireAddress(address.id))
      chain.reorg(1, [[], [transfer, transferTo(address.address, 1n)]])
      yield* caughtUp(chain)
      const deposits = yield* depositsOf(id)
      assert.deepStrictEqual(
        deposits.map(({ status, units }) => [status, units]),
        [["DETECTED", 7n]]
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("across the very first block that was read are like any other", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      chain.mineMany(30)
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      const { id } = yield* newTenant()
      const address = yield* newAddress(id)
      chain.reorg(5, [[], [], [], [], [], [transferTo(address.address, 1n)]])
      yield* caughtUp(chain)
      yield* untilStatuses(id, "DETECTED")
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "deeper than what is remembered halt the network, change nothing and say so, until the node agrees again",
    () =>
      Effect.gen(function* () {
        yield* begin
        const chain = ethereum()
        const foreign = ethereum()
        foreign.mine()
        foreign.reorg(1)
        foreign.mineMany(40)
        let node = chain
        const reader: ChainReader = {
          ...chain.reader,
          tip: Effect.suspend(() => node.reader.tip),
          header: (number) => Effect.suspend(() => node.reader.header(number)),
          block: (hash) => Effect.suspend(() => node.reader.block(hash)),
          blockAt: (time) => Effect.suspend(() => node.reader.blockAt(time))
        }
        const { id } = yield* newTenant()
        const address = yield* newAddress(id)
        yield* Effect.forkScoped(watching({ ...chain, reader }))
        chain.mine([transferTo(address.address, 7n)])
        chain.mineMany(20)
        yield* untilStatuses(id, "CONFIRMED")
        const state = yield* WatchState
        const remembered = yield* state.blocks("ethereum", 0)
        assert.strictEqual(remembered.length, 17)
        chain.mine([transferTo(address.address, 1n)])
        yield* untilStatuses(id, "CONFIRMED", "DETECTED")

        node = foreign
        foreign.mine([transferTo(address.address, 100n)])
        yield* until(
          "the halt is reported",
          Effect.map(statusOf("ethereum"), (status) => status?.problem?.startsWith("HALTED") === true)
        )
        const halted = yield* state.blocks("ethereum", 0)
        foreign.mineMany(20)
        yield* ticks(10)
        assert.deepStrictEqual(yield* state.blocks("ethereum", 0), halted)
        assert.deepStrictEqual(
          (yield* depositsOf(id)).map(({ status, units }) => [status, units]),
          [
            ["CONFIRMED", 7n],
            ["DETECTED", 1n]
          ]
        )
        assert.strictEqual(yield* available(id), 7n)
        assert.match((yield* statusOf("ethereum"))?.problem ?? "", /^HALTED/u)

        node = chain
        chain.mineMany(3)
        yield* untilStatuses(id, "CONFIRMED", "CONFIRMED")
        yield* caughtUp(chain)
        assert.strictEqual(yield* available(id), 8n)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(oneProcess()))
  )
})
