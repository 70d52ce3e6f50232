import { Payout } from "@bursar/core/payout/Payout"
import { PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import type { ChainSender, Proof } from "@bursar/core/port/ChainSender"
import { SigningRefused, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import type { Place } from "@bursar/testkit/fixtures/Places"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { always, cancel, give, mineFor, once } from "./stumbling.ts"
import { ledgerHolds, mineUntil, operationsOf, pay, payer, processOver, receiver, sending, timesPaid } from "./world.ts"

const proven: Proof = { verdict: "PROVEN", detail: "it paid", fee: 7n }
const denied: Proof = { verdict: "NOT_PROVEN", reason: "not so" }

/** A network whose nodes say this of what is given as evidence. */
const telling = (proof: Proof, parts: Partial<ChainSender> = {}): FakeSender => {
  const fake = fakeNetwork({ network: "tron" })
  return { ...fake, sender: { ...fake.sender, prove: () => Effect.succeed(proof), ...parts } }
}

/** A payout whose first transaction was sent and is held to have expired. */
const expired = Effect.fnUntraced(function* (fake: FakeSender) {
  yield* TestClock.setTime(1_700_000_000_000)
  const queries = yield* Queries
  const { id } = yield* payer("tron", fake)
  const made = yield* pay(id, "tron", 1)
  const payout = Effect.map(queries.record(id, Payout, made.id), (one) => one ?? assert.fail("no payout"))
  const transaction = Effect.flatMap(payout, ({ transactionId }) =>
    queries.record(id, OutboundTransaction, transactionId ?? "")
  )
  fake.answers(always("drops"))
  const worker = yield* Effect.forkScoped(sending(fake))
  yield* mineUntil(
    fake,
    "it is sent",
    Effect.map(transaction, (one) => one?.phase === "BROADCAST")
  )
  const [first = assert.fail("no attempt")] = yield* queries.records(
    id,
    TransactionAttempt,
    (yield* payout).transactionId ?? ""
  )
  yield* Fiber.interrupt(worker)
  yield* TestClock.setTime((first.validUntil ?? 0) + 1_000)
  fake.answers([])
  const operation = Effect.map(operationsOf(id, [made]), ([one]) => one ?? assert.fail("no operation"))
  return { first, id, made, operation, payout, transaction }
})

/** Lets a worker die the first time that it comes to a place. */
const dieAt = Effect.fnUntraced(function* (fake: FakeSender, place: Place) {
  const died = yield* Deferred.make<void>()
  const at = yield* once(place, Effect.andThen(Deferred.succeed(died, undefined), Effect.never))
  const worker = yield* Effect.forkScoped(sending(fake, at))
  yield* mineFor(fake, 10)
  yield* Deferred.await(died)
  yield* Fiber.interrupt(worker)
})

const paidAgain = (fake: FakeSender, network: "bitcoin" | "ethereum" | "tron" = "tron") =>
  timesPaid(fake, receiver(network, 1))

describe("a payout whose transaction is held to have expired, and for which that is given as evidence", () => {
  for (const [place, phase] of [
    ["sign.after", "RESERVED"],
    ["signed.stored", "SIGNED"]
  ] as const) {
    it.effect(`is not paid again by the next one that a worker left ${phase} when it died`, () => {
      const fake = telling(proven)
      return Effect.gen(function* () {
        const { first, id, made, operation, transaction } = yield* expired(fake)
        yield* dieAt(fake, place)
        assert.deepInclude(yield* transaction, { phase })
        assert.strictEqual(yield* give(id, made, first.hash), "given")
        yield* Effect.forkScoped(sending(fake))
        yield* mineUntil(
          fake,
          "it is settled",
          Effect.map(operation, ({ status }) => status === "SETTLED")
        )
        assert.strictEqual((yield* operation).txHash, first.hash)
        assert.strictEqual(paidAgain(fake), 0)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })

    it.effect(`is paid once after a worker left the next one ${phase}, where the chain denies that evidence`, () => {
      const fake = telling(denied)
      return Effect.gen(function* () {
        const { first, id, made, operation } = yield* expired(fake)
        yield* dieAt(fake, place)
        assert.strictEqual(yield* give(id, made, first.hash), "given")
        yield* Effect.forkScoped(sending(fake))
        yield* mineUntil(
          fake,
          "it is settled",
          Effect.map(operation, ({ status }) => status === "SETTLED")
        )
        assert.notStrictEqual((yield* operation).txHash, first.hash)
        assert.strictEqual(paidAgain(fake), 1)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }

  it.effect("is not paid again by what the signer signs just then", () => {
    const fake = telling(proven)
    return Effect.gen(function* () {
      const { first, id, made, operation } = yield* expired(fake)
      const at = yield* once(
        "sign.after",
        Effect.map(give(id, made, first.hash), (said) => {
          assert.strictEqual(said, "given")
        })
      )
      yield* Effect.forkScoped(sending(fake, at))
      yield* mineUntil(
        fake,
        "it is settled",
        Effect.map(operation, ({ status }) => status === "SETTLED")
      )
      assert.strictEqual((yield* operation).txHash, first.hash)
      assert.strictEqual(paidAgain(fake), 0)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("has the next one, which no node knows any more, not given to a node again", () => {
    const given: Array<Uint8Array> = []
    const fake = telling(proven)
    const sender: ChainSender = {
      ...fake.sender,
      broadcast: (raw) => Effect.suspend(() => (given.push(raw), fake.sender.broadcast(raw)))
    }
    return Effect.gen(function* () {
      const { first, id, made, operation, transaction } = yield* expired(fake)
      fake.answers(always("drops"))
      yield* Effect.forkScoped(sending({ ...fake, sender }))
      yield* mineUntil(
        fake,
        "the next is sent",
        Effect.map(transaction, (one) => one?.phase === "BROADCAST" && one.hashes[0] !== first.hash)
      )
      const before = given.length
      assert.strictEqual(yield* give(id, made, first.hash), "given")
      yield* mineUntil(
        fake,
        "it is settled",
        Effect.map(operation, ({ status }) => status === "SETTLED")
      )
      assert.strictEqual((yield* operation).txHash, first.hash)
      assert.strictEqual(given.length, before)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  for (const [proof, ends] of [
    [proven, "SETTLED"],
    [denied, "SENT"]
  ] as const)
    it.effect(`is ${ends} where the signer refuses the next one, and the chain says ${proof.verdict}`, () => {
      const fake = telling(proof)
      return Effect.gen(function* () {
        const { first, id, made, operation, payout } = yield* expired(fake)
        const at = yield* once(
          "sign.before",
          Effect.map(give(id, made, first.hash), (said) => {
            assert.strictEqual(said, "given")
          })
        )
        const refused = new SigningRefused({ network: "tron", reason: "it may not sign so much" })
        const refusing = { ...(yield* TransactionSigner), sign: () => Effect.fail(refused) }
        yield* Effect.forkScoped(Effect.provideService(sending(fake, at), TransactionSigner, refusing))
        yield* mineFor(fake, 60)
        const evidence = yield* (yield* Queries).records(id, PayoutEvidence, made.id)
        assert.deepStrictEqual(
          evidence.map(({ verdict }) => verdict),
          [proof.verdict]
        )
        const after = yield* operation
        assert.strictEqual(after.status, ends)
        if (proof === proven) assert.strictEqual(after.txHash, first.hash)
        else assert.deepInclude((yield* payout).waits, { reason: "signing_refused", detail: refused.reason })
        assert.strictEqual(paidAgain(fake), 0)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
})

describe("a payout that is SIGNED and was never sent, and for which another transaction is given as evidence", () => {
  for (const [network, frees, proof, status] of [
    ["ethereum", "its wallet", proven, "SETTLED"],
    ["ethereum", "its wallet", denied, "FAILED"],
    ["bitcoin", "its batch", proven, "SETTLED"],
    ["bitcoin", "its batch", denied, "FAILED"]
  ] as const)
    it.effect(`frees ${frees} when it is cancelled, and is ${status} once the chain says ${proof.verdict}`, () => {
      const plain = fakeNetwork({ network, paymentsMax: network === "bitcoin" ? 5 : 1 })
      let said: Proof = { verdict: "UNREADABLE", reason: "no node can read it" }
      const fake = { ...plain, sender: { ...plain.sender, prove: () => Effect.sync(() => said) } }
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer(network, fake, 4)
        const made = yield* pay(id, network, 1)
        const other = yield* pay(id, network, 2)
        yield* dieAt(fake, "signed.stored")
        assert.strictEqual(yield* give(id, made, "rival"), "given")
        const statuses = Effect.map(operationsOf(id, [made, other]), (all) => all.map((one) => one.status))
        yield* Effect.forkScoped(sending(fake))
        yield* mineFor(fake, 120)
        assert.strictEqual(timesPaid(fake, receiver(network, 2)), 0)
        assert.strictEqual(yield* cancel(id, made), "trying")
        yield* mineUntil(
          fake,
          "the other is paid",
          Effect.sync(() => timesPaid(fake, receiver(network, 2)) === 1)
        )
        yield* mineFor(fake, 120)
        assert.notInclude(["SETTLED", "FAILED"], (yield* statuses)[0])
        said = proof
        yield* mineUntil(
          fake,
          "both are over",
          Effect.map(statuses, (all) => all[0] === status && all[1] === "SETTLED")
        )
        const [first] = yield* operationsOf(id, [made])
        if (proof === proven) assert.strictEqual(first?.txHash, "rival")
        assert.strictEqual(paidAgain(fake, network), 0)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), plain)))
    })
})
