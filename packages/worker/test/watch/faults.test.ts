import type { Deposit } from "@bursar/core/deposit/Deposit"
import { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import { Storage } from "@bursar/core/engine/Storage"
import * as Writer from "@bursar/core/engine/Writer"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { Queries } from "@bursar/core/store/Queries"
import { StorageError } from "@bursar/core/engine/StorageError"
import { WatchState } from "@bursar/core/store/WatchState"
import { emptyState, layerOver } from "@bursar/memory"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { FakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { keyed, keysAt, newAddress, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Logger, Ref } from "effect"
import { watchTerm } from "../../src/watch/watchNetwork.ts"
import {
  available,
  begin,
  ledgerHolds,
  caughtUp,
  depositsOf,
  ethereum,
  oneProcess,
  processOver,
  statusOf,
  ticks,
  until,
  untilStatuses,
  watching
} from "./world.ts"

const brief = ({ block, status, units }: Deposit) => [status, units, block?.hash]

const problem = Effect.map(statusOf("ethereum"), (status) => status?.problem ?? null)

describe("a node that fails", () => {
  it.effect("loses nothing, invents nothing, and is reported until it is well again", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newTenant()
      const address = yield* newAddress(id)
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      for (const reason of ["unreachable", "inconsistent", "absent"] as const) {
        for (const question of ["tip", "header", "block"] as const) {
          chain.fail(reason, 1_000, question)
          chain.mine([transferTo(address.address, 1n)])
          yield* until(
            "the problem is reported",
            Effect.map(problem, (text) => text !== null)
          )
          yield* ticks(5)
          chain.heal()
          yield* caughtUp(chain)
        }
      }
      chain.mineMany(3)
      yield* caughtUp(chain)
      yield* ticks(2)
      assert.strictEqual(yield* available(id), 9n)
      assert.strictEqual((yield* depositsOf(id)).length, 9)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("in the middle of a stretch of blocks keeps what was read before", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newTenant()
      const address = yield* newAddress(id)
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      for (let number = 0; number < 8; number++) chain.mine([transferTo(address.address, 1n)])
      const sixth = chain.blocks().at(-3)
      const { block } = chain.reader
      Object.assign(chain.reader, {
        block: (hash: string) =>
          hash === sixth?.hash
            ? Effect.andThen(
                Effect.sync(() => chain.fail("absent", 1, "block")),
                block(hash)
              )
            : block(hash)
      })
      yield* until(
        "the problem is reported",
        Effect.map(problem, (text) => text !== null)
      )
      assert.strictEqual((yield* depositsOf(id)).length, 5)
      Object.assign(chain.reader, { block })
      yield* caughtUp(chain)
      assert.strictEqual((yield* depositsOf(id)).length, 8)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("and lags behind what it told before is waited for, and nothing is taken for a reorganisation", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newTenant()
      const address = yield* newAddress(id)
      yield* Effect.forkScoped(watching(chain))
      chain.mineMany(10)
      chain.mine([transferTo(address.address, 7n)])
      yield* caughtUp(chain)
      const before = (yield* depositsOf(id)).map(brief)
      chain.setNodeLag(5)
      yield* until(
        "the lag is reported",
        Effect.map(problem, (text) => text?.includes("behind") === true)
      )
      yield* ticks(5)
      assert.deepStrictEqual((yield* depositsOf(id)).map(brief), before)
      assert.strictEqual((yield* statusOf("ethereum"))?.cursor?.number, 11)
      chain.setNodeLag(0)
      chain.mineMany(2)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* problem, null)
      assert.strictEqual(yield* available(id), 7n)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("and makes up a header reorganises nothing", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newTenant()
      const address = yield* newAddress(id)
      yield* Effect.forkScoped(watching(chain))
      chain.mine([transferTo(address.address, 7n)])
      chain.mineMany(3)
      yield* untilStatuses(id, "CONFIRMED")
      const before = (yield* depositsOf(id)).map(brief)
      const { header, tip } = chain.reader
      Object.assign(chain.reader, {
        tip: Effect.map(tip, ({ confirmed, latest }) => ({
          confirmed,
          latest: { ...latest, hash: `0x${"9".repeat(64)}` }
        })),
        header: (number: number) =>
          Effect.map(header(number), (found) => ({ ...found, hash: `0x${"8".repeat(63)}${number}` }))
      })
      yield* until(
        "the problem is reported",
        Effect.map(problem, (text) => text !== null)
      )
      yield* ticks(10)
      assert.deepStrictEqual((yield* depositsOf(id)).map(brief), before)
      Object.assign(chain.reader, { header, tip })
      chain.mine()
      yield* caughtUp(chain)
      assert.strictEqual(yield* available(id), 7n)
    }).pipe(Effect.provide(oneProcess()))
  )
})

/** A watcher's state whose cursor cannot be moved while `broken`. */
const brokenAdvance = (world: { broken: boolean }) =>
  Layer.effect(
    WatchState,
    Effect.map(WatchState, (state) =>
      WatchState.of({
        ...state,
        advance: (...args) =>
          Effect.suspend(() =>
            world.broken
              ? Effect.fail(new StorageError({ doing: "moving the cursor", cause: "broken by the test" }))
              : state.advance(...args)
          )
      })
    )
  )

/** A chain of which a block with a deposit was recorded, by a watcher that died before it moved the cursor. */
const diedBeforeAdvance = Effect.fn("diedBeforeAdvance")(function* (chain: FakeChain, world: { broken: boolean }) {
  yield* begin
  const { id } = yield* newTenant()
  const address = yield* newAddress(id)
  const first = yield* Effect.forkScoped(watching(chain))
  yield* caughtUp(chain)
  world.broken = true
  const transfer = transferTo(address.address, 7n)
  chain.mine([transfer])
  yield* untilStatuses(id, "DETECTED")
  assert.match((yield* problem) ?? "", /storage/u)
  yield* Fiber.interrupt(first)
  world.broken = false
  return { id, transfer }
})

describe("a watcher that dies between recording a block and moving the cursor", () => {
  it.effect("is followed by one that credits the deposit once", () => {
    const world = { broken: false }
    return Effect.gen(function* () {
      const chain = ethereum()
      const { id } = yield* diedBeforeAdvance(chain, world)
      yield* Effect.forkScoped(watching(chain))
      chain.mineMany(3)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual((yield* depositsOf(id))[0]?.changeSeq, 2)
      assert.strictEqual(yield* available(id), 7n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(brokenAdvance(world).pipe(Layer.provideMerge(oneProcess()))))
  })

  it.effect("is followed by one that sees when the block has been replaced meanwhile", () => {
    const world = { broken: false }
    return Effect.gen(function* () {
      const chain = ethereum()
      const { id, transfer } = yield* diedBeforeAdvance(chain, world)
      chain.reorg(1)
      yield* Effect.forkScoped(watching(chain))
      yield* untilStatuses(id, "REORGED")
      chain.mine([transfer])
      chain.mineMany(3)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id), 7n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(brokenAdvance(world).pipe(Layer.provideMerge(oneProcess()))))
  })
})

describe("two watchers of one network", () => {
  it.effect("take turns: the second goes on where the first ended", () => {
    const state = emptyState()
    const chain = ethereum()
    return Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant()
      const address = yield* newAddress(id)
      const first = yield* Effect.forkScoped(Effect.provide(watching(chain), processOver(state)))
      const second = yield* Effect.forkScoped(Effect.provide(watching(chain), processOver(state)))
      for (let number = 0; number < 5; number++) chain.mine([transferTo(address.address, 1n)])
      yield* caughtUp(chain)
      yield* Fiber.interrupt(first)
      for (let number = 0; number < 5; number++) chain.mine([transferTo(address.address, 1n)])
      chain.mineMany(3)
      yield* until(
        "all is credited",
        Effect.map(available(id), (units) => units === 10n)
      )
      yield* Fiber.interrupt(second)
      assert.strictEqual((yield* depositsOf(id)).length, 10)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(state)))
  })

  it.effect("write nothing more once they are fenced off, even in the middle of a block, and end their term", () => {
    const state = emptyState()
    return Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const { id } = yield* newTenant()
      const address = yield* newAddress(id)
      const fence = { name: "watch:ethereum", epoch: 1 }
      state.epochs.set(fence.name, fence.epoch)
      const stale = yield* Effect.forkScoped(
        Effect.exit(
          watchTerm({ adapter: { ...chain, keys: { keysOf: keysAt } }, currencies: defaultCurrencies }, fence)
        )
      )
      yield* caughtUp(chain)
      chain.before("block", () => state.epochs.set(fence.name, 2))
      chain.mine([transferTo(address.address, 7n)])
      yield* until(
        "the term has ended",
        Effect.sync(() => stale.pollUnsafe() !== undefined)
      )
      const exit = yield* Fiber.join(stale)
      assert.isTrue(
        Exit.isFailure(exit) &&
          exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error._tag === "Fenced")
      )
      assert.deepStrictEqual(yield* depositsOf(id), [])
      assert.strictEqual((yield* statusOf("ethereum"))?.cursor?.number, 0)
    }).pipe(Effect.provide(processOver(state)))
  })
})

/** A process whose storage cannot hold what comes of confirming some transactions, for as long as they are listed. */
const refusing = (txHashes: ReadonlySet<string>) =>
  Layer.provideMerge(
    Writer.layer,
    Layer.effect(
      Storage,
      Effect.map(Storage, ({ commit }) =>
        Storage.of({
          commit: (tenantId, commands, context) => {
            const reads = JSON.stringify(
              commands.filter(({ name }) => name.startsWith("Confirm")).map((command) => command.reads)
            )
            return [...txHashes].some((txHash) => reads.includes(txHash))
              ? Effect.fail(new StorageError({ doing: "commit", cause: new Error("refused"), unstorable: true }))
              : commit(tenantId, commands, context)
          }
        })
      )
    ).pipe(Layer.provideMerge(layerOver(emptyState())))
  )

describe("an arrival that the storage cannot hold", () => {
  const refused = new Set<string>()

  it.effect("keeps no other waiting, is told, and is confirmed once it can be", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const [one, other] = [yield* newTenant(), yield* newTenant()]
      const [ofOne, ofOther] = [yield* newAddress(one.id), yield* newAddress(other.id)]
      const wallet = yield* (yield* Writer.Writer).submit(
        one.id,
        addWallet(
          { network: "ethereum", role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, ...keyed(newEvmAddress()) },
          presetNetworks
        )
      )
      const told = yield* Ref.make<ReadonlyArray<unknown>>([])
      const logger = Logger.make(({ message }) => {
        Effect.runSync(Ref.update(told, (all) => [...all, ...(Array.isArray(message) ? message : [message])]))
      })
      yield* Effect.forkScoped(watching(chain).pipe(Effect.provide(Logger.layer([logger]))))
      yield* caughtUp(chain)
      const culprits = [transferTo(ofOne.address, 100n), transferTo(wallet.address, 10n)]
      for (const { txHash } of culprits) refused.add(txHash)
      chain.mine([...culprits, ...[1n, 2n, 4n].map((units) => transferTo(ofOne.address, units))])
      chain.mine([transferTo(ofOther.address, 5n), transferTo(wallet.address, 20n)])
      chain.mineMany(3)
      const [mine, theirs] = [available(one.id), available(other.id)]
      yield* until(
        "the others are credited",
        Effect.map(Effect.all([mine, theirs]), ([left, right]) => left === 7n && right === 5n)
      )
      yield* ticks(30)
      yield* caughtUp(chain)
      assert.strictEqual(yield* mine, 7n)
      const transfers = yield* (yield* Queries).records(one.id, WalletTransfer)
      assert.deepStrictEqual(transfers.map(({ status, units }) => `${units} ${status}`).toSorted(), [
        "10 DETECTED",
        "20 CONFIRMED"
      ])
      // once each, though every pass meets them
      assert.lengthOf(
        (yield* Ref.get(told)).filter((message) => message === "storage.failed"),
        2
      )
      refused.clear()
      yield* until(
        "it is credited too",
        Effect.map(mine, (units) => units === 107n)
      )
      yield* ledgerHolds(one.id)
    }).pipe(Effect.provide(refusing(refused)))
  )
})
