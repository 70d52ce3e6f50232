import { payoutPhase } from "@bursar/testkit/fixtures/payoutPhase"
import { keyed } from "@bursar/testkit/fixtures/deposits"
import { seedOf } from "@bursar/testkit/fixtures/seedOf"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { Queries } from "@bursar/core/store/Queries"
import type { Operation } from "@bursar/core/operation/Operation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Payout } from "@bursar/core/payout/Payout"
import { payoutDetails } from "@bursar/core/payout/payoutDetails"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import {
  allOver,
  ledgerHolds,
  mineUntil,
  operationsOf,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  submit,
  tick,
  timesPaid
} from "./world.ts"

const network = "ethereum"

const secondAddress = "0x00000000000000000000000000000000000000B0"

/** A tenant with two wallets: the first has all of the float, unless some of it is given to the second. */
const payerOfTwo = Effect.fnUntraced(function* (fake: FakeSender, given: bigint) {
  const { contract, id, wallet } = yield* payer(network, fake)
  const more = { another: true, seedId: seedOf(wallet), index: 1, ...keyed(secondAddress) }
  const second = yield* submit(id, addWallet({ network, role: "PAYOUT", ...more }, presetNetworks))
  fake.fund(wallet.address, contract, -given)
  fake.fund(second.address, contract, given)
  return { id, first: wallet, second, contract }
})

const waitOf = Effect.fnUntraced(function* (id: TenantId, payout: string) {
  const [phase, one] = [yield* payoutPhase(id, payout), yield* (yield* Queries).record(id, Payout, payout)]
  return [phase, one?.waits?.reason]
})

/** From where each of some payouts is paid, as their partner is told. */
const toldFrom = Effect.fnUntraced(function* (id: TenantId, made: Parameters<typeof operationsOf>[1]) {
  return (yield* operationsOf(id, made)).map((operation) => payoutDetails(operation).fromAddress)
})

const thrice = Effect.forEach([1, 2, 3], () => tick, { discard: true })

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
