import { CannotBuild } from "@bursar/core/port/ChainSender"
import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import {
  allOver,
  ledgerHolds,
  mineUntil,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  tick,
  timesPaid
} from "./world.ts"

const network = "stellar"

const poor = new CannotBuild({
  network,
  reason: "insufficient_wallet",
  detail: "the wallet keeps that as its reserve",
  missing: null
})

describe("a payout that was planned and cannot be built", () => {
  it.effect("is tried again the later the longer it has waited, and paid once it can be", () => {
    const fake = fakeNetwork({ network })
    let isPoor = true
    let tries = 0
    const build: typeof fake.sender.build = (order) => {
      if (!isPoor) return fake.sender.build(order)
      tries += 1
      return Effect.fail(poor)
    }
    const short = { ...fake, sender: { ...fake.sender, build } }
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer(network, fake)
      yield* Effect.forkScoped(sending(short, undefined, { retryFirstMs: 5_000, retryLongestMs: 300_000 }))
      const made = yield* pay(id, network, 1)
      for (let n = 0; n < 60; n++) yield* tick
      const first = tries
      assert.isAbove(first, 2)
      yield* TestClock.adjust("1 hour")
      for (let n = 0; n < 5; n++) yield* tick
      // once each ten seconds would be 360 of them
      assert.isAtMost(tries - first, 30)
      assert.isAbove(tries - first, 10)
      isPoor = false
      yield* mineUntil(short, "it is paid", allOver(id, [made]), 600)
      assert.strictEqual(timesPaid(fake, receiver(network, 1)), 1)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), short)))
  })
})
