import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { keptSignatures } from "@bursar/core/payout/keptSignatures"
import { Payout } from "@bursar/core/payout/Payout"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { VaultError } from "@bursar/core/port/Vault"
import { Queries } from "@bursar/core/store/Queries"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { mineFor } from "./stumbling.ts"
import { ledgerHolds, operationsOf, pay, payer, processOver, receiver, sending, submit, timesPaid } from "./world.ts"

/** A payout of which the database forgot that a batch of two payouts, which spends two outputs, was signed and sent for it before. */
const forgotten = Effect.fnUntraced(function* (fake: FakeSender, besides = false) {
  yield* TestClock.setTime(1_700_000_000_000)
  const queries = yield* Queries
  const signer = yield* TransactionSigner
  const { id, wallet } = yield* payer("bitcoin", fake, 3)
  const made = yield* Effect.forEach([1, 2], (n) => pay(id, "bitcoin", n))
  const coins = (yield* queries.records(id, WalletUtxo, wallet.id)).map(({ address, txHash, units, vout }) => ({
    address,
    txHash,
    units,
    vout
  }))
  const sign = Effect.fnUntraced(function* (paid: ReadonlyArray<number>, utxos: typeof coins) {
    const { bytes: unsigned } = yield* fake.sender.build({
      from: wallet.address,
      guard: { _tag: "Utxos", utxos },
      payments: paid.map((n) => ({ to: receiver("bitcoin", n), contract: null, units: 10_000n, memo: null })),
      drain: false,
      replacing: null,
      salt: 7,
      validUntil: (yield* Clock.currentTimeMillis) + 600_000
    })
    const payouts = made.filter((_, index) => paid.includes(index + 1))
    const requests = requestsFor(yield* operationsOf(id, payouts))
    return yield* signer.sign({ tenantId: id, network: "bitcoin", unsigned, signers: [], own: [], requests })
  })
  // another one that spends the same output, and was never sent, was signed before that
  if (besides) yield* sign([3], coins.slice(0, 1))
  const { hash, raw } = yield* sign([1, 2], coins.slice(0, 2))
  yield* fake.sender.broadcast(raw)
  const [first] = made
  const payout = first && (yield* queries.record(id, Payout, first.id))
  if (first === undefined || payout === undefined) return assert.fail("no payout")
  return { id, wallet, coins, first, payout, hash }
})

/** Such a payout, which is reserved anew with one of these outputs. */
const reservedAgain = Effect.fnUntraced(function* (fake: FakeSender, besides = false) {
  const { coins, payout, wallet, ...rest } = yield* forgotten(fake, besides)
  const guard = { _tag: "Utxos", utxos: coins.slice(0, 1), fee: 500n } as const
  const transaction = yield* submit(rest.id, reservePayouts({ wallet, payouts: [payout], guard }, presetNetworks))
  return { ...rest, transaction: transaction ?? assert.fail("nothing was reserved") }
})

/** Fails where a payout was not paid once, or does not wait for an operator with what has paid it. */
const waitsSigned = Effect.fnUntraced(function* (
  fake: FakeSender,
  { first, hash, id }: Pick<Effect.Success<ReturnType<typeof forgotten>>, "first" | "hash" | "id">
) {
  assert.strictEqual(timesPaid(fake, receiver("bitcoin", 1)), 1)
  const payout = yield* (yield* Queries).record(id, Payout, first.id)
  assert.strictEqual((yield* operationsOf(id, [first]))[0]?.status, "IN_REVIEW")
  assert.strictEqual(payout?.waits?.reason, "signed_before")
  assert.include(payout?.waits?.detail, hash)
  yield* ledgerHolds(id)
})

describe("a payout that the signer has signed for in a batch of which nothing is stored", () => {
  it.effect("is not cancelled while that batch, which shares an output with it, may pay it", () => {
    const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 5 })
    return Effect.gen(function* () {
      const { first, hash, id, transaction } = yield* reservedAgain(fake)
      const requests = requestsFor(yield* operationsOf(id, [first]))
      const signer = yield* TransactionSigner
      const signed = yield* signer.signed({ tenantId: id, network: "bitcoin", guard: transaction.guard, requests })
      assert.deepStrictEqual(
        signed.map(({ guardToo, hash, shares }) => ({ guardToo, hash, shares })),
        [{ guardToo: true, hash, shares: "requests" }]
      )
      const payout = (yield* (yield* Queries).record(id, Payout, first.id)) ?? assert.fail("no payout")
      const askedAt = yield* Clock.currentTimeMillis
      const kept = keptSignatures(signed)
      const cancelling = { payout, transaction, kept, askedAt, by: "ann", currencies: defaultCurrencies }
      const refusal = yield* Effect.flip(submit(id, cancelPayout(cancelling)))
      assert.deepInclude(refusal, { _tag: "Refusal", code: "state_conflict" })
      assert.include(refusal.message, hash)
      fake.mine(yield* Clock.currentTimeMillis)
      assert.strictEqual(timesPaid(fake, receiver("bitcoin", 1)), 1)
      assert.strictEqual((yield* operationsOf(id, [first]))[0]?.status, "PROCESSING")
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  for (const besides of [false, true])
    it.effect(
      `waits for an operator where its receiver is refused now, and is not given back${besides ? ", though another one that it shares the output with came first" : ""}`,
      () => {
        const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 5 })
        return Effect.gen(function* () {
          const reserved = yield* reservedAgain(fake, besides)
          fake.refuse(receiver("bitcoin", 1), "built")
          yield* Effect.forkScoped(sending(fake))
          yield* mineFor(fake, 5)
          yield* waitsSigned(fake, reserved)
        }).pipe(Effect.provide(processOver(emptyState(), fake)))
      }
    )

  it.effect("waits for an operator where its receiver is refused before it is reserved anew", () => {
    const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 5 })
    return Effect.gen(function* () {
      const payout = yield* forgotten(fake)
      fake.refuse(receiver("bitcoin", 1), "asked")
      yield* Effect.forkScoped(sending(fake))
      yield* mineFor(fake, 5)
      yield* waitsSigned(fake, payout)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("is tried again while the signer cannot tell whether it has, and fails once it has not", () => {
    const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 5 })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("bitcoin", fake, 3)
      const made = yield* pay(id, "bitcoin", 1)
      fake.refuse(receiver("bitcoin", 1), "asked")
      const signer = yield* TransactionSigner
      let isThere = false
      const away: typeof signer = {
        ...signer,
        signed: (of) =>
          Effect.suspend(() =>
            isThere ? signer.signed(of) : Effect.fail(new VaultError({ doing: "sign", reason: "it is away" }))
          )
      }
      yield* Effect.forkScoped(sending(fake).pipe(Effect.provideService(TransactionSigner, away)))
      yield* mineFor(fake, 5)
      const payout = yield* (yield* Queries).record(id, Payout, made.id)
      assert.strictEqual(payout?.waits?.reason, "signer_unreachable")
      assert.strictEqual((yield* operationsOf(id, [made]))[0]?.status, "ACCEPTED")
      isThere = true
      yield* mineFor(fake, 10)
      assert.strictEqual((yield* operationsOf(id, [made]))[0]?.status, "FAILED")
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
