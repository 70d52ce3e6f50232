import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { Operation } from "@bursar/core/operation/Operation"
import { wasTold } from "@bursar/core/payout/holdSignedBefore"
import { Payout } from "@bursar/core/payout/Payout"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { orderOf } from "../../src/transactions/orderOf.ts"
import { fakeNetwork } from "../fakeNetwork.ts"
import { always, cancel, mineFor } from "./stumbling.ts"
import {
  ledgerHolds,
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

/** Some payouts, and what signs for them so that the database knows nothing of it. */
const restored = Effect.fnUntraced(function* (fake: FakeSender, count: number) {
  yield* TestClock.setTime(1_700_000_000_000)
  const queries = yield* Queries
  const signer = yield* TransactionSigner
  const { id, wallet } = yield* payer("bitcoin", fake, 4)
  const made = yield* Effect.forEach(
    Array.from({ length: count }, (_, n) => n + 1),
    (n) => pay(id, "bitcoin", n)
  )
  const coins = (yield* queries.records(id, WalletUtxo, wallet.id)).map(({ address, txHash, units, vout }) => ({
    address,
    txHash,
    units,
    vout
  }))
  /** Signs for the payout to a receiver with one coin, in place of what is known. */
  const sign = Effect.fnUntraced(function* (n: number, coin: number, salt = n, known: ReadonlyArray<string> = []) {
    const { bytes: unsigned } = yield* fake.sender.build({
      from: wallet.address,
      guard: { _tag: "Utxos", utxos: coins.slice(coin, coin + 1) },
      payments: [{ to: receiver("bitcoin", n), contract: null, units: 10_000n, memo: null }],
      drain: false,
      replacing: null,
      salt,
      validUntil: (yield* Clock.currentTimeMillis) + 600_000
    })
    const requests = requestsFor(yield* operationsOf(id, made.slice(n - 1, n)))
    return yield* signer.sign({ tenantId: id, network: "bitcoin", unsigned, signers: [], own: [], requests, known })
  })
  const payouts = Effect.forEach(made, (one) =>
    Effect.map(queries.record(id, Payout, one.id), (payout) => payout ?? assert.fail("no payout"))
  )
  /** Puts them all into one outbound transaction. */
  const reserve = Effect.gen(function* () {
    const guard = { _tag: "Utxos", utxos: coins.slice(0, 2), fee: 500n } as const
    const batch = reservePayouts({ wallet, payouts: yield* payouts, guard }, presetNetworks)
    return (yield* submit(id, batch)) ?? assert.fail("nothing was reserved")
  })
  const statuses = Effect.map(operationsOf(id, made), (all) => all.map(({ status }) => status))
  return { id, payouts, reserve, sign, statuses }
})

describe("a payout that the signer has signed for in transactions of which nothing is stored", () => {
  it.effect("waits with each of them: the first never came to be, and the one in its place has paid it", () => {
    const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 5 })
    return Effect.gen(function* () {
      const { id, payouts, sign, statuses } = yield* restored(fake, 1)
      const one = yield* sign(1, 0)
      const two = yield* sign(1, 0, 8, [one.hash])
      yield* fake.sender.broadcast(two.raw)
      fake.refuse(receiver("bitcoin", 1), "asked")
      yield* Effect.forkScoped(sending(fake))
      yield* mineFor(fake, 5)
      assert.strictEqual(timesPaid(fake, receiver("bitcoin", 1)), 1)
      assert.deepStrictEqual(yield* statuses, ["IN_REVIEW"])
      const [payout = assert.fail("no payout")] = yield* payouts
      assert.isTrue(wasTold(payout, [one.hash, two.hash]))
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("waits with what may have paid it, and not with what may have paid another of its batch", () => {
    const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 5 })
    return Effect.gen(function* () {
      const { id, payouts, reserve, sign, statuses } = yield* restored(fake, 2)
      const one = yield* sign(1, 0)
      const two = yield* sign(2, 1)
      yield* fake.sender.broadcast(two.raw)
      yield* reserve
      yield* Effect.forkScoped(sending(fake))
      yield* mineFor(fake, 10)
      assert.deepStrictEqual(yield* statuses, ["IN_REVIEW", "IN_REVIEW"])
      assert.deepStrictEqual(
        (yield* payouts).map((payout) => [one, two].map(({ hash }) => wasTold(payout, [hash]))),
        [
          [true, false],
          [false, true]
        ]
      )
      assert.deepStrictEqual(
        [1, 2].map((n) => timesPaid(fake, receiver("bitcoin", n))),
        [0, 1]
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("leaves its batch alone: another payout that nothing was signed for is paid", () => {
    const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 5 })
    return Effect.gen(function* () {
      const { id, payouts, reserve, sign, statuses } = yield* restored(fake, 2)
      const { hash } = yield* sign(1, 0)
      yield* reserve
      yield* Effect.forkScoped(sending(fake))
      yield* mineFor(fake, 60)
      assert.deepStrictEqual(yield* statuses, ["IN_REVIEW", "SETTLED"])
      const [payout = assert.fail("no payout")] = yield* payouts
      assert.isTrue(wasTold(payout, [hash]))
      assert.deepStrictEqual(
        [1, 2].map((n) => timesPaid(fake, receiver("bitcoin", n))),
        [0, 1]
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})

/** Payouts that are signed and sent in one batch, which no node keeps, and what signs in its place so that the database knows nothing of it. */
const batched = Effect.fnUntraced(function* (fake: FakeSender, count: number) {
  yield* TestClock.setTime(1_700_000_000_000)
  const queries = yield* Queries
  const signer = yield* TransactionSigner
  const { id } = yield* payer("bitcoin", fake, 4)
  const made = yield* Effect.forEach(
    Array.from({ length: count }, (_, n) => n + 1),
    (n) => pay(id, "bitcoin", n)
  )
  fake.answers(always("drops"))
  const worker = yield* Effect.forkScoped(sending(fake))
  for (let n = 0; n < 5; n++) yield* tick
  yield* Fiber.interrupt(worker)
  const batch = Effect.map(
    queries.records(id, OutboundTransaction),
    ([transaction]) => transaction ?? assert.fail("no transaction")
  )
  const [first = assert.fail("no attempt")] = yield* queries.records(id, TransactionAttempt, (yield* batch).id)
  assert.strictEqual(first.pays.length, count)
  /** Signs what replaces something, to pay some of the payouts. */
  const replace = Effect.fnUntraced(function* (
    paid: ReadonlyArray<Operation>,
    replacing: Uint8Array,
    known: ReadonlyArray<string>
  ) {
    const order = orderOf(fake.sender, yield* batch, yield* Clock.currentTimeMillis, replacing)
    const { bytes: unsigned } = yield* fake.sender.build(order)
    const requests = requestsFor(yield* operationsOf(id, paid))
    return yield* signer.sign({ tenantId: id, network: "bitcoin", unsigned, signers: [], own: [], requests, known })
  })
  /** How all of it ends once the worker goes on. */
  const ended = Effect.gen(function* () {
    fake.answers([])
    yield* Effect.forkScoped(sending(fake))
    yield* mineFor(fake, 60)
    yield* ledgerHolds(id)
    return {
      statuses: (yield* operationsOf(id, made)).map(({ status }) => status),
      hashes: (yield* batch).hashes,
      paid: made.map((_, n) => timesPaid(fake, receiver("bitcoin", n + 1)))
    }
  })
  return { id, made, first, replace, ended }
})

describe("a batch of which the signer alone has replacements", () => {
  it.effect("takes over both, the one that was signed before a payout was cancelled and the one after that", () => {
    const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 5 })
    return Effect.gen(function* () {
      const { ended, first, id, made, replace } = yield* batched(fake, 2)
      const before = yield* replace(made, first.raw, [first.hash])
      assert.strictEqual(yield* cancel(id, made[0] ?? assert.fail("none")), "trying")
      const after = yield* replace(made.slice(1), before.raw, [first.hash, before.hash])
      const { hashes, paid, statuses } = yield* ended
      assert.deepStrictEqual(statuses, ["FAILED", "SETTLED"])
      assert.deepStrictEqual(hashes.slice(0, 3), [first.hash, before.hash, after.hash])
      assert.deepStrictEqual(paid, [0, 1])
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("takes over the one that was signed between two payouts that were cancelled", () => {
    const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 5 })
    return Effect.gen(function* () {
      const { ended, first, id, made, replace } = yield* batched(fake, 3)
      assert.strictEqual(yield* cancel(id, made[0] ?? assert.fail("none")), "trying")
      const between = yield* replace(made.slice(1), first.raw, [first.hash])
      assert.strictEqual(yield* cancel(id, made[1] ?? assert.fail("none")), "trying")
      const { hashes, paid, statuses } = yield* ended
      assert.deepStrictEqual(statuses, ["FAILED", "FAILED", "SETTLED"])
      assert.deepStrictEqual(hashes.slice(0, 2), [first.hash, between.hash])
      assert.deepStrictEqual(paid, [0, 0, 1])
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
