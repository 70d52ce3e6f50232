import { setTenantPolicy } from "@bursar/core/access/tenantCommands"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { Operation } from "@bursar/core/operation/Operation"
import { failPayout } from "@bursar/core/payout/deferPayout"
import { askLeaving, leavingConditions, leavingOf } from "@bursar/core/payout/mayPayoutLeave"
import type { Payout } from "@bursar/core/payout/Payout"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import { purposes } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { beginSigning } from "@bursar/core/transaction/beingSigned"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { recordBroadcast } from "@bursar/core/transaction/recordBroadcast"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  accepted,
  ledgerHolds,
  next,
  payer,
  reserved,
  signed,
  stateOf,
  store,
  submit,
  transactionOf,
  usdt,
  walletOf,
  withStatus
} from "./world.ts"

const through = presetNetworks.of("ethereum")

const payoutOf = (id: TenantId, operation: Operation) => Effect.map(stateOf(id, operation.id), ({ payout }) => payout)

/** The operations that a transaction pays which is reserved for some payouts as they were read; null where there is none. */
const paidBy = Effect.fnUntraced(function* (id: TenantId, wallet: PayoutWallet, payouts: ReadonlyArray<Payout>) {
  const now = yield* walletOf(id, wallet.id)
  const made = yield* submit(id, reservePayouts({ wallet, payouts, guard: next(now) }, presetNetworks))
  return made === null ? null : made.payments.map(({ operationId }) => operationId)
})

/** More money of the tenant that does not stand in its wallet. */
const inTheBank = (id: TenantId) =>
  submit(id, adjustFloat({ amount: of(5_000_000_000n, "USDT_ETH"), against: "bank", reason: "funded" }))

/** A payout that was sent and is proven to have expired. */
const expired = Effect.gen(function* () {
  const { id, wallet } = yield* payer()
  const operation = yield* accepted(id)
  const transaction = yield* signed(id, yield* reserved(id, wallet, [operation]), "0x1")
  const answer = { _tag: "Accepted" } as const
  yield* submit(id, recordBroadcast({ transaction, hash: "0x1", answer, nextAt: 1_000, purposes }))
  const sent = yield* transactionOf(id, transaction.id)
  yield* withStatus(id, sent, { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "" })
  return { id, wallet, operation }
})

const large = (units: bigint) => ({ order: usdt({ units }), defaultFees: [] })

const unlimited = {
  payoutLimitUsd: null,
  payoutDailyLimitUsd: null,
  payoutNewAddressLimitUsd: null,
  payoutReviewUsd: null
}

describe("a transaction that is made for payouts", () => {
  it.effect("commit what the network is expected to take from their reservation on, and then what was signed for", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const payout = yield* payoutOf(id, yield* accepted(id))
      const command = reservePayouts({ wallet, payouts: [payout], guard: next(wallet), fee: 7n }, presetNetworks)
      const made = yield* submit(id, command)
      const native = Effect.map(walletOf(id, wallet.id), ({ committed }) =>
        committed.filter(({ contract }) => contract === null).map(({ units }) => units)
      )
      assert.deepStrictEqual(yield* native, [7n])
      yield* ledgerHolds(id)
      const { feeMax } = yield* signed(id, made ?? assert.fail("nothing was reserved"), "0x1")
      assert.deepStrictEqual(yield* native, feeMax === 0n ? [] : [feeMax])
      const other = yield* payoutOf(id, yield* accepted(id))
      const now = yield* walletOf(id, wallet.id)
      const wrong = reservePayouts({ wallet: now, payouts: [other], guard: next(now), fee: -7n }, presetNetworks)
      assert.strictEqual((yield* submit(id, wrong))?.feeMax, 0n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("leaves out what waits for people, and pays the others, each once", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({ payoutReviewUsd: "50" })
      const inReview = yield* payoutOf(id, yield* accepted(id))
      const small = yield* payoutOf(id, yield* accepted(id, large(1_000_000n)))
      assert.deepStrictEqual(yield* paidBy(id, wallet, [inReview, small, small]), [small.operationId])
      assert.isNull(yield* paidBy(id, wallet, [inReview]))
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is none where nothing may leave, and nothing is written then", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const payout = yield* payoutOf(id, yield* accepted(id))
      assert.isNull(yield* paidBy(id, wallet, []))
      yield* submit(id, setTenantPolicy({ payoutsEnabled: false }))
      assert.isNull(yield* paidBy(id, wallet, [payout]))
      assert.deepStrictEqual(yield* (yield* Queries).records(id, OutboundTransaction), [])
      assert.deepInclude(yield* walletOf(id, wallet.id), { openTransactions: 0, nextSequence: null })
      yield* submit(id, setTenantPolicy({ payoutsEnabled: true }))
      const nobodys = { ...wallet, id: "nowhere" }
      const guard = next(wallet)
      assert.isNull(yield* submit(id, reservePayouts({ wallet: nobodys, payouts: [payout], guard }, presetNetworks)))
      assert.deepStrictEqual(yield* paidBy(id, wallet, [payout]), [payout.operationId])
    }).pipe(Effect.provide(store))
  )

  it.effect("never pays what is in another, has failed, or is for another network", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const [taken, failed] = [yield* payoutOf(id, yield* accepted(id)), yield* payoutOf(id, yield* accepted(id))]
      assert.deepStrictEqual(yield* paidBy(id, wallet, [taken]), [taken.operationId])
      yield* submit(id, failPayout({ payout: failed, reason: "destination_invalid", currencies }))
      assert.isNull(yield* paidBy(id, wallet, [taken, failed]))
      const other = yield* payer({}, "base")
      const elsewhere = yield* payoutOf(id, yield* accepted(id))
      const guard = next(other.wallet)
      const onBase = reservePayouts(
        { wallet: { ...wallet, network: "base" }, payouts: [elsewhere], guard },
        presetNetworks
      )
      assert.isNull(yield* submit(id, onBase))
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("pays only what the wallet covers together, to the last unit, in their order", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer(unlimited)
      yield* inTheBank(id)
      const payouts = yield* Effect.forEach([600n, 500n, 400n, 1n], (units) =>
        Effect.flatMap(accepted(id, large(units * 1_000_000n)), (operation) => payoutOf(id, operation))
      )
      const [first, , third] = payouts.map(({ operationId }) => operationId)
      assert.deepStrictEqual((yield* paidBy(id, wallet, payouts))?.map(String), [first, third])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("pays again what was sent and is proven to have expired", () =>
    Effect.gen(function* () {
      const { id, operation, wallet } = yield* expired
      const waiting = yield* stateOf(id, operation.id)
      assert.strictEqual(waiting.operation.status, "SENT")
      assert.deepStrictEqual(yield* paidBy(id, wallet, [waiting.payout]), [operation.id])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})

describe("a payout that was sent before and has to wait for people", () => {
  it.effect("cannot be reviewed: it is flagged, waits, and is in no queue and no transaction", () =>
    Effect.gen(function* () {
      const { id, operation, wallet } = yield* expired
      const again = yield* reserved(id, wallet, [operation], next(yield* walletOf(id, wallet.id)))
      const outcome = { _tag: "Hold", reason: "strange", detail: "somebody has written it" } as const
      yield* submit(id, releaseTransaction({ transaction: again, outcome, purposes, currencies }))
      const { operation: held, payout } = yield* stateOf(id, operation.id)
      assert.deepInclude(held, { status: "SENT", unresolved: true })
      assert.deepInclude(held.details.waits, { reason: "strange", detail: "somebody has written it" })
      assert.deepInclude(payout.waits, { reason: "strange", tries: 1 })
      assert.isNull(payout.transactionId)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})

describe("whether a payout may leave", () => {
  it.effect("is asked of the wallet: it covers what is in no transaction, and what is in one has its own", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer(unlimited)
      yield* inTheBank(id)
      const [one, other] = [yield* accepted(id, large(1_000_000_000n)), yield* accepted(id, large(1_000_000_000n))]
      const reasonOf = Effect.fnUntraced(function* (operation: Operation) {
        const payout = leavingOf(yield* payoutOf(id, operation))
        return (yield* submit(id, askLeaving([payout], through))).get(operation.id)?.reason
      })
      assert.deepStrictEqual([yield* reasonOf(one), yield* reasonOf(other)], [undefined, undefined])
      yield* reserved(id, wallet, [one])
      assert.deepStrictEqual([yield* reasonOf(one), yield* reasonOf(other)], [undefined, "insufficient_wallet"])
    }).pipe(Effect.provide(store))
  )

  it.effect("is asked before its transaction is signed, and before the signature is stored", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      const transaction = yield* reserved(id, wallet, [operation])
      const pays = [operation.id]
      const conditions = leavingConditions([leavingOf(yield* payoutOf(id, operation))], through, {})
      const begin = submit(id, beginSigning({ transaction, pays, conditions, purposes }))
      assert.strictEqual((yield* begin)._tag, "Asked")
      yield* submit(id, setTenantPolicy({ payoutsOffOn: ["ethereum"] }))
      const objected = yield* begin
      assert.strictEqual(objected._tag === "Objected" && objected.objection.reason, "switched_off")
      const refused = yield* Effect.flip(signed(id, transaction, "0x1"))
      assert.strictEqual(refused._tag === "Refusal" && refused.code, "stale")
      assert.deepStrictEqual((yield* transactionOf(id, transaction.id)).hashes, [])
    }).pipe(Effect.provide(store))
  )
})
