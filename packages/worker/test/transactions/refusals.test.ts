import { setTenantStatus } from "@bursar/core/access/tenantCommands"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { Payout } from "@bursar/core/payout/Payout"
import { reviewOperation } from "@bursar/core/review/reviewOperation"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import type { Place } from "@bursar/testkit/fixtures/Places"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { requestsFor } from "@bursar/core/payout/requestsFor"
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
  type Tested,
  tick,
  timesPaid
} from "./world.ts"

const network = "ethereum"
const nobodyAsked = { reason: "nobody asked for it" }

const standing = Effect.fnUntraced(function* (tenantId: TenantId, { id }: Operation) {
  const queries = yield* Queries
  const [payout, operation] = [yield* queries.record(tenantId, Payout, id), yield* queries.operation(tenantId, id)]
  return [operation?.status, payout?.waits?.reason, payout?.waits?.detail]
})

const held = ["IN_REVIEW", "signing_refused", nobodyAsked.reason]

const approve = Effect.fnUntraced(function* (tenantId: TenantId, { id }: Operation) {
  const operation = yield* (yield* Queries).operation(tenantId, id)
  if (operation === undefined) return assert.fail("there is no such operation")
  return yield* submit(
    tenantId,
    reviewOperation({ operation, verdict: "APPROVE", by: "ann", reason: null, currencies: defaultCurrencies })
  )
})

const outcomes = (tenantId: TenantId) =>
  Effect.map(
    Effect.flatMap(Queries, (queries) => queries.records(tenantId, OutboundTransaction)),
    (all) => all.map(({ outcome, purpose }) => `${purpose} ${outcome}`).toSorted()
  )

const mineFor = Effect.fnUntraced(function* (fake: FakeSender, seconds: number) {
  for (let left = seconds; left > 0; left--) {
    fake.mine(yield* Clock.currentTimeMillis)
    yield* tick
  }
})

const world = (fake: FakeSender) => processOver(emptyState(), fake)

describe("a payout that the signer refuses for good", () => {
  it.effect(
    "waits for an operator with the reason, takes no number meanwhile, and goes on with the operator's word",
    () => {
      const fake = fakeNetwork({ network })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer(network, fake)
        fake.refuseToSign(receiver(network, 1), nobodyAsked)
        yield* Effect.forkScoped(sending(fake))
        const refused = yield* pay(id, network, 1)
        yield* tick
        yield* tick
        assert.deepStrictEqual(yield* standing(id, refused), held)
        const honest = yield* pay(id, network, 2)
        yield* mineUntil(fake, "the other is paid", allOver(id, [honest]))
        yield* mineFor(fake, 120)
        // nothing but the honest one, with the first number: no try since, and no fee
        assert.deepStrictEqual(
          fake.chain().map(({ payments }) => payments.map(({ to }) => to)),
          [[receiver(network, 2)]]
        )
        assert.deepStrictEqual(yield* outcomes(id), ["PAYOUT done", "PAYOUT released"])
        yield* approve(id, refused)
        yield* tick
        yield* tick
        assert.deepStrictEqual(yield* standing(id, refused), held)
        fake.refuseToSign(receiver(network, 1), null)
        yield* approve(id, refused)
        yield* mineUntil(fake, "it is paid", allOver(id, [refused]))
        assert.strictEqual((yield* operationsOf(id, [refused]))[0]?.status, "SETTLED")
        assert.strictEqual(fake.chain().length, 2)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(world(fake)))
    }
  )

  it.effect("gives its number back, also where many are refused together", () => {
    const fake = fakeNetwork({ network })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer(network, fake)
      const refused: Array<Operation> = []
      for (let n = 0; n < 6; n++) {
        fake.refuseToSign(receiver(network, n), nobodyAsked)
        refused.push(yield* pay(id, network, n))
      }
      yield* Effect.forkScoped(sending(fake))
      yield* mineFor(fake, 30)
      for (const one of refused) assert.deepStrictEqual(yield* standing(id, one), held)
      assert.deepStrictEqual(fake.chain(), [])
      const honest = yield* pay(id, network, 9)
      yield* mineUntil(fake, "the honest one is paid", allOver(id, [honest]))
      assert.strictEqual(fake.chain().length, 1)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(world(fake)))
  })

  it.effect("costs one fee at most where others came after its number", () => {
    const fake = fakeNetwork({ network })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer(network, fake)
      fake.refuseToSign(receiver(network, 1), nobodyAsked)
      const made = [yield* pay(id, network, 1), yield* pay(id, network, 2), yield* pay(id, network, 3)]
      yield* Effect.forkScoped(sending(fake))
      yield* mineUntil(fake, "the others are paid", allOver(id, made.slice(1)))
      yield* mineFor(fake, 120)
      assert.deepStrictEqual(yield* outcomes(id), ["CANCEL done", "PAYOUT done", "PAYOUT done"])
      assert.strictEqual(fake.chain().length, 3)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(world(fake)))
  })
})

describe("a payout that the signer refuses for a time", () => {
  it.effect("is tried again when that is over, and not before", () => {
    const fake = fakeNetwork({ network })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer(network, fake)
      fake.refuseToSign(receiver(network, 1), { reason: "the limit is reached", retryAfterMs: 100_000 })
      yield* Effect.forkScoped(sending(fake))
      const made = yield* pay(id, network, 1)
      yield* mineFor(fake, 2)
      fake.refuseToSign(receiver(network, 1), null)
      yield* mineFor(fake, 90)
      assert.deepStrictEqual(yield* standing(id, made), ["PROCESSING", "signing_refused", "the limit is reached"])
      yield* mineUntil(fake, "it is paid", allOver(id, [made]))
      assert.strictEqual(fake.chain().length, 1)
    }).pipe(Effect.provide(world(fake)))
  })
})

describe("a signature that got lost before it was stored", () => {
  for (const tested of ["ethereum", "tron", "stellar", "bitcoin"] as const satisfies ReadonlyArray<Tested>) {
    it.effect(
      `is kept while its tenant is suspended, then sent instead of being given up, and pays once (${tested})`,
      () => {
        const fake = fakeNetwork({ network: tested })
        const state = emptyState()
        let armed = true
        const crash = (place: Place) =>
          Effect.suspend(() => {
            if (!armed || place !== "sign.after") return Effect.void
            armed = false
            return Effect.never
          })
        return Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          const { id } = yield* payer(tested, fake)
          const first = yield* Effect.forkScoped(Effect.provide(sending(fake, crash), processOver(state, fake)))
          const made = yield* pay(id, tested, 1)
          for (let n = 0; n < 5; n++) yield* tick
          // it dies with the answer
          yield* Fiber.interrupt(first)
          assert.strictEqual(fake.signed(), 1)
          // whoever releases it now would have it paid by bytes that somebody may still broadcast, and whoever sends them pays for a suspended tenant
          yield* submit(id, setTenantStatus("SUSPENDED"))
          yield* Effect.forkScoped(Effect.provide(sending(fake), processOver(state, fake)))
          yield* mineFor(fake, 20)
          assert.strictEqual(timesPaid(fake, receiver(tested, 1)), 0)
          assert.deepStrictEqual(yield* outcomes(id), ["PAYOUT null"])
          yield* submit(id, setTenantStatus("ACTIVE"))
          yield* mineUntil(fake, "it is over", allOver(id, [made]))
          assert.strictEqual((yield* operationsOf(id, [made]))[0]?.status, "SETTLED")
          assert.strictEqual(timesPaid(fake, receiver(tested, 1)), 1)
          assert.strictEqual(fake.signed(), 1)
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(processOver(state, fake)))
      }
    )
  }
})

describe("a replacement of which the database knows nothing any more", () => {
  it.effect("settles the payout that it paid, instead of being taken for a stranger's", () => {
    const fake = fakeNetwork({ network })
    const state = emptyState()
    const crash = (place: Place) => (place === "replacement.signed" ? Effect.never : Effect.void)
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer(network, fake)
      const first = yield* Effect.forkScoped(Effect.provide(sending(fake, crash), processOver(state, fake)))
      const made = yield* pay(id, network, 1)
      for (let n = 0; n < 40; n++) yield* tick
      yield* Fiber.interrupt(first)
      assert.strictEqual(fake.signed(), 2)
      const [transaction] = yield* (yield* Queries).records(id, OutboundTransaction)
      const [operation] = yield* operationsOf(id, [made])
      assert.strictEqual(transaction?.hashes.length, 1)
      if (transaction === undefined || operation === undefined) return assert.fail("nothing was sent")
      const of = { tenantId: id, network, guard: transaction.guard, requests: requestsFor([operation]) } as const
      const lost = (yield* (yield* TransactionSigner).signed(of)).at(-1)
      if (lost === undefined) return assert.fail("nothing was signed")
      // it was sent before the database was restored
      yield* fake.sender.broadcast(lost.raw)
      for (let blocks = 0; blocks < 5; blocks++) fake.mine(yield* Clock.currentTimeMillis)
      yield* Effect.forkScoped(Effect.provide(sending(fake), processOver(state, fake)))
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      assert.strictEqual(timesPaid(fake, receiver(network, 1)), 1)
      assert.deepInclude((yield* operationsOf(id, [made]))[0], { status: "SETTLED", txHash: lost.hash })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(state, fake)))
  })
})
