import { Queries } from "@bursar/core/store/Queries"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { setTenantStatus } from "@bursar/core/access/tenantCommands"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import {
  operationsOf as statesOf,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  submit,
  tick,
  timesPaid,
  mineUntil,
  allOver,
  ledgerHolds
} from "./world.ts"
import { always, cancel, give, mineFor, once } from "./stumbling.ts"

describe("a worker whose transactions and signer are out of step", () => {
  for (const place of ["replacement.built", "replacement.signed"] as const) {
    it.effect(`leaves out a payout that is cancelled while a replacement of its batch is signed (${place})`, () => {
      const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 2 })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const queries = yield* Queries
        const { id } = yield* payer("bitcoin", fake)
        const first = yield* pay(id, "bitcoin", 1)
        const other = yield* pay(id, "bitcoin", 2)
        fake.answers(always("drops")) // the node loses what it is given
        let state: string | undefined
        const at = yield* once(
          place,
          Effect.tap(cancel(id, first), (got) => Effect.sync(() => (state = got)))
        )
        yield* Effect.forkScoped(sending(fake, at))
        for (let n = 0; n < 60; n++) yield* tick
        assert.strictEqual(state, "trying")
        fake.answers([])
        yield* mineFor(fake, 900)
        const [transaction] = yield* queries.records(id, OutboundTransaction)
        assert.deepStrictEqual(
          {
            problem: transaction?.problem,
            states: (yield* statesOf(id, [first, other])).map(({ status }) => status),
            paid: [1, 2].map((n) => timesPaid(fake, receiver("bitcoin", n)))
          },
          { problem: null, states: ["FAILED", "SETTLED"], paid: [0, 1] }
        )
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }

  it.effect("gives no node again what was cancelled and cannot be replaced (tron)", () => {
    const fake = fakeNetwork({ network: "tron" })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("tron", fake)
      const made = yield* pay(id, "tron", 1)
      fake.answers(always("drops"))
      yield* Effect.forkScoped(sending(fake))
      for (let n = 0; n < 5; n++) yield* tick
      assert.strictEqual(yield* cancel(id, made), "trying")
      fake.answers([])
      yield* mineFor(fake, 200)
      assert.deepStrictEqual(
        {
          states: (yield* statesOf(id, [made])).map(({ status }) => status),
          paid: timesPaid(fake, receiver("tron", 1))
        },
        { states: ["FAILED"], paid: 0 }
      )
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("pays again what expired before any node took it (stellar)", () => {
    const fake = fakeNetwork({ network: "stellar" })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("stellar", fake)
      const made = yield* pay(id, "stellar", 1)
      fake.answers(always("refuses"))
      yield* Effect.forkScoped(sending(fake))
      yield* mineFor(fake, 65)
      fake.answers([])
      yield* mineFor(fake, 300)
      const [over] = yield* statesOf(id, [made])
      assert.deepStrictEqual([over?.status, timesPaid(fake, receiver("stellar", 1))], ["SETTLED", 1])
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("pays again what expired during a suspension (stellar)", () => {
    const fake = fakeNetwork({ network: "stellar" })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("stellar", fake)
      const made = yield* pay(id, "stellar", 1)
      const stored = yield* Deferred.make<void>()
      const at = yield* once("broadcast.before", Effect.andThen(Deferred.succeed(stored, undefined), Effect.never))
      const worker = yield* Effect.forkScoped(sending(fake, at))
      yield* Deferred.await(stored)
      yield* Fiber.interrupt(worker)
      yield* submit(id, setTenantStatus("SUSPENDED"))
      yield* Effect.forkScoped(sending(fake))
      yield* mineFor(fake, 90)
      yield* submit(id, setTenantStatus("ACTIVE"))
      yield* mineFor(fake, 300)
      const [over] = yield* statesOf(id, [made])
      assert.deepStrictEqual([over?.status, timesPaid(fake, receiver("stellar", 1))], ["SETTLED", 1])
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect(
    "knows what a replacement has paid that only the signer remembers, though its tenant is suspended by now",
    () => {
      const fake = fakeNetwork({ network: "ethereum" })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const queries = yield* Queries
        const { id } = yield* payer("ethereum", fake)
        const made = yield* pay(id, "ethereum", 1)
        fake.answers(always("refuses"))
        const died = yield* Deferred.make<void>()
        const at = yield* once("replacement.signed", Effect.andThen(Deferred.succeed(died, undefined), Effect.never))
        const worker = yield* Effect.forkScoped(sending(fake, at))
        for (let n = 0; n < 40; n++) yield* tick
        yield* Deferred.await(died)
        yield* Fiber.interrupt(worker)
        // the signer has a replacement that is not stored, and somebody has sent it
        const [transaction] = yield* queries.records(id, OutboundTransaction)
        if (transaction === undefined) return assert.fail("nothing was reserved")
        const [operation] = yield* statesOf(id, [made])
        if (operation === undefined) return assert.fail("no operation")
        const signed = yield* (yield* TransactionSigner).signed({
          tenantId: id,
          network: "ethereum",
          guard: transaction.guard,
          requests: requestsFor([operation])
        })
        const lost = signed.find(({ hash }) => !transaction.hashes.includes(hash))
        if (lost === undefined) return assert.fail("nothing is lost")
        fake.answers([])
        yield* fake.sender.broadcast(lost.raw)
        yield* submit(id, setTenantStatus("SUSPENDED"))
        for (let n = 0; n < 4; n++) fake.mine(yield* Clock.currentTimeMillis)
        assert.strictEqual(timesPaid(fake, receiver("ethereum", 1)), 1)
        yield* Effect.forkScoped(sending(fake))
        yield* mineFor(fake, 60)
        assert.strictEqual((yield* statesOf(id, [made]))[0]?.status, "SETTLED")
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )

  for (const [what, receivers, expected] of [
    ["each payout that it has paid", [1, 2], ["given", "given", "SETTLED", "SETTLED"]],
    ["one of two that pay the same receiver", [1, 1], ["given", "state_conflict", "SETTLED", "FAILED"]]
  ] as const)
    it.effect(`takes another transaction in the place of a batch as evidence for ${what}`, () => {
      const plain = fakeNetwork({ network: "bitcoin", paymentsMax: 2 })
      const proof = { verdict: "PROVEN", detail: "it pays", fee: 10n } as const
      const fake: FakeSender = { ...plain, sender: { ...plain.sender, prove: () => Effect.succeed(proof) } }
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const queries = yield* Queries
        const { id } = yield* payer("bitcoin", fake)
        const made = yield* Effect.forEach(receivers, (receiver) => pay(id, "bitcoin", receiver))
        yield* Effect.forkScoped(sending(fake))
        for (let n = 0; n < 8; n++) yield* tick
        const [transaction] = yield* queries.records(id, OutboundTransaction)
        if (transaction === undefined) return assert.fail("nothing was reserved")
        const txHash = "ab".repeat(32)
        const given = yield* Effect.forEach(made, (one) => give(id, one, txHash))
        assert.deepStrictEqual(
          yield* Effect.forEach(made, (one) => give(id, one, txHash)),
          given,
          "the same again changes nothing"
        )
        fake.rival(transaction.guard, yield* Clock.currentTimeMillis)
        yield* mineUntil(fake, "both are over", allOver(id, made))
        const ends = (yield* statesOf(id, made)).map(({ status }) => status)
        assert.deepStrictEqual<ReadonlyArray<string>>([...given, ...ends], expected)
        // what it cost is booked once
        const costs = (yield* statesOf(id, made)).map(({ networkFee }) => networkFee?.units ?? 0n)
        assert.strictEqual(
          costs.reduce((sum, cost) => sum + cost, 0n),
          10n
        )
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
})
