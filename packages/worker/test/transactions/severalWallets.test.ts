import type { Operation } from "@bursar/core/operation/Operation"
import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { network, payerOfTwo, thrice, toldFrom, waitOf } from "./twoWallets.ts"
import { allOver, ledgerHolds, mineUntil, pay, processOver, receiver, sending, timesPaid } from "./world.ts"

describe("a tenant with two wallets on a network", () => {
  it.effect("pays from both, each with numbers of its own, and tells from which", () => {
    const fake = fakeNetwork({ network })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { first, id, second } = yield* payerOfTwo(fake, 50_000_000_000n)
      const made = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (n) => pay(id, network, n))
      yield* Effect.forkScoped(sending(fake, () => Effect.void, { underWayMax: 3 }))
      yield* thrice
      const guards = fake
        .waiting()
        .map(({ guard }) => guard._tag === "Sequence" && `${guard.account} ${guard.sequence}`)
      assert.sameMembers(
        guards,
        [first.address, second.address].flatMap((address) => [0, 1, 2].map((number) => `${address} ${number}`))
      )
      yield* mineUntil(fake, "all are over", allOver(id, made))
      const told = yield* toldFrom(id, made)
      for (const { guard, payments } of fake.chain()) {
        const at = made.findIndex((_, n) => payments.some(({ to }) => to === receiver(network, n + 1)))
        assert.strictEqual(told[at], guard._tag === "Sequence" ? guard.account : "")
      }
      for (const n of [1, 2, 3, 4, 5, 6]) assert.strictEqual(timesPaid(fake, receiver(network, n)), 1)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect(
    "gives the next payout to the wallet that has fewer under way: what is stuck holds up only what follows on it",
    () => {
      const fake = fakeNetwork({ network })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { first, id, second } = yield* payerOfTwo(fake, 50_000_000_000n)
        yield* Effect.forkScoped(sending(fake))
        const made: Array<Operation> = []
        for (const n of [1, 2, 3, 4]) {
          made.push(yield* pay(id, network, n))
          yield* thrice
        }
        const told = yield* toldFrom(id, made)
        for (const pair of [told.slice(0, 2), told.slice(2)]) assert.sameMembers(pair, [first.address, second.address])
        yield* mineUntil(fake, "all are over", allOver(id, made))
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )

  it.effect("pays from the one that has enough, and says that no wallet has", () => {
    const fake = fakeNetwork({ network })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { first, id, second } = yield* payerOfTwo(fake, 30_000_000_000n)
      yield* Effect.forkScoped(sending(fake))
      const small = yield* pay(id, network, 1, 25_000_000_000n)
      yield* thrice
      const large = yield* pay(id, network, 2, 40_000_000_000n)
      yield* thrice
      yield* mineUntil(fake, "both are over", allOver(id, [small, large]))
      assert.deepStrictEqual(yield* toldFrom(id, [large]), [first.address])
      // 35 are left in all, and neither has them
      const most = yield* pay(id, network, 3, 34_000_000_000n)
      yield* thrice
      assert.deepStrictEqual(yield* waitOf(id, most.id), ["HELD", "insufficient_wallet"])
      fake.fund(second.address, fake.chain()[0]?.payments[0]?.contract ?? null, 34_000_000_000n)
      yield* mineUntil(fake, "it is over", allOver(id, [most]))
      assert.deepStrictEqual(yield* toldFrom(id, [most]), [second.address])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
