import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Bounded } from "../src/rpc/bounded.ts"
import { makeTurns } from "../src/rpc/makeTurns.ts"

const forkAll = (count: number, work: Effect.Effect<unknown>) =>
  Effect.forkChild(
    Effect.all(
      Array.from({ length: count }, () => work),
      { concurrency: "unbounded", discard: true }
    )
  )

describe("the turns of a signer", () => {
  it.effect("keep no network waiting for another whose node does not answer, nor for several", () =>
    Effect.gen(function* () {
      const bounded = yield* Bounded
      for (const network of ["tron", "stellar", "base"])
        yield* forkAll(200, Effect.exit(bounded(`sign ${network}`)(Effect.never)))
      const others = yield* Effect.forEach(["sign ethereum", "sealAudit"], (kind) =>
        Effect.forkChild(bounded(kind)(Effect.succeed("answered")))
      )
      yield* TestClock.adjust("1 second")
      for (const other of others) assert.isDefined(other.pollUnsafe(), "it still waits")
    }).pipe(Effect.provide(Layer.fresh(Bounded.layer)))
  )

  it.effect("keep nothing waiting for a custody of keys that does not answer, for whatever kinds that is asked", () =>
    Effect.gen(function* () {
      const bounded = yield* Bounded
      const networks = ["tron", "ethereum", "bsc", "base", "bitcoin", "stellar"].map((name) => `sign ${name}`)
      for (const kind of [...networks, "proveReserve", "createCustodyKey", "publicKey", "importKey"])
        yield* forkAll(64, Effect.exit(bounded(kind)(Effect.never)))
      const others = yield* Effect.forEach(["sealAudit", "signed", "receivesFrom", "seed"], (kind) =>
        Effect.forkChild(bounded(kind)(Effect.succeed("answered")))
      )
      yield* TestClock.adjust("1 second")
      for (const other of others) assert.isDefined(other.pollUnsafe(), "it still waits")
    }).pipe(Effect.provide(Layer.fresh(Bounded.layer)))
  )

  it.effect(
    "are given to one kind up to half, and given back by what ends, fails or is interrupted, waiting or not",
    () =>
      Effect.gen(function* () {
        const turns = yield* makeTurns(8)
        let running = 0
        const hanging = turns(
          "one",
          Effect.suspend(() => {
            running += 1
            return Effect.ensuring(
              Effect.never,
              Effect.sync(() => (running -= 1))
            )
          })
        )
        const all = yield* forkAll(10, hanging)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(running, 4)
        yield* Fiber.interrupt(all)
        assert.strictEqual(running, 0)
        for (const end of [Effect.fail("no"), Effect.die("no"), Effect.void])
          for (let at = 0; at < 10; at += 1) yield* Effect.exit(turns("other", end))
        yield* forkAll(10, hanging)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(running, 4)
      })
  )
})
