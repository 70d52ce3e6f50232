import type { Operation } from "@bursar/core/operation/Operation"
import { PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import {
  ledgerHolds,
  operationsOf as statesOf,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  tick,
  timesPaid,
  mineUntil,
  allOver
} from "./world.ts"
import { always, cancel, give, mineFor, once, type Ports } from "./stumbling.ts"

const lostOf = Effect.fnUntraced(function* (id: TenantId, made: ReadonlyArray<Operation>) {
  const queries = yield* Queries
  const [transaction] = yield* queries.records(id, OutboundTransaction)
  if (transaction === undefined) return assert.fail("nothing was reserved")
  const operations = yield* statesOf(id, made)
  const signed = yield* (yield* TransactionSigner).signed({
    tenantId: id,
    network: transaction.network,
    guard: transaction.guard,
    requests: requestsFor(operations)
  })
  const lost = signed.find(({ hash }) => !transaction.hashes.includes(hash))
  return { transaction, lost: lost ?? assert.fail("nothing is lost") }
})

/** A worker that dies once the signer has a replacement. */
const dies = Effect.fnUntraced(function* (fake: FakeSender, ticks: number) {
  const died = yield* Deferred.make<void>()
  const at = yield* once("replacement.signed", Effect.andThen(Deferred.succeed(died, undefined), Effect.never))
  const worker = yield* Effect.forkScoped(sending(fake, at))
  for (let n = 0; n < ticks; n++) yield* tick
  yield* Deferred.await(died)
  yield* Fiber.interrupt(worker)
})

/** Bitcoin with batches of so many payouts, whose node proves whatever is given as evidence. */
const proving = (paymentsMax: number): FakeSender => {
  const plain = fakeNetwork({ network: "bitcoin", paymentsMax })
  const proof = { verdict: "PROVEN", detail: "it pays", fee: 10n } as const
  return { ...plain, sender: { ...plain.sender, prove: () => Effect.succeed(proof) } }
}

/**
 * A worker whose transaction is sent, and whose guard somebody else uses up. Then the signer remembers others under that guard, and an operator has
 * cancelled a payout, where one is named.
 */
const rivalled = Effect.fnUntraced(function* (
  fake: FakeSender,
  id: TenantId,
  hashes: ReadonlyArray<string>,
  cancelled?: Operation
) {
  let isReserved = false
  const signer = yield* TransactionSigner
  const remembered = hashes.map(
    (hash) => ({ hash, raw: new Uint8Array(), validUntil: null, feeMax: null, shares: "guard" }) as const
  )
  const strange: typeof signer = {
    ...signer,
    signed: (of) => Effect.map(signer.signed(of), (all) => (isReserved ? [...all, ...remembered] : all))
  }
  yield* Effect.forkScoped(sending(fake).pipe(Effect.provideService(TransactionSigner, strange)))
  for (let n = 0; n < 8; n++) yield* tick
  const [transaction] = yield* (yield* Queries).records(id, OutboundTransaction)
  if (transaction === undefined) return assert.fail("nothing was reserved")
  isReserved = true
  if (cancelled !== undefined) assert.strictEqual(yield* cancel(id, cancelled), "trying")
  fake.rival(transaction.guard, yield* Clock.currentTimeMillis)
})

describe("signatures that only the signer remembers", () => {
  it.effect("are found where another one was in a block before", () => {
    const fake = fakeNetwork({ network: "ethereum" })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const queries = yield* Queries
      const { id } = yield* payer("ethereum", fake)
      const made = yield* pay(id, "ethereum", 1)
      yield* dies(fake, 40)
      const { lost } = yield* lostOf(id, [made])
      // a second worker sees the first attempt in a block, and is stopped
      fake.mine(yield* Clock.currentTimeMillis)
      const seen = yield* Deferred.make<void>()
      const at2 = yield* once("status.stored", Effect.andThen(Deferred.succeed(seen, undefined), Effect.never))
      const second = yield* Effect.forkScoped(sending(fake, at2))
      for (let n = 0; n < 10; n++) yield* tick
      yield* Deferred.await(seen)
      yield* Fiber.interrupt(second)
      const [included] = yield* queries.records(id, OutboundTransaction)
      assert.strictEqual(included?.phase, "INCLUDED")
      fake.reorg(1, true)
      yield* fake.sender.broadcast(lost.raw)
      for (let n = 0; n < 4; n++) fake.mine(yield* Clock.currentTimeMillis)
      assert.strictEqual(timesPaid(fake, receiver("ethereum", 1)), 1)
      yield* Effect.forkScoped(sending(fake))
      yield* mineFor(fake, 5)
      const [after] = yield* queries.records(id, OutboundTransaction)
      const [op] = yield* statesOf(id, [made])
      assert.deepStrictEqual(
        {
          hashes: after?.hashes.length,
          phase: after?.phase,
          problem: after?.problem,
          status: op?.status,
          unresolved: op?.unresolved
        },
        { hashes: 2, phase: "FINAL", problem: null, status: "SETTLED", unresolved: false }
      )
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect(
    "are followed by evidence, whose cost is booked though the payout that was named first was not paid by it",
    () => {
      const plain = fakeNetwork({ network: "bitcoin", paymentsMax: 2 })
      const fake: FakeSender = {
        ...plain,
        sender: {
          ...plain.sender,
          prove: ({ to }) =>
            Effect.succeed(
              to === receiver("bitcoin", 2)
                ? ({ verdict: "PROVEN", detail: "it pays", fee: 10n } as const)
                : ({ verdict: "NOT_PROVEN", reason: "it does not pay" } as const)
            )
        }
      }
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const queries = yield* Queries
        const { id } = yield* payer("bitcoin", fake)
        const made = yield* Effect.forEach([1, 2], (n) => pay(id, "bitcoin", n))
        yield* Effect.forkScoped(sending(fake))
        for (let n = 0; n < 8; n++) yield* tick
        const [transaction] = yield* queries.records(id, OutboundTransaction)
        if (transaction === undefined) return assert.fail("nothing was reserved")
        for (const one of made) yield* give(id, one, "ab".repeat(32))
        fake.rival(transaction.guard, yield* Clock.currentTimeMillis)
        yield* mineUntil(fake, "over", allOver(id, made))
        const evidence = yield* Effect.forEach(made, ({ id: o }) => queries.records(id, PayoutEvidence, o))
        const ops = yield* statesOf(id, made)
        assert.deepStrictEqual(
          {
            st: ops.map(({ status }) => status),
            fee: evidence.flat().reduce((s, { fee }) => s + (fee ?? 0n), 0n),
            nf: ops[1]?.networkFee?.units
          },
          { st: ["FAILED", "SETTLED"], fee: 10n, nf: 10n }
        )
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )

  for (const [what, receivers, expected] of [
    ["all payouts of a batch: evidence of one of them does not end the others", [1, 2], ["SETTLED", "SETTLED"]],
    [
      "payouts to one receiver, of which one alone can be proven, whatever came first",
      [2, 1, 1],
      ["SETTLED", "SETTLED", "FAILED"]
    ]
  ] as const)
    it.effect(`may have paid ${what}`, () => {
      const fake = proving(receivers.length)
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer("bitcoin", fake)
        const made = yield* Effect.forEach(receivers, (n) => pay(id, "bitcoin", n))
        const txHash = "ab".repeat(32)
        yield* rivalled(fake, id, [txHash])
        yield* mineFor(fake, 20)
        for (const [index, one] of made.entries()) {
          assert.strictEqual(yield* give(id, one, txHash), expected[index] === "SETTLED" ? "given" : "state_conflict")
          // it is over once the last that can be proven is
          yield* mineFor(fake, index === made.length - 2 && made.length > 2 ? 0 : 5)
        }
        yield* mineFor(fake, 60)
        assert.deepStrictEqual<ReadonlyArray<string>>(
          (yield* statesOf(id, made)).map(({ status }) => status),
          expected
        )
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })

  it.effect("may have paid what others of the batch are cancelled beside: evidence of those does not end it", () => {
    const fake = proving(2)
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("bitcoin", fake)
      const made = yield* Effect.forEach([1, 2], (n) => pay(id, "bitcoin", n))
      const [cancelled, other] = made
      const txHash = "ab".repeat(32)
      yield* rivalled(fake, id, [txHash], cancelled)
      yield* mineFor(fake, 20)
      assert.strictEqual(yield* give(id, cancelled!, txHash), "given")
      yield* mineFor(fake, 20)
      assert.strictEqual((yield* statesOf(id, made))[1]?.status, "SENT")
      assert.strictEqual(yield* give(id, other!, txHash), "given")
      yield* mineFor(fake, 20)
      assert.deepStrictEqual(
        (yield* statesOf(id, made)).map(({ status }) => status),
        ["SETTLED", "SETTLED"]
      )
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("are given to no node where they pay what was cancelled meanwhile", () => {
    const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 2 })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const queries = yield* Queries
      const { id } = yield* payer("bitcoin", fake)
      const first = yield* pay(id, "bitcoin", 1)
      const other = yield* pay(id, "bitcoin", 2)
      fake.answers(always("drops"))
      yield* dies(fake, 60)
      const { lost } = yield* lostOf(id, [first, other])
      const sent: Array<Uint8Array> = []
      const watched: FakeSender = {
        ...fake,
        sender: {
          ...fake.sender,
          broadcast: (raw) =>
            Effect.suspend(() => {
              sent.push(raw)
              return fake.sender.broadcast(raw)
            })
        }
      }
      const signer = yield* TransactionSigner
      let state: string | undefined
      const ports = yield* Effect.context<Ports>()
      const strange: typeof signer = {
        ...signer,
        signed: (of) =>
          Effect.tap(signer.signed(of), () =>
            Effect.suspend(() =>
              state !== undefined
                ? Effect.void
                : Effect.orDie(
                    Effect.provideContext(
                      Effect.map(cancel(id, first), (got) => {
                        state = got
                      }),
                      ports
                    )
                  )
            )
          )
      }
      yield* Effect.forkScoped(sending(watched).pipe(Effect.provideService(TransactionSigner, strange)))
      for (let n = 0; n < 60; n++) yield* tick
      assert.strictEqual(state, "trying")
      const stored = (yield* queries.records(id, OutboundTransaction))[0]
      assert.isTrue(stored?.hashes.includes(lost.hash))
      const hex = (b: Uint8Array) => Buffer.from(b).toString("hex")
      assert.isFalse(
        sent.some((raw) => hex(raw) === hex(lost.raw)),
        "the lost replacement that pays what was cancelled was given to a node"
      )
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  for (const onChain of [false, true])
    it.effect(
      `are taken over where a payout of them was cancelled before they were looked for${onChain ? ", and one is on the chain" : ""}`,
      () => {
        const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 2 })
        return Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          const { id } = yield* payer("bitcoin", fake)
          const made = yield* Effect.forEach([1, 2], (n) => pay(id, "bitcoin", n))
          const [first = assert.fail("nothing was made")] = made
          fake.answers(always("drops"))
          yield* dies(fake, 60)
          const { lost } = yield* lostOf(id, made)
          assert.strictEqual(yield* cancel(id, first), "trying")
          fake.answers([])
          if (onChain) {
            yield* fake.sender.broadcast(lost.raw)
            yield* mineFor(fake, 10)
          }
          yield* Effect.forkScoped(sending(fake))
          yield* mineUntil(fake, "both are over", allOver(id, made))
          assert.deepStrictEqual(
            (yield* statesOf(id, made)).map(({ status }) => status),
            [onChain ? "SETTLED" : "FAILED", "SETTLED"]
          )
          const paid = [1, 2].map((n) => timesPaid(fake, receiver("bitcoin", n)))
          assert.deepStrictEqual(paid, [onChain ? 1 : 0, 1])
          const [transaction] = yield* (yield* Queries).records(id, OutboundTransaction)
          assert.include(transaction?.hashes ?? [], lost.hash)
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(processOver(emptyState(), fake)))
      }
    )

  it.effect("are all looked up before a payout fails, the newer one too", () => {
    const plain = fakeNetwork({ network: "ethereum" })
    const h1 = "a1".repeat(32),
      h2 = "b2".repeat(32)
    const fake: FakeSender = {
      ...plain,
      sender: {
        ...plain.sender,
        prove: ({ txHash }) =>
          Effect.succeed(
            txHash === h2
              ? ({ verdict: "PROVEN", detail: "it pays", fee: 10n } as const)
              : ({ verdict: "NOT_PROVEN", reason: "it is not on the chain" } as const)
          )
      }
    }
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const queries = yield* Queries
      const { id } = yield* payer("ethereum", fake)
      const made = yield* pay(id, "ethereum", 1)
      yield* rivalled(fake, id, [h1, h2])
      yield* mineFor(fake, 20)
      const told = (yield* queries.records(id, OutboundTransaction))[0]?.problem ?? ""
      const named = /[0-9a-f]{64}/u.exec(told)?.[0] ?? assert.fail("none named")
      yield* give(id, made, named)
      yield* mineFor(fake, 30)
      assert.deepStrictEqual([named === h1, (yield* statesOf(id, [made]))[0]?.status], [true, "SENT"], told)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
