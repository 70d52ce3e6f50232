import { addApiKey, setTenantStatus } from "@bursar/core/access/tenantCommands"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { keptSignatures } from "@bursar/core/payout/keptSignatures"
import { Payout } from "@bursar/core/payout/Payout"
import { purposes } from "@bursar/core/purposes"
import { endSigning } from "@bursar/core/transaction/beingSigned"
import { payoutDetails } from "@bursar/core/payout/payoutDetails"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import { addSigningKey, revokeSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { operationsOf, OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { apiKeyFields } from "@bursar/testkit/fixtures/keys"
import type { Place } from "@bursar/testkit/fixtures/Places"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, type Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import {
  allOver,
  ledgerHolds,
  mineUntil,
  operationsOf as statesOf,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  submit,
  type Tested,
  tick,
  timesPaid
} from "./world.ts"

const networks: ReadonlyArray<Tested> = ["ethereum", "tron", "bitcoin", "stellar"]

/** Where a sender comes by until a payout is in a block. */
const places: ReadonlyArray<Place> = [
  "queue.read",
  "payout.preflighted",
  "payouts.planned",
  "transaction.reserved",
  "build.before",
  "build.after",
  "sign.before",
  "sign.after",
  "signed.stored",
  "broadcast.before",
  "broadcast.after",
  "broadcast.stored"
]

/** What the signer has signed for an outbound transaction and is not stored, as the server finds it out. */
const kept = Effect.fnUntraced(function* (tenantId: TenantId, transaction: OutboundTransaction) {
  const queries = yield* Queries
  const { guard, network } = transaction
  const all = yield* Effect.forEach(operationsOf(transaction), (id) => queries.operation(tenantId, id))
  const requests = requestsFor(all.filter((one) => one !== undefined))
  const signed = yield* (yield* TransactionSigner).signed({ tenantId, network, guard, requests })
  const stored = new Set((yield* queries.records(tenantId, TransactionAttempt)).map(({ hash }) => hash))
  return keptSignatures(signed.filter(({ hash }) => !stored.has(hash)))
})

/** Has the service forget that the signer was asked, as if the clock of the signer were far behind. */
const forgetSigning = Effect.fnUntraced(function* (tenantId: TenantId) {
  const [transaction] = yield* (yield* Queries).records(tenantId, OutboundTransaction)
  const until = transaction?.signingUntil
  if (transaction === undefined || until == null) return assert.fail("nothing is being signed")
  return yield* submit(tenantId, endSigning({ transaction, until, earlier: null, purposes }))
})

/** Cancels a payout as an operator does. Gives what came of it, or why it was refused. */
const cancel = Effect.fnUntraced(function* (tenantId: TenantId, { id }: Operation) {
  const queries = yield* Queries
  const askedAt = yield* Clock.currentTimeMillis
  const payout = yield* queries.record(tenantId, Payout, id)
  if (payout === undefined) return assert.fail("there is no such payout")
  const transaction =
    payout.transactionId === null
      ? undefined
      : yield* queries.record(tenantId, OutboundTransaction, payout.transactionId)
  const command = cancelPayout({
    payout,
    transaction,
    askedAt,
    by: "ann",
    currencies: defaultCurrencies,
    ...(transaction?.phase === "RESERVED" && { kept: yield* kept(tenantId, transaction) })
  })
  const done = yield* Effect.result(submit(tenantId, command))
  return Result.isSuccess(done) ? done.success.state : done.failure._tag === "Refusal" ? done.failure.code : "failed"
})

/** Whether a payout ended in exactly one of two ways: it was cancelled and never paid, or paid once. */
const endedOnce = Effect.fnUntraced(function* (fake: FakeSender, tenantId: TenantId, made: Operation, n: number) {
  const [over] = yield* statesOf(tenantId, [made])
  const paid = timesPaid(fake, receiver(made.network as Tested, n)) // as the test has asked for it
  if (over?.status === "SETTLED") return assert.strictEqual(paid, 1)
  assert.strictEqual(over?.status, "FAILED")
  assert.strictEqual(over === undefined ? null : payoutDetails(over).failureReason, "cancelled_by_operator")
  return assert.strictEqual(paid, 0)
})

const free = (tenantId: TenantId) =>
  Effect.map(
    Effect.flatMap(Queries, (queries) => queries.float(tenantId)),
    (balances) =>
      balances.filter(({ account }) => account === "float:available").map(({ currency, units }) => [currency, units])
  )

const mineFor = Effect.fnUntraced(function* (fake: FakeSender, seconds: number) {
  for (let left = seconds; left > 0; left--) {
    fake.mine(yield* Clock.currentTimeMillis)
    yield* tick
  }
})

type Ports = Layer.Success<ReturnType<typeof processOver>>

/** Does something once, at a place that a sender comes by for the first payout. */
const once = (place: Place, effect: Effect.Effect<unknown, unknown, Ports>) =>
  Effect.gen(function* () {
    const ports = yield* Effect.context<Ports>()
    let isDone = false
    return (name: Place) =>
      Effect.suspend(() => {
        if (isDone || name !== place) return Effect.void
        isDone = true
        return Effect.asVoid(Effect.orDie(Effect.provideContext(effect, ports)))
      })
  })

describe("a payout that an operator cancels while it is sent", () => {
  for (const network of networks) {
    for (const place of places) {
      it.effect(`is paid or cancelled, one of the two, and those after it are paid (${network}, at ${place})`, () => {
        const fake = fakeNetwork({ network })
        return Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          const { id } = yield* payer(network, fake)
          const first = yield* pay(id, network, 1)
          let came = false
          const cancelling = Effect.andThen(
            Effect.sync(() => (came = true)),
            cancel(id, first)
          )
          yield* Effect.forkScoped(sending(fake, yield* once(place, cancelling)))
          yield* tick
          const next = yield* pay(id, network, 2)
          yield* mineUntil(fake, "both are over", allOver(id, [first, next]))
          yield* mineFor(fake, 90)
          assert.isTrue(came)
          yield* endedOnce(fake, id, first, 1)
          assert.strictEqual((yield* statesOf(id, [next]))[0]?.status, "SETTLED")
          assert.strictEqual(timesPaid(fake, receiver(network, 2)), 1)
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(processOver(emptyState(), fake)))
      })
    }
  }
})

describe("a payout that the signer was asked to sign", () => {
  for (const network of networks) {
    for (const place of ["sign.before", "sign.after"] as const) {
      it.effect(
        `is not cancelled before the answer is known: nothing that was given back was signed (${network}, at ${place})`,
        () => {
          const fake = fakeNetwork({ network })
          return Effect.gen(function* () {
            yield* TestClock.setTime(1_700_000_000_000)
            const { id } = yield* payer(network, fake)
            const made = yield* pay(id, network, 1)
            const answers: Array<string> = []
            const cancelling = Effect.tap(cancel(id, made), (answer) => Effect.sync(() => answers.push(answer)))
            yield* Effect.forkScoped(sending(fake, yield* once(place, cancelling)))
            yield* mineUntil(fake, "it is over", allOver(id, [made]))
            // once the signature is there it is cancelled by a replacement, if at all
            assert.deepStrictEqual(answers, [place === "sign.before" ? "state_conflict" : "trying"])
            yield* mineFor(fake, 90)
            yield* endedOnce(fake, id, made, 1)
            yield* ledgerHolds(id)
          }).pipe(Effect.provide(processOver(emptyState(), fake)))
        }
      )
    }

    it.effect(`and whose worker died is cancelled once the signer would not sign it any more (${network})`, () => {
      const fake = fakeNetwork({ network })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer(network, fake)
        const before = yield* free(id)
        const made = yield* pay(id, network, 1)
        const asked = yield* Deferred.make<void>()
        const at = yield* once("sign.before", Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
        const worker = yield* Effect.forkScoped(sending(fake, at))
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(worker)
        const [transaction] = yield* (yield* Queries).records(id, OutboundTransaction)
        if (transaction?.signingUntil == null) return assert.fail("nothing is being signed")
        assert.strictEqual(yield* cancel(id, made), "state_conflict")
        yield* TestClock.adjust(transaction.signingUntil + 60_000 - (yield* Clock.currentTimeMillis))
        assert.strictEqual(yield* cancel(id, made), "state_conflict")
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* cancel(id, made), "cancelled")
        assert.deepStrictEqual(yield* free(id), before)
        // the request that was on its way all that time comes too late
        const late = yield* Effect.flip(
          (yield* TransactionSigner).sign({
            tenantId: id,
            network,
            unsigned: new TextEncoder().encode(JSON.stringify({ guard: { _tag: "Expiry" }, payments: [] })),
            signers: [],
            own: [],
            requests: [],
            until: transaction.signingUntil
          })
        )
        assert.include(late.message, "the time to sign it is over")
        assert.strictEqual(fake.signed(), 0)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }
})

describe("a payout of a tenant who is suspended while it is signed", () => {
  for (const network of networks) {
    for (const place of ["sign.before", "sign.after"] as const) {
      for (const ends of ["cancelled", "active again"] as const) {
        it.effect(`ends once it is ${ends} (${network}, at ${place})`, () => {
          const fake = fakeNetwork({ network })
          return Effect.gen(function* () {
            yield* TestClock.setTime(1_700_000_000_000)
            const { id } = yield* payer(network, fake)
            const made = yield* pay(id, network, 1)
            const at = yield* once(place, submit(id, setTenantStatus("SUSPENDED")))
            yield* Effect.forkScoped(sending(fake, at))
            for (let n = 0; n < 8; n++) yield* tick
            assert.strictEqual(timesPaid(fake, receiver(network, 1)), 0)
            if (ends === "cancelled") assert.strictEqual(yield* cancel(id, made), "trying")
            else yield* submit(id, setTenantStatus("ACTIVE"))
            yield* mineUntil(fake, "it is over", allOver(id, [made]))
            yield* mineFor(fake, 90)
            yield* endedOnce(fake, id, made, 1)
            assert.strictEqual((yield* statesOf(id, [made]))[0]?.status, ends === "cancelled" ? "FAILED" : "SETTLED")
            yield* ledgerHolds(id)
          }).pipe(Effect.provide(processOver(emptyState(), fake)))
        })
      }
    }
  }
})

describe("a payout whose signing key was revoked in the moment of its signature", () => {
  for (const network of networks) {
    it.effect(`is kept until an operator cancels it, is never sent, and frees what it held (${network})`, () => {
      const fake = fakeNetwork({ network })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const queries = yield* Queries
        const { id } = yield* payer(network, fake)
        const key = apiKeyFields()
        yield* submit(id, addApiKey(key))
        yield* submit(id, addSigningKey({ apiKeyId: key.id, keyid: "k", publicKey: "p" }))
        const before = yield* free(id)
        const made = yield* pay(id, network, 1)
        const at = yield* once("sign.before", submit(id, revokeSigningKey("k", null)))
        yield* Effect.forkScoped(sending(fake, at))
        yield* mineFor(fake, 20)
        const [transaction] = yield* queries.records(id, OutboundTransaction)
        assert.strictEqual(transaction?.phase, "RESERVED")
        assert.strictEqual(fake.signed(), 1)
        assert.strictEqual(yield* cancel(id, made), "trying")
        yield* mineUntil(fake, "it is over", allOver(id, [made]))
        yield* mineFor(fake, 90)
        yield* endedOnce(fake, id, made, 1)
        assert.strictEqual((yield* statesOf(id, [made]))[0]?.status, "FAILED")
        assert.deepStrictEqual(yield* free(id), before)
        const open = (yield* queries.records(id, OutboundTransaction)).filter(({ phase }) => phase !== "FINAL")
        assert.deepStrictEqual(open, [])
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }

  it.effect("is settled where somebody has sent what was signed all the same", () => {
    const fake = fakeNetwork({ network: "ethereum" })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const queries = yield* Queries
      const { id } = yield* payer("ethereum", fake)
      const made = yield* pay(id, "ethereum", 1)
      const at = yield* once("sign.before", submit(id, setTenantStatus("SUSPENDED")))
      yield* Effect.forkScoped(sending(fake, at))
      for (let n = 0; n < 8; n++) yield* tick
      const [transaction] = yield* queries.records(id, OutboundTransaction)
      if (transaction === undefined) return assert.fail("nothing was reserved")
      const [stolen] = (yield* kept(id, transaction)).own
      yield* fake.sender.broadcast(stolen?.raw ?? new Uint8Array())
      fake.mine(yield* Clock.currentTimeMillis)
      assert.strictEqual(yield* cancel(id, made), "trying")
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      assert.strictEqual((yield* statesOf(id, [made]))[0]?.status, "SETTLED")
      yield* endedOnce(fake, id, made, 1)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})

describe("the number of a payout that was cancelled while it was signed", () => {
  for (const network of ["ethereum", "bitcoin"] as const) {
    it.effect(`is used up where the next payout under it can never be made, which fails (${network})`, () => {
      const fake = fakeNetwork({ network })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const queries = yield* Queries
        const { id } = yield* payer(network, fake, 1)
        const first = yield* pay(id, network, 1)
        const at = yield* once("sign.before", Effect.andThen(forgetSigning(id), cancel(id, first)))
        yield* Effect.forkScoped(sending(fake, at))
        for (let n = 0; n < 3; n++) yield* tick
        assert.strictEqual((yield* statesOf(id, [first]))[0]?.status, "FAILED")
        fake.refuse(receiver(network, 2), "built")
        const hopeless = yield* pay(id, network, 2)
        yield* mineUntil(fake, "it has failed", allOver(id, [hopeless]))
        const last = network === "bitcoin" ? [] : [yield* pay(id, network, 3)]
        yield* mineUntil(fake, "the one after it is paid", allOver(id, last))
        yield* mineFor(fake, 30)
        assert.deepStrictEqual(
          [1, 2].map((n) => timesPaid(fake, receiver(network, n))),
          [0, 0]
        )
        for (const one of yield* statesOf(id, last)) assert.strictEqual(one.status, "SETTLED")
        const open = (yield* queries.records(id, OutboundTransaction)).filter(({ phase }) => phase !== "FINAL")
        assert.deepStrictEqual(open, [])
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }
})

describe("a payout that shares a transaction with one that is cancelled", () => {
  it.effect("does not leave in its replacement while its tenant is suspended, and leaves after that", () => {
    const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 2 })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const queries = yield* Queries
      const { id } = yield* payer("bitcoin", fake)
      const first = yield* pay(id, "bitcoin", 1)
      const other = yield* pay(id, "bitcoin", 2)
      const at = yield* once("sign.before", submit(id, setTenantStatus("SUSPENDED")))
      yield* Effect.forkScoped(sending(fake, at))
      for (let n = 0; n < 8; n++) yield* tick
      const [transaction] = yield* queries.records(id, OutboundTransaction)
      assert.lengthOf(transaction?.payments ?? [], 2)
      assert.strictEqual(yield* cancel(id, first), "trying")
      yield* mineFor(fake, 60)
      assert.strictEqual(timesPaid(fake, receiver("bitcoin", 2)), 0)
      yield* submit(id, setTenantStatus("ACTIVE"))
      yield* mineUntil(fake, "both are over", allOver(id, [first, other]))
      yield* mineFor(fake, 30)
      yield* endedOnce(fake, id, first, 1)
      assert.strictEqual((yield* statesOf(id, [other]))[0]?.status, "SETTLED")
      assert.strictEqual(timesPaid(fake, receiver("bitcoin", 2)), 1)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})

describe("a payout that leaves by a replacement for the first time", () => {
  for (const place of ["replacement.built", "replacement.signed"] as const) {
    it.effect(`is not sent where its tenant is suspended while that is signed, and is sent after (at ${place})`, () => {
      const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 2 })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer("bitcoin", fake)
        const first = yield* pay(id, "bitcoin", 1)
        const other = yield* pay(id, "bitcoin", 2)
        const suspend = submit(id, setTenantStatus("SUSPENDED"))
        const early = yield* once("sign.before", suspend)
        const late = yield* once(place, suspend)
        yield* Effect.forkScoped(sending(fake, (at) => Effect.andThen(early(at), late(at))))
        for (let n = 0; n < 8; n++) yield* tick
        assert.strictEqual(yield* cancel(id, first), "trying")
        const signed = fake.signed()
        yield* submit(id, setTenantStatus("ACTIVE"))
        for (let n = 0; n < 20; n++) yield* tick
        assert.isAbove(fake.signed(), signed, "the replacement was signed")
        yield* mineFor(fake, 60)
        assert.strictEqual(timesPaid(fake, receiver("bitcoin", 2)), 0)
        assert.deepStrictEqual(fake.waiting(), [])
        yield* submit(id, setTenantStatus("ACTIVE"))
        yield* mineUntil(fake, "both are over", allOver(id, [first, other]))
        yield* mineFor(fake, 30)
        yield* endedOnce(fake, id, first, 1)
        assert.strictEqual(timesPaid(fake, receiver("bitcoin", 2)), 1)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }
})

describe("a payout that was signed, and whose worker died before it sent it", () => {
  it.effect("is not sent while its tenant is suspended, and is sent after that", () => {
    const fake = fakeNetwork({ network: "ethereum" })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      const made = yield* pay(id, "ethereum", 1)
      const stored = yield* Deferred.make<void>()
      const at = yield* once("broadcast.before", Effect.andThen(Deferred.succeed(stored, undefined), Effect.never))
      const worker = yield* Effect.forkScoped(sending(fake, at))
      yield* Deferred.await(stored)
      yield* Fiber.interrupt(worker)
      yield* submit(id, setTenantStatus("SUSPENDED"))
      yield* Effect.forkScoped(sending(fake))
      yield* mineFor(fake, 60)
      assert.deepStrictEqual(fake.waiting(), [])
      assert.strictEqual(timesPaid(fake, receiver("ethereum", 1)), 0)
      yield* submit(id, setTenantStatus("ACTIVE"))
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      assert.strictEqual(timesPaid(fake, receiver("ethereum", 1)), 1)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  for (const network of networks) {
    it.effect(`is never sent once the key of its request is revoked, and gives back what it held (${network})`, () => {
      const fake = fakeNetwork({ network })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer(network, fake)
        const key = apiKeyFields()
        yield* submit(id, addApiKey(key))
        yield* submit(id, addSigningKey({ apiKeyId: key.id, keyid: "k", publicKey: "p" }))
        const before = yield* free(id)
        const made = yield* pay(id, network, 1)
        const stored = yield* Deferred.make<void>()
        const at = yield* once("broadcast.before", Effect.andThen(Deferred.succeed(stored, undefined), Effect.never))
        const worker = yield* Effect.forkScoped(sending(fake, at))
        yield* Deferred.await(stored)
        yield* Fiber.interrupt(worker)
        yield* submit(id, revokeSigningKey("k", null))
        yield* Effect.forkScoped(sending(fake))
        yield* mineFor(fake, 60)
        assert.deepStrictEqual(fake.waiting(), [])
        assert.strictEqual(timesPaid(fake, receiver(network, 1)), 0)
        assert.strictEqual(yield* cancel(id, made), "trying")
        yield* mineUntil(fake, "it is over", allOver(id, [made]))
        yield* mineFor(fake, 30)
        assert.strictEqual((yield* statesOf(id, [made]))[0]?.status, "FAILED")
        assert.strictEqual(timesPaid(fake, receiver(network, 1)), 0)
        assert.deepStrictEqual(yield* free(id), before)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }
})

describe("a payout that was replaced as often as one may be", () => {
  it.effect("is replaced once more where it is cancelled", () => {
    const fake = fakeNetwork({ network: "ethereum" })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      const made = yield* pay(id, "ethereum", 1)
      yield* Effect.forkScoped(sending(fake, undefined, { replacementsMax: 0 }))
      for (let n = 0; n < 8; n++) yield* tick
      assert.lengthOf(fake.waiting(), 1)
      assert.strictEqual(yield* cancel(id, made), "trying")
      for (let n = 0; n < 30; n++) yield* tick
      assert.deepStrictEqual(
        fake.waiting().map(({ payments }) => payments),
        [[]]
      )
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      yield* endedOnce(fake, id, made, 1)
      assert.strictEqual((yield* statesOf(id, [made]))[0]?.status, "FAILED")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
