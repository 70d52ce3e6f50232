import { expeditePayout } from "@bursar/core/payout/expeditePayout"
import { attemptsMax, Payout } from "@bursar/core/payout/Payout"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { VaultError } from "@bursar/core/port/Vault"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { always, cancel, give, mineFor, once } from "./stumbling.ts"
import {
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

/** A payout of which no node has what is stored as signed. */
const unsent = Effect.fnUntraced(function* (fake: FakeSender, network: "tron" | "stellar") {
  yield* TestClock.setTime(1_700_000_000_000)
  const queries = yield* Queries
  const { id } = yield* payer(network, fake)
  const made = yield* pay(id, network, 1)
  fake.answers(always("drops"))
  return { id, made, payout: Effect.map(queries.record(id, Payout, made.id), (one) => one ?? assert.fail("no payout")) }
})

/** The outbound transaction of a tenant that is not over. */
const openOf = Effect.fnUntraced(function* (id: TenantId) {
  const all = yield* (yield* Queries).records(id, OutboundTransaction)
  return all.find(({ phase }) => phase !== "FINAL")
})

/** A payout of tron whose transaction has expired. Another one was signed then, has paid it, and is not stored: the database was restored to before. */
const paidByAnother = Effect.fnUntraced(function* (fake: FakeSender, attempts = 1) {
  const { id, made, payout } = yield* unsent(fake, "tron")
  const worker = yield* Effect.forkScoped(sending(fake))
  const isSent = Effect.gen(function* () {
    return (yield* payout).attempts === attempts && (yield* openOf(id))?.phase === "BROADCAST"
  })
  yield* mineUntil(fake, "it is sent", isSent)
  yield* Fiber.interrupt(worker)
  const queries = yield* Queries
  const one = (yield* openOf(id)) ?? assert.fail("none")
  const [first = assert.fail("no attempt")] = yield* queries.records(id, TransactionAttempt, one.id)
  yield* TestClock.setTime((first.validUntil ?? 0) + 1_000)
  yield* mineFor(fake, 10)
  fake.answers([])
  const now = yield* Clock.currentTimeMillis
  const { bytes: unsigned } = yield* fake.sender.build({
    from: one.from,
    guard: one.guard,
    payments: one.payments.map(({ contract, memo, to, units }) => ({ contract, memo, to, units })),
    drain: false,
    replacing: null,
    salt: 99,
    validUntil: now + 60_000
  })
  const requests = requestsFor(yield* operationsOf(id, [made]))
  const signer = yield* TransactionSigner
  const second = yield* signer.sign({ tenantId: id, network: "tron", unsigned, signers: [], own: [], requests })
  assert.notStrictEqual(second.hash, first.hash)
  yield* fake.sender.broadcast(second.raw)
  yield* mineFor(fake, 10)
  assert.strictEqual(timesPaid(fake, receiver("tron", 1)), 1)
  const problem = Effect.map(openOf(id), (of) => of?.problem ?? "none")
  const status = Effect.map(operationsOf(id, [made]), ([of]) => of?.status)
  return { id, made, hash: second.hash, problem, status }
})

describe("a payout whose stored transaction has expired", () => {
  it.effect(
    "does not fail by its cancellation where another transaction has paid it, and is settled by evidence",
    () => {
      const fake = fakeNetwork({ network: "tron" })
      return Effect.gen(function* () {
        const { hash, id, made, problem, status } = yield* paidByAnother(fake)
        assert.strictEqual(yield* cancel(id, made), "trying")
        const sender = {
          ...fake.sender,
          prove: ({ txHash }: { readonly txHash: string }) =>
            Effect.succeed(
              txHash === hash
                ? ({ verdict: "PROVEN", detail: "it is there", fee: 3n } as const)
                : ({ verdict: "UNREADABLE", reason: "not there" } as const)
            )
        }
        yield* Effect.forkScoped(sending({ ...fake, sender }))
        yield* mineFor(fake, 20)
        assert.strictEqual(yield* status, "SENT")
        assert.include(yield* problem, hash)
        assert.strictEqual(yield* give(id, made, hash), "given")
        yield* mineFor(fake, 10)
        assert.strictEqual(yield* status, "SETTLED")
        assert.strictEqual(timesPaid(fake, receiver("tron", 1)), 1)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )

  it.effect("does not fail by its third expiry where another one has paid it", () => {
    const fake = fakeNetwork({ network: "tron" })
    return Effect.gen(function* () {
      const { hash, id, problem, status } = yield* paidByAnother(fake, attemptsMax)
      yield* Effect.forkScoped(sending(fake))
      yield* mineFor(fake, 20)
      assert.strictEqual(yield* status, "SENT")
      assert.include(yield* problem, hash)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("does not fail where another one has paid it and the signer cannot tell", () => {
    const fake = fakeNetwork({ network: "tron" })
    return Effect.gen(function* () {
      const { id, made, problem, status } = yield* paidByAnother(fake)
      assert.strictEqual(yield* cancel(id, made), "trying")
      const signed = () => Effect.fail(new VaultError({ doing: "sign", reason: "it is away" }))
      const away = { ...(yield* TransactionSigner), signed }
      yield* Effect.forkScoped(sending(fake).pipe(Effect.provideService(TransactionSigner, away)))
      yield* mineFor(fake, 20)
      assert.strictEqual(yield* status, "SENT")
      assert.include(yield* problem, "it is away")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("does not fail while the signer has signed another one of its number that is valid longer", () => {
    const fake = fakeNetwork({ network: "stellar" })
    return Effect.gen(function* () {
      const { id, made, payout } = yield* unsent(fake, "stellar")
      const queries = yield* Queries
      const died = yield* Deferred.make<void>()
      const at = yield* once("replacement.signed", Effect.andThen(Deferred.succeed(died, undefined), Effect.never))
      const worker = yield* Effect.forkScoped(sending(fake, at))
      for (let n = 0; n < 30; n++) yield* tick
      const [one = assert.fail("none")] = yield* queries.records(id, OutboundTransaction)
      const [first = assert.fail("no attempt")] = yield* queries.records(id, TransactionAttempt, one.id)
      yield* submit(id, expeditePayout({ payout: yield* payout, transaction: one, request: "BUMP" }))
      for (let n = 0; n < 30; n++) yield* tick
      yield* Deferred.await(died)
      yield* Fiber.interrupt(worker)
      const signer = yield* TransactionSigner
      const requests = requestsFor(yield* operationsOf(id, [made]))
      const signed = yield* signer.signed({ tenantId: id, network: "stellar", guard: one.guard, requests })
      const lost = signed.find(({ hash }) => hash !== first.hash) ?? assert.fail("nothing was lost")
      fake.answers([])
      yield* TestClock.setTime((first.validUntil ?? 0) + 1_000)
      for (let n = 0; n < 10; n++) fake.mine(yield* Clock.currentTimeMillis)
      assert.isBelow((yield* Clock.currentTimeMillis) + 20_000, lost.validUntil ?? 0)
      assert.strictEqual(yield* cancel(id, made), "trying")
      yield* Effect.forkScoped(sending(fake))
      // a node has it by now
      yield* TestClock.adjust("100 millis")
      yield* fake.sender.broadcast(lost.raw)
      yield* mineFor(fake, 20)
      const paid = timesPaid(fake, receiver("stellar", 1))
      assert.strictEqual((yield* operationsOf(id, [made]))[0]?.status, paid === 1 ? "SETTLED" : "FAILED")
      const [{ hashes } = assert.fail("none")] = yield* queries.records(id, OutboundTransaction)
      assert.include(hashes, lost.hash)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect(
    "does not fail by what an operator has take its place where another one has paid it, and the node is behind",
    () => {
      const fake = fakeNetwork({ network: "stellar" })
      return Effect.gen(function* () {
        const { id, made, payout } = yield* unsent(fake, "stellar")
        const worker = yield* Effect.forkScoped(sending(fake))
        for (let n = 0; n < 5; n++) yield* tick
        yield* Fiber.interrupt(worker)
        const one = (yield* openOf(id)) ?? assert.fail("none")
        fake.answers([])
        const { bytes: unsigned } = yield* fake.sender.build({
          from: one.from,
          guard: { _tag: "Sequence", account: "G-channel-2", sequence: 0n },
          payments: one.payments.map(({ contract, memo, to, units }) => ({ contract, memo, to, units })),
          drain: false,
          replacing: null,
          salt: 99,
          validUntil: (yield* Clock.currentTimeMillis) + 600_000
        })
        const requests = requestsFor(yield* operationsOf(id, [made]))
        const signer = yield* TransactionSigner
        const another = yield* signer.sign({
          tenantId: id,
          network: "stellar",
          unsigned,
          signers: [],
          own: [],
          requests
        })
        yield* fake.sender.broadcast(another.raw)
        yield* mineFor(fake, 3)
        assert.strictEqual(timesPaid(fake, receiver("stellar", 1)), 1)
        assert.strictEqual(yield* cancel(id, made), "trying")
        const cancelled = (yield* openOf(id)) ?? assert.fail("none")
        yield* submit(id, expeditePayout({ payout: yield* payout, transaction: cancelled, request: "BUMP" }))
        yield* Effect.forkScoped(sending(fake))
        yield* mineFor(fake, 20)
        assert.strictEqual((yield* operationsOf(id, [made]))[0]?.status, "SENT")
        assert.include((yield* openOf(id))?.problem, another.hash)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )
})
