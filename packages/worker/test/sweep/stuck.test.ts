import { ChainError } from "@bursar/core/port/Chain"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { VaultError } from "@bursar/core/port/Vault"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { mineFor } from "../transactions/stumbling.ts"
import { ledgerHolds, processOver, tick } from "../transactions/world.ts"
import { arrive, confirmed, custody, ledgerAgrees, movedOf, openSweepables, sweeping, sweepsOf } from "./world.ts"

/** How many deposits wait. */
const count = 12

/** What the first of the deposits holds. */
const badUnits = 50_000n

/** What each of several deposits holds. */
const unitsAt = (at: number): bigint => badUnits + 10_000n * BigInt(at)

/** Worth more than three times what it adds to a sweep, and less than three times a sweep of its own. */
const smallUnits = 28n

/** A tenant with a deposit on each of several addresses, which are swept together. */
const several = Effect.fnUntraced(function* (fake: FakeSender, holds: (at: number) => bigint = unitsAt) {
  yield* TestClock.setTime(1_700_000_000_000)
  const { addresses, id } = yield* custody("bitcoin", fake, count)
  const deposits = yield* Effect.forEach(addresses, (address, at) =>
    Effect.flatMap(arrive(id, fake, address, "BTC", holds(at)), (one) => confirmed(id, one))
  )
  return { id, addresses, deposits }
})

/** Lets an hour pass, in which the worker has turns enough for all that comes due. */
const anHour = Effect.fnUntraced(function* (fake: FakeSender) {
  for (let minute = 0; minute < 60; minute++) {
    yield* mineFor(fake, 5)
    yield* TestClock.adjust("1 minute")
    for (let n = 0; n < 3; n++) yield* tick
  }
})

/** A network whose node does not give what is needed to spend one of the deposits, such as the transaction that made it, and says nothing else of it. */
const unbuildable = (fake: FakeSender, bad = badUnits): FakeSender => ({
  ...fake,
  sender: {
    ...fake.sender,
    build: (order) =>
      order.guard._tag === "Utxos" && order.guard.utxos.some(({ units }) => units === bad)
        ? Effect.fail(new ChainError({ network: "bitcoin", reason: "absent", doing: "read coins", detail: "pruned" }))
        : fake.sender.build(order)
  }
})

describe("a sweep of which one deposit can never be moved", () => {
  it.effect("is given up where it cannot be built for long, and all the others are moved", () => {
    const plain = fakeNetwork({ network: "bitcoin", charges: true })
    const fake = unbuildable(plain)
    return Effect.gen(function* () {
      const { addresses, deposits, id } = yield* several(plain)
      yield* Effect.forkScoped(sweeping(fake))
      yield* anHour(plain)
      const moved = movedOf(yield* sweepsOf(id))
      assert.deepStrictEqual(
        new Set(moved),
        new Set(deposits.slice(1).map((one) => one.id)),
        "every deposit but the first, whose sweep waits by itself"
      )
      const held = (yield* openSweepables(id)).find(({ depositId }) => depositId === deposits[0]?.id)
      const waiting = (yield* sweepsOf(id)).find((sweep) => sweep.id === held?.sweepId)
      assert.deepStrictEqual([waiting?.state, waiting?.deposits.length], ["ELIGIBLE", 1])
      yield* ledgerHolds(id)
      yield* ledgerAgrees("bitcoin", plain, id, addresses)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("is given up where the signer does not answer for long, and is asked for fewer at once", () => {
    const fake = fakeNetwork({ network: "bitcoin", charges: true })
    return Effect.gen(function* () {
      const { addresses, deposits, id } = yield* several(fake)
      const signer = yield* TransactionSigner
      const silent = new VaultError({ doing: "reach the signer", reason: "it does not answer" })
      const small: typeof signer = {
        ...signer,
        sign: (asked) => (asked.signers.length > 4 ? Effect.fail(silent) : signer.sign(asked))
      }
      yield* Effect.forkScoped(sweeping(fake).pipe(Effect.provideService(TransactionSigner, small)))
      yield* anHour(fake)
      const moved = movedOf(yield* sweepsOf(id))
      assert.deepStrictEqual(new Set(moved), new Set(deposits.map((one) => one.id)))
      yield* ledgerHolds(id)
      yield* ledgerAgrees("bitcoin", fake, id, addresses)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  for (const [what, small, unitsLeast] of [
    ["worth it", smallUnits, {}],
    ["as much as is moved at least", 1_000n, { BTC: 2_001n }]
  ] as const)
    it.effect(`leaves no deposits that are ${what} together, though none of them is by itself`, () => {
      const plain = fakeNetwork({ network: "bitcoin", charges: true })
      return Effect.gen(function* () {
        // those that were swept with the bad one to the last are small
        const holds = (at: number): bigint => (at > 0 && at < 4 ? small : unitsAt(at))
        const { addresses, deposits, id } = yield* several(plain, holds)
        yield* Effect.forkScoped(sweeping(unbuildable(plain), undefined, { unitsLeast }))
        yield* anHour(plain)
        const moved = movedOf(yield* sweepsOf(id))
        assert.deepStrictEqual(new Set(moved), new Set(deposits.slice(1).map((one) => one.id)))
        yield* ledgerHolds(id)
        yield* ledgerAgrees("bitcoin", plain, id, addresses)
      }).pipe(Effect.provide(processOver(emptyState(), unbuildable(plain))))
    })

  // by the first lot that is drawn of each seed, good ones go with the bad ones
  for (const [what, isBad, smallMost, seed] of [
    ["where a third one had no place in its sweep", (at: number) => at === 0, 3, "b"],
    ["where two go with bad ones", (at: number) => at === 0 || at === 3, 4, "a"]
  ] as const)
    it.effect(`does not keep for good a small one ${what}`, () => {
      const plain = fakeNetwork({ network: "bitcoin", charges: true })
      const [small, bad] = [smallUnits + 3n, smallUnits + 4n]
      const fake = unbuildable(plain, bad)
      return Effect.gen(function* () {
        const holds = (at: number): bigint => (isBad(at) ? bad : at < smallMost ? small : unitsAt(at))
        const { addresses, deposits, id } = yield* several(plain, holds)
        // what was swept with the bad one could be tried again long before the others are looked at again
        const limits = { reconsiderMs: 60_000 }
        yield* Effect.forkScoped(sweeping(fake, undefined, limits).pipe(Random.withSeed(seed)))
        yield* anHour(plain)
        const moved = new Set(movedOf(yield* sweepsOf(id)))
        const expected = new Set(deposits.filter((_, at) => !isBad(at)).map((one) => one.id))
        assert.deepStrictEqual(moved, expected, "all but the bad ones")
        yield* ledgerHolds(id)
        yield* ledgerAgrees("bitcoin", plain, id, addresses)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })

  it.effect("holds no more than one other small one where two are worth a sweep, if it is small itself", () => {
    const plain = fakeNetwork({ network: "bitcoin", charges: true })
    // two of these are worth a sweep
    const [small, bad] = [smallUnits + 3n, smallUnits + 4n]
    const fake = unbuildable(plain, bad)
    return Effect.gen(function* () {
      const holds = (at: number): bigint => (at === 0 ? bad : at < 4 ? small : unitsAt(at))
      const { addresses, deposits, id } = yield* several(plain, holds)
      yield* Effect.forkScoped(sweeping(fake))
      yield* anHour(plain)
      const moved = new Set(movedOf(yield* sweepsOf(id)))
      const held = deposits.filter((one) => !moved.has(one.id)).map(({ units }) => units)
      assert.deepStrictEqual(held, [bad, small])
      yield* ledgerHolds(id)
      yield* ledgerAgrees("bitcoin", plain, id, addresses)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
