import type { Operation } from "@bursar/core/operation/Operation"
import { attachEvidence } from "@bursar/core/payout/attachEvidence"
import { PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import { Payout } from "@bursar/core/payout/Payout"
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
  allOver
} from "./world.ts"
import { always, cancel, mineFor, once, type Ports } from "./stumbling.ts"

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
        for (const one of made) {
          const payout = yield* queries.record(id, Payout, one.id)
          if (payout === undefined) return assert.fail("no payout")
          yield* submit(id, attachEvidence({ payout, txHash: "ab".repeat(32), note: "", by: "ann" }))
        }
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

  it.effect("may have paid all payouts of a batch: evidence of one of them does not end the others", () => {
    const plain = fakeNetwork({ network: "bitcoin", paymentsMax: 2 })
    const proof = { verdict: "PROVEN", detail: "it pays", fee: 10n } as const
    const fake: FakeSender = { ...plain, sender: { ...plain.sender, prove: () => Effect.succeed(proof) } }
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const queries = yield* Queries
      const { id } = yield* payer("bitcoin", fake)
      const made = yield* Effect.forEach([1, 2], (n) => pay(id, "bitcoin", n))
      const txHash = "ab".repeat(32)
      let isReserved = false
      const signer = yield* TransactionSigner
      const strange: typeof signer = {
        ...signer,
        signed: (of) =>
          Effect.map(signer.signed(of), (all) =>
            !isReserved
              ? all
              : [
                  ...all,
                  { hash: txHash, raw: new Uint8Array(), validUntil: null, feeMax: null, shares: "guard" } as const
                ]
          )
      }
      yield* Effect.forkScoped(sending(fake).pipe(Effect.provideService(TransactionSigner, strange)))
      for (let n = 0; n < 8; n++) yield* tick
      const [transaction] = yield* queries.records(id, OutboundTransaction)
      isReserved = true
      if (transaction === undefined) return assert.fail("nothing was reserved")
      fake.rival(transaction.guard, yield* Clock.currentTimeMillis)
      yield* mineFor(fake, 20)
      const given: Array<string> = [(yield* queries.records(id, OutboundTransaction))[0]?.problem ?? ""]
      for (const one of made) {
        const payout = yield* queries.record(id, Payout, one.id)
        if (payout === undefined) return assert.fail("no payout")
        given.push(
          yield* submit(id, attachEvidence({ payout, txHash, note: "it paid both", by: "ann" })).pipe(
            Effect.as("given"),
            Effect.catchTag("Refusal", ({ message }) => Effect.succeed(message))
          )
        )
        yield* mineFor(fake, 5)
      }
      yield* mineFor(fake, 60)
      assert.deepStrictEqual(
        [...given.slice(1), ...(yield* statesOf(id, made)).map(({ status }) => status)],
        ["given", "given", "SETTLED", "SETTLED"],
        given[0]
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
      let isReserved = false
      const signer = yield* TransactionSigner
      const lost = (hash: string) =>
        ({ hash, raw: new Uint8Array(), validUntil: null, feeMax: null, shares: "guard" }) as const
      const strange: typeof signer = {
        ...signer,
        signed: (of) => Effect.map(signer.signed(of), (all) => (isReserved ? [...all, lost(h1), lost(h2)] : all))
      }
      yield* Effect.forkScoped(sending(fake).pipe(Effect.provideService(TransactionSigner, strange)))
      for (let n = 0; n < 8; n++) yield* tick
      const [transaction] = yield* queries.records(id, OutboundTransaction)
      isReserved = true
      if (transaction === undefined) return assert.fail("nothing was reserved")
      fake.rival(transaction.guard, yield* Clock.currentTimeMillis)
      yield* mineFor(fake, 20)
      const told = (yield* queries.records(id, OutboundTransaction))[0]?.problem ?? ""
      const named = /[0-9a-f]{64}/u.exec(told)?.[0] ?? assert.fail("none named")
      const payout = yield* queries.record(id, Payout, made.id)
      if (payout === undefined) return assert.fail("no payout")
      yield* submit(id, attachEvidence({ payout, txHash: named, note: "as told", by: "ann" }))
      yield* mineFor(fake, 30)
      assert.deepStrictEqual([named === h1, (yield* statesOf(id, [made]))[0]?.status], [true, "SENT"], told)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
