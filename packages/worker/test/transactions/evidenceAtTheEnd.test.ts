import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { holdSignedBefore } from "@bursar/core/payout/holdSignedBefore"
import { Payout } from "@bursar/core/payout/Payout"
import type { Claimed, Proof } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { always, cancel, give, mineFor, once } from "./stumbling.ts"
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
  tick
} from "./world.ts"

const proven = { verdict: "PROVEN", detail: "it paid that", fee: 7n } as const satisfies Proof

/** A node that proves whatever it is asked about, as it is after another transaction of the wallet has paid it. */
const proving = (fake: FakeSender): FakeSender => ({
  ...fake,
  sender: { ...fake.sender, prove: () => Effect.succeed(proven) }
})

describe("a payout that another transaction has made", () => {
  for (const when of ["before", "after"] as const)
    it.effect(
      `is settled by it where that was given ${when} it was cancelled, and its number is used up by nothing`,
      () => {
        const plain = fakeNetwork({ network: "ethereum", replaceAfterMs: 3_600_000 })
        const fake = proving(plain)
        return Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          const { id } = yield* payer("ethereum", fake)
          const made = yield* pay(id, "ethereum", 1)
          plain.answers(always("drops"))
          yield* Effect.forkScoped(sending(fake))
          for (let n = 0; n < 3; n++) yield* tick
          if (when === "before") assert.strictEqual(yield* give(id, made, "rival"), "given")
          for (let n = 0; n < 10; n++) yield* tick
          assert.strictEqual(yield* cancel(id, made), "trying")
          plain.answers([])
          if (when === "after") assert.strictEqual(yield* give(id, made, "rival"), "given")
          yield* mineFor(plain, 20)
          const [one] = yield* operationsOf(id, [made])
          assert.deepInclude(one, { status: "SETTLED", txHash: "rival" })
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(processOver(emptyState(), plain)))
      }
    )

  it.effect("is settled by it where its own reverts", () => {
    const plain = fakeNetwork({ network: "ethereum" })
    const fake = proving(plain)
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      const made = yield* pay(id, "ethereum", 1)
      plain.revertOn(receiver("ethereum", 1))
      yield* Effect.forkScoped(sending(fake))
      for (let n = 0; n < 3; n++) yield* tick
      assert.strictEqual(yield* give(id, made, "rival"), "given")
      yield* mineFor(plain, 10)
      const [one] = yield* operationsOf(id, [made])
      assert.deepInclude(one, { status: "SETTLED", txHash: "rival" })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), plain)))
  })
})

describe("what a payout cost that another transaction has made through a channel account", () => {
  for (const signs of [true, false])
    it.effect(`is booked where ${signs ? "its own comes to nothing" : "nothing is signed for it"}`, () => {
      const plain = fakeNetwork({ network: "stellar" })
      // as a node tells what those that are named have paid
      const prove = ({ senders }: Claimed) =>
        Effect.succeed({ ...proven, fee: senders.includes("G-channel-2") ? 100n : 0n })
      const fake = { ...plain, sender: { ...plain.sender, prove } }
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer("stellar", plain)
        const made = yield* pay(id, "stellar", 1)
        if (!signs) {
          const payout = yield* (yield* Queries).record(id, Payout, made.id)
          if (payout === undefined) return assert.fail("no payout")
          yield* submit(id, holdSignedBefore({ payout, hashes: ["rival"], currencies: defaultCurrencies }))
        }
        plain.answers(always("drops"))
        yield* Effect.forkScoped(sending(fake))
        for (let n = 0; n < 3; n++) yield* tick
        assert.strictEqual(yield* give(id, made, "rival"), "given")
        yield* mineUntil(plain, "it is over", allOver(id, [made]))
        const [one] = yield* operationsOf(id, [made])
        assert.deepInclude(one, { status: "SETTLED", txHash: "rival" })
        assert.deepStrictEqual(one?.networkFee, { units: 100n, currency: "XLM" })
        return yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), plain)))
    })
})

describe("a payout whose transaction expired, and paid it all the same", () => {
  /** A payout of tron whose first transaction expired, with the hash of that. */
  const triedAgain = Effect.fnUntraced(function* (plain: FakeSender, isBegun: boolean) {
    yield* TestClock.setTime(1_700_000_000_000)
    const queries = yield* Queries
    const { id } = yield* payer("tron", plain)
    const made = yield* pay(id, "tron", 1)
    plain.answers(always("drops"))
    const worker = yield* Effect.forkScoped(sending(plain))
    for (let n = 0; n < 3; n++) yield* tick
    yield* Fiber.interrupt(worker)
    const [first = assert.fail("nothing was signed")] = yield* queries.records(id, TransactionAttempt)
    const isTriedAgain = Effect.map(
      queries.record(id, Payout, made.id),
      (payout) => (payout?.earlierTransactions.length ?? 0) > 0
    )
    const waiting = { ...plain, sender: { ...plain.sender, preflight: () => Effect.never } }
    const following = yield* Effect.forkScoped(sending(isBegun ? plain : waiting))
    yield* mineUntil(plain, "its first transaction has expired", isTriedAgain)
    yield* Fiber.interrupt(following)
    return { id, made, first }
  })

  it.effect("is settled by that, given as evidence while another is under way, which comes to nothing", () => {
    const plain = fakeNetwork({ network: "tron" })
    return Effect.gen(function* () {
      const { first, id, made } = yield* triedAgain(plain, true)
      yield* Effect.forkScoped(sending(proving(plain)))
      assert.strictEqual(yield* give(id, made, first.hash), "given")
      yield* mineUntil(plain, "it is over", allOver(id, [made]))
      const [one] = yield* operationsOf(id, [made])
      assert.deepInclude(one, { status: "SETTLED", txHash: first.hash })
      assert.strictEqual(one?.networkFee?.units, 7n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), plain)))
  })

  it.effect("is settled by that, given as evidence before another is begun, and not sent again", () => {
    const plain = fakeNetwork({ network: "tron" })
    return Effect.gen(function* () {
      const { first, id, made } = yield* triedAgain(plain, false)
      const payout = yield* (yield* Queries).record(id, Payout, made.id)
      assert.isNull(payout?.transactionId)
      assert.strictEqual(yield* give(id, made, "another"), "state_conflict")
      assert.strictEqual(yield* give(id, made, first.hash), "given")
      plain.answers([])
      yield* Effect.forkScoped(sending(proving(plain)))
      yield* mineFor(plain, 10)
      const [one] = yield* operationsOf(id, [made])
      assert.deepInclude(one, { status: "SETTLED", txHash: first.hash })
      assert.deepStrictEqual(plain.chain(), [])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), plain)))
  })

  for (const when of ["before", "after"] as const)
    it.effect(
      `is told to have been paid twice where that is given ${when} the one that was sent again is final`,
      () => {
        const plain = fakeNetwork({ network: "tron" })
        return Effect.gen(function* () {
          const { first, id, made } = yield* triedAgain(plain, true)
          plain.answers([])
          yield* Effect.forkScoped(sending(proving(plain)))
          yield* mineUntil(
            plain,
            "it is sent again",
            Effect.map(operationsOf(id, [made]), () => plain.chain().length > 0)
          )
          if (when === "before") assert.strictEqual(yield* give(id, made, first.hash), "given")
          yield* mineUntil(plain, "it is over", allOver(id, [made]))
          if (when === "after") assert.strictEqual(yield* give(id, made, first.hash), "given")
          yield* mineFor(plain, 5)
          const [one] = yield* operationsOf(id, [made])
          assert.strictEqual(one?.status, "SETTLED")
          assert.notStrictEqual(one?.txHash, first.hash)
          assert.deepInclude(one?.details.contradiction, { reference: first.hash, moved: true })
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(processOver(emptyState(), plain)))
      }
    )

  it.effect("is settled by that, given as evidence while its receiver was looked at, and not sent again", () => {
    const plain = fakeNetwork({ network: "tron" })
    return Effect.gen(function* () {
      const { first, id, made } = yield* triedAgain(plain, false)
      plain.answers([])
      const at = yield* once("payout.preflighted", give(id, made, first.hash))
      yield* Effect.forkScoped(sending(proving(plain), at))
      yield* mineUntil(plain, "it is over", allOver(id, [made]))
      const [one] = yield* operationsOf(id, [made])
      assert.deepInclude(one, { status: "SETTLED", txHash: first.hash })
      assert.strictEqual((yield* (yield* Queries).record(id, Payout, made.id))?.attempts, 1)
      assert.deepStrictEqual(plain.chain(), [])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), plain)))
  })
})
