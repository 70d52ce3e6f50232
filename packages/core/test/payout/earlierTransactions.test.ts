import { purposes } from "@bursar/core/purposes"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import { putRecord } from "@bursar/core/engine/Records"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import type { TransactionStatus } from "@bursar/core/port/ChainSender"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  accepted,
  ledgerHolds,
  withStatus,
  finalOf,
  payer,
  reserved,
  signed,
  stateOf,
  store,
  submit,
  usdt
} from "../payout/world.ts"
import { Payout } from "@bursar/core/payout/Payout"

const expired: TransactionStatus = { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "" }

/** A payout of a network on which what was signed expires, where nothing but the expiry is the token. */
const onTron = Effect.gen(function* () {
  const { id, wallet } = yield* payer({}, "tron")
  const contract = defaultCurrencies.byCode("USDT_TRON")?.asset?.contract ?? null
  const order = usdt({ network: "tron", currency: "USDT_TRON", contract })
  const operation = yield* accepted(id, { order })
  /** Puts it into a spend, and signs that. */
  const attempt = (hash: string) =>
    Effect.flatMap(reserved(id, wallet, [operation], { _tag: "Expiry" }), (transaction) =>
      signed(id, transaction, hash)
    )
  const state = stateOf(id, operation.id)
  const payout = Effect.map(state, (one) => one.payout)
  return { attempt, id, operation, payout, state, wallet }
})

describe("a payout that is tried again", () => {
  it.effect("names the spends that it was in before, in order, besides the newest", () =>
    Effect.gen(function* () {
      const { attempt, id, payout, state } = yield* onTron
      const one = yield* attempt("0x1")
      assert.deepInclude(yield* payout, { transactionId: one.id, earlierTransactions: [] })
      yield* withStatus(id, one, expired)
      assert.deepInclude(yield* payout, { transactionId: null, earlierTransactions: [one.id] })
      yield* ledgerHolds(id)
      const two = yield* attempt("0x2")
      yield* withStatus(id, two, expired)
      const three = yield* attempt("0x3")
      yield* withStatus(id, three, finalOf("0x3"))
      assert.strictEqual((yield* state).transaction?.phase, "FINAL")
      assert.deepInclude(yield* payout, {
        transactionId: three.id,
        earlierTransactions: [one.id, two.id]
      })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("does not name one for which nothing was signed", () =>
    Effect.gen(function* () {
      const { attempt, id, operation, payout, wallet } = yield* onTron
      const first = yield* attempt("0x1")
      yield* withStatus(id, first, expired)
      const transaction = yield* reserved(id, wallet, [operation], { _tag: "Expiry" })
      const outcome = { _tag: "Requeue", reason: "insufficient_wallet", detail: "", at: 0, alone: false } as const
      yield* submit(id, releaseTransaction({ transaction, outcome, currencies: defaultCurrencies, purposes }))
      assert.deepInclude(yield* payout, { transactionId: null, earlierTransactions: [first.id] })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps them when it is cancelled in between, and the last beside them when it is given up", () =>
    Effect.gen(function* () {
      const cancelled = yield* onTron
      const first = yield* cancelled.attempt("0x1")
      yield* withStatus(cancelled.id, first, expired)
      const cancel = {
        payout: yield* cancelled.payout,
        transaction: undefined,
        by: "otto",
        currencies: defaultCurrencies
      }
      yield* submit(cancelled.id, cancelPayout(cancel))
      assert.deepInclude(yield* cancelled.payout, { transactionId: null, earlierTransactions: [first.id] })
      yield* ledgerHolds(cancelled.id)
      const lost = yield* onTron
      const transactions: Array<string> = []
      for (const hash of ["0x1", "0x2", "0x3"]) {
        const transaction = yield* lost.attempt(hash)
        transactions.push(transaction.id)
        yield* withStatus(lost.id, transaction, expired)
      }
      assert.strictEqual((yield* stateOf(lost.id, lost.operation.id)).operation.status, "FAILED")
      assert.deepInclude(yield* lost.payout, {
        transactionId: transactions[2] ?? null,
        earlierTransactions: transactions.slice(0, 2)
      })
      yield* ledgerHolds(lost.id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is wrong to the checker where it leaves one out, or names one that has not expired", () =>
    Effect.gen(function* () {
      const { attempt, id, operation, payout } = yield* onTron
      const one = yield* attempt("0x1")
      yield* withStatus(id, one, expired)
      const two = yield* attempt("0x2")
      const firstWrong = Effect.gen(function* () {
        const results = yield* (yield* LedgerSnapshot).snapshot(id, checkTenant)
        return results.find(({ invariant }) => invariant === "payouts")?.firstWrong
      })
      const record = yield* payout
      for (const [earlierTransactions, said] of [
        [[], "none"],
        [[one.id, two.id], `${one.id}, ${two.id}`]
      ] as const) {
        yield* submit(
          id,
          writing(() => [putRecord(Payout, { ...record, earlierTransactions })])
        )
        assert.strictEqual(
          yield* firstWrong,
          `payout ${operation.id} was in ${said} before, the transactions of it that expired are ${one.id}`
        )
      }
    }).pipe(Effect.provide(store))
  )
})
