import { WatchState } from "@bursar/core/store/WatchState"
import { StorageError } from "@bursar/core/engine/StorageError"
import type { Transfer } from "@bursar/core/port/Chain"
import { emptyState } from "@bursar/memory"
import type { FakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { newAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { seeded } from "@bursar/testkit/fixtures/seeded"
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
  processOver,
  ticks,
  until,
  watching
} from "./world.ts"

/** A watcher's state that fails now and then, before or after the write. */
const flaky = (random: (bound: number) => number, world: { faulty: boolean }) => {
  const perhaps = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    Effect.suspend(() => {
      const broken = Effect.fail(new StorageError({ doing: "chaos", cause: "broken by the test" }))
      const roll = world.faulty ? random(20) : 20
      return roll === 0 ? broken : roll === 1 ? Effect.andThen(effect, broken) : effect
    })
  return Layer.effect(
    WatchState,
    Effect.map(WatchState, (state) =>
      WatchState.of({
        ...state,
        advance: (...args) => perhaps(state.advance(...args)),
        rewind: (...args) => perhaps(state.rewind(...args)),
        depositsAbove: (...args) => perhaps(state.depositsAbove(...args)),
        detectedUpTo: (...args) => perhaps(state.detectedUpTo(...args))
      })
    )
  )
}

/** One wild thing that can happen to a chain. */
const happen = (
  chain: FakeChain,
  random: (bound: number) => number,
  addresses: ReadonlyArray<string>,
  pool: Array<Transfer>
): void => {
  const onChain = () => new Set(chain.blocks().flatMap(({ transfers }) => transfers.map(({ txHash }) => txHash)))
  const transfers = (): ReadonlyArray<Transfer> => {
    const taken = onChain()
    const waiting = pool.filter(({ txHash }) => !taken.has(txHash))
    const again = waiting.filter(() => random(2) === 0)
    const fresh = Array.from({ length: random(3) }, () =>
      transferTo(addresses[random(addresses.length)] ?? "", BigInt(1 + random(9)))
    )
    pool.push(...fresh)
    return [...again, ...fresh]
  }
  switch (random(8)) {
    case 0: {
      const depth = 1 + random(Math.min(8, chain.blocks().length - 1))
      chain.reorg(
        depth,
        Array.from({ length: random(depth + 3) }, () => [])
      )
      chain.mine(transfers())
      return
    }
    case 1:
      return chain.fail((["unreachable", "inconsistent", "absent"] as const)[random(3)] ?? "absent", 1 + random(4))
    case 2:
      return chain.setNodeLag(random(4))
    case 3:
      return chain.before((["header", "block"] as const)[random(2)] ?? "block", () => chain.reorg(1 + random(3), [[]]))
    default:
      chain.mine(transfers())
  }
}

describe("watching a chain on which everything goes wrong", () => {
  for (let seed = 1; seed <= 40; seed++) {
    it.effect(`ends with the deposits that are on the chain, each credited once (seed ${seed})`, () => {
      const random = seeded(seed)
      const world = { faulty: true }
      const state = emptyState()
      const process = () => flaky(random, world).pipe(Layer.provideMerge(processOver(state)))
      return Effect.gen(function* () {
        yield* begin
        const chain = ethereum({ reorgDepthMax: 64 })
        chain.mineMany(10)
        const tenants = [yield* newTenant(), yield* newTenant()]
        const addresses: Array<string> = []
        for (const { id } of tenants) {
          for (let count = 0; count < 2; count++) addresses.push((yield* newAddress(id)).address)
        }
        const pool: Array<Transfer> = []
        const start = Effect.suspend(() =>
          Effect.forkScoped(
            Effect.provide(watching(chain, { blocksPerPassMax: 1 + random(5), readAheadMax: 1 + random(3) }), process())
          )
        )
        let watcher = yield* start
        for (let step = 0; step < 120; step++) {
          happen(chain, random, addresses, pool)
          yield* TestClock.adjust(`${random(3) * 400} millis`)
          yield* Effect.forEach(Array.from({ length: random(40) }), () => Effect.yieldNow, { discard: true })
          if (random(12) !== 0) continue
          const next = yield* start
          yield* Fiber.interrupt(watcher)
          watcher = next
        }
        world.faulty = false
        chain.heal()
        chain.setNodeLag(0)
        yield* ticks(10)
        // what was still to happen between two readings has happened by now
        chain.mineMany(20)
        yield* until(
          "it is read",
          Effect.map(
            Effect.flatMap(WatchState, ({ cursor }) => cursor("ethereum")),
            (cursor) => cursor?.hash === chain.latest().hash
          )
        )
        yield* caughtUp(chain)
        yield* ticks(5)
        const truth = chain
          .blocks()
          .flatMap(({ hash, transfers }) => transfers.map(({ to, txHash, units }) => ({ to, txHash, units, hash })))
        const mine = new Set<string>()
        for (const [index, { id }] of tenants.entries()) {
          const owned = new Set(addresses.slice(index * 2, index * 2 + 2))
          const expected = truth.filter(({ to }) => owned.has(to))
          const deposits = yield* depositsOf(id)
          const standing = deposits.filter(({ status }) => status !== "REORGED")
          assert.isTrue(standing.every(({ status }) => status === "CONFIRMED"))
          assert.deepStrictEqual(
            new Set(standing.map(({ block, txHash }) => `${block?.hash} ${txHash}`)),
            new Set(expected.map(({ hash, txHash }) => `${hash} ${txHash}`))
          )
          assert.strictEqual(standing.length, expected.length)
          assert.strictEqual(
            yield* available(id),
            expected.reduce((sum, { units }) => sum + units, 0n)
          )
          for (const { txHash } of deposits) mine.add(txHash)
          yield* ledgerHolds(id)
        }
        assert.isAbove(mine.size, 5)
      }).pipe(Effect.provide(processOver(state)))
    })
  }
})
