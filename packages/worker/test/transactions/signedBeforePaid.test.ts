import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { holdSignedBefore } from "@bursar/core/payout/holdSignedBefore"
import { Payout } from "@bursar/core/payout/Payout"
import type { Claimed, Proof } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { reviewOperation } from "@bursar/core/review/reviewOperation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { give, mineFor } from "./stumbling.ts"
import { ledgerHolds, operationsOf, pay, payer, processOver, sending, submit, type Tested, timesPaid } from "./world.ts"

const currencies = defaultCurrencies
const lost = "lost"

/** A node that says of the lost transaction what a test wants, and denies everything else. */
const saying = (fake: FakeSender, say: (claimed: Claimed) => Proof): FakeSender => ({
  ...fake,
  sender: {
    ...fake.sender,
    prove: (claimed) =>
      Effect.sync(() => (claimed.txHash === lost ? say(claimed) : { verdict: "NOT_PROVEN", reason: "not so" }))
  }
})

const proven = (): Proof => ({ verdict: "PROVEN", detail: "it paid that", fee: 7n })

/** Payouts that wait for an operator, who was told that the signer has signed for them before. */
const told = Effect.fnUntraced(function* (network: Tested, fake: FakeSender, count: number) {
  yield* TestClock.setTime(1_700_000_000_000)
  const queries = yield* Queries
  const { id } = yield* payer(network, fake)
  const made = yield* Effect.forEach(Array.from({ length: count }), (_, n) => pay(id, network, n + 1))
  for (const { id: operationId } of made) {
    const payout = (yield* queries.record(id, Payout, operationId)) ?? assert.fail("no payout")
    yield* submit(id, holdSignedBefore({ payout, hashes: [lost], currencies }))
  }
  return { id, made }
})

const statusesOf = (id: TenantId, made: ReadonlyArray<Operation>) =>
  Effect.map(operationsOf(id, made), (all) => all.map(({ status }) => status))

describe("a payout that waits because the signer has signed for it before", () => {
  for (const network of ["ethereum", "bitcoin"] as const)
    it.effect(`is settled on ${network} by what was signed, once the chain has proven it, and nothing is sent`, () => {
      const fake = fakeNetwork({ network })
      return Effect.gen(function* () {
        const { id, made } = yield* told(network, fake, 1)
        const [one = assert.fail("no payout")] = made
        yield* Effect.forkScoped(sending(saying(fake, proven)))
        yield* mineFor(fake, 3)
        assert.deepStrictEqual(yield* statusesOf(id, made), ["IN_REVIEW"])
        assert.strictEqual(yield* give(id, one, "another"), "state_conflict", "it was not told of that")
        assert.strictEqual(yield* give(id, one, lost), "given")
        yield* mineFor(fake, 3)
        const [after] = yield* operationsOf(id, made)
        assert.deepInclude(after, { status: "SETTLED", txHash: lost, unresolved: false })
        assert.strictEqual(after?.networkFee?.units, 7n)
        assert.strictEqual(after?.details.proven_by?.given_by, "ann")
        assert.deepStrictEqual(fake.chain(), [])
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })

  it.effect("waits on while the chain does not say yet, and goes on waiting for its operator where it denies", () => {
    const fake = fakeNetwork({ network: "ethereum" })
    return Effect.gen(function* () {
      const { id, made } = yield* told("ethereum", fake, 1)
      const [one = assert.fail("no payout")] = made
      let says: Proof = { verdict: "NOT_FINAL", reason: "it is in block 9" }
      yield* Effect.forkScoped(sending(saying(fake, () => says)))
      assert.strictEqual(yield* give(id, one, lost), "given")
      yield* mineFor(fake, 10)
      assert.deepStrictEqual(yield* statusesOf(id, made), ["IN_REVIEW"])
      yield* ledgerHolds(id)
      says = { verdict: "NOT_PROVEN", reason: "it reverted" }
      yield* mineFor(fake, 10)
      const [waits = assert.fail("it is gone")] = yield* operationsOf(id, made)
      assert.strictEqual(waits.status, "IN_REVIEW")
      yield* submit(
        id,
        reviewOperation({ operation: waits, verdict: "REJECT", by: "bob", reason: "unpaid", currencies })
      )
      assert.deepStrictEqual(yield* statusesOf(id, made), ["FAILED"])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  for (const end of ["REJECT", "CANCEL", "cancel"] as const)
    it.effect(
      `cannot be ended while the chain may prove that it is paid, and is not asked about once it is (${end})`,
      () => {
        const fake = fakeNetwork({ network: "ethereum" })
        return Effect.gen(function* () {
          const { id, made } = yield* told("ethereum", fake, 1)
          const [one = assert.fail("no payout")] = made
          let says: Proof = { verdict: "NOT_FINAL", reason: "not yet" }
          yield* Effect.forkScoped(sending(saying(fake, () => says)))
          yield* give(id, one, lost)
          yield* mineFor(fake, 3)
          const ending = Effect.gen(function* () {
            const [operation = one] = yield* operationsOf(id, made)
            const payout = (yield* (yield* Queries).record(id, Payout, one.id)) ?? assert.fail("no payout")
            if (end === "cancel") {
              yield* submit(id, cancelPayout({ payout, transaction: undefined, by: "bob", currencies }))
            } else yield* submit(id, reviewOperation({ operation, verdict: end, by: "bob", reason: null, currencies }))
          })
          assert.deepInclude(yield* Effect.flip(ending), { code: "state_conflict" })
          assert.deepStrictEqual(yield* statusesOf(id, made), ["IN_REVIEW"])
          says = { verdict: "NOT_PROVEN", reason: "it reverted" }
          yield* mineFor(fake, 10)
          yield* ending
          yield* ledgerHolds(id)
          yield* mineFor(fake, 10)
          assert.deepStrictEqual(yield* statusesOf(id, made), ["FAILED"])
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(processOver(emptyState(), fake)))
      }
    )

  it.effect("is settled beside others by the batch that paid them, the cost of which is booked once", () => {
    const fake = fakeNetwork({ network: "bitcoin" })
    return Effect.gen(function* () {
      const { id, made } = yield* told("bitcoin", fake, 3)
      yield* Effect.forkScoped(sending(saying(fake, proven)))
      for (const one of made) {
        assert.strictEqual(yield* give(id, one, lost), "given")
        yield* mineFor(fake, 3)
      }
      const after = yield* operationsOf(id, made)
      assert.deepStrictEqual(
        after.map(({ networkFee, status, txHash }) => [status, txHash, networkFee?.units]),
        [
          ["SETTLED", lost, 7n],
          ["SETTLED", lost, 0n],
          ["SETTLED", lost, 0n]
        ]
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("is not settled by a payment that has settled another one to its receiver", () => {
    const fake = fakeNetwork({ network: "ethereum" })
    return Effect.gen(function* () {
      const { id, made } = yield* told("ethereum", fake, 1)
      const twin = yield* pay(id, "ethereum", 1)
      const payout = (yield* (yield* Queries).record(id, Payout, twin.id)) ?? assert.fail("no payout")
      yield* submit(id, holdSignedBefore({ payout, hashes: [lost], currencies }))
      yield* Effect.forkScoped(sending(saying(fake, proven)))
      const [one = assert.fail("no payout")] = made
      assert.strictEqual(yield* give(id, one, lost), "given")
      yield* mineFor(fake, 3)
      assert.strictEqual(yield* give(id, twin, lost), "state_conflict")
      yield* mineFor(fake, 3)
      assert.deepStrictEqual(yield* statusesOf(id, [one, twin]), ["SETTLED", "IN_REVIEW"])
      assert.strictEqual(timesPaid(fake, "receiver-ethereum-1"), 0)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
