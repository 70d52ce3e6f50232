import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { TransactionStatus } from "@bursar/core/port/ChainSender"
import { purposes } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { bearerOf, feeLegs, movementLegs } from "@bursar/core/transaction/transactionLegs"
import { OutboundTransaction, transactionPurposes } from "@bursar/core/transaction/OutboundTransaction"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { coinsFor } from "../payout/coins.ts"
import {
  accepted,
  finalOf,
  ledgerHolds,
  next,
  payer,
  reserved,
  signed,
  store,
  submit,
  transactionOf,
  usdt,
  walletOf,
  withStatus
} from "../payout/world.ts"

const expired: TransactionStatus = { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "" }

const release = (id: TenantId, transaction: OutboundTransaction) =>
  submit(
    id,
    releaseTransaction({
      transaction,
      outcome: { _tag: "Requeue", reason: "fees_unknown", detail: "", at: 0, alone: false },
      purposes,
      currencies: defaultCurrencies
    })
  )

describe("the sequence that a transaction takes", () => {
  it.effect("is the account's own while something is under way, else the later of that and the chain's", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const take = Effect.fnUntraced(function* (first: bigint | null) {
        const now = yield* walletOf(id, wallet.id)
        const transaction = yield* reserved(id, now, [yield* accepted(id)], next(now, first))
        return { transaction, sequence: transaction.guard._tag === "Sequence" ? transaction.guard.sequence : null }
      })
      const unknown = yield* Effect.exit(take(null))
      assert.strictEqual(unknown._tag, "Failure", "nobody knows it yet")
      const one = yield* take(7n)
      assert.strictEqual(one.sequence, 7n)
      const open = [yield* take(null), yield* take(99n), yield* take(1n)]
      assert.deepStrictEqual(
        open.map(({ sequence }) => sequence),
        [8n, 9n, 10n]
      )
      assert.deepStrictEqual(
        [one, ...open].map(({ transaction }) => [transaction.salt, transaction.drain]),
        [1, 2, 3, 4].map((salt) => [salt, false])
      )
      for (const { transaction } of [one, ...open]) {
        const hash = `0x${transaction.salt}`
        yield* withStatus(id, yield* signed(id, transaction, hash), finalOf(hash))
      }
      assert.strictEqual((yield* Effect.exit(take(null)))._tag, "Failure", "somebody else may have used some")
      const idle = yield* take(9n)
      assert.strictEqual(idle.sequence, 11n)
      yield* release(id, idle.transaction)
      assert.strictEqual((yield* take(20n)).sequence, 20n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("goes over to another that uses it up, where it has expired unused and others came after it", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const [one, two] = [yield* accepted(id), yield* accepted(id)]
      const first = yield* signed(id, yield* reserved(id, wallet, [one]), "0x1")
      const second = yield* signed(id, yield* reserved(id, wallet, [two]), "0x2")
      yield* withStatus(id, first, expired)
      assert.deepInclude(yield* transactionOf(id, first.id), { phase: "FINAL", outcome: "expired", hashes: ["0x1"] })
      const all = yield* (yield* Queries).records(id, OutboundTransaction)
      const filler = all.find((each) => each.id !== first.id && each.id !== second.id)
      if (filler === undefined) return assert.fail("nothing uses the number up")
      assert.deepInclude(filler, {
        purpose: "CANCEL",
        phase: "RESERVED",
        guard: first.guard,
        payments: [],
        hashes: [],
        feeMax: 0n,
        signedAt: null,
        sentAt: null,
        blockNumber: null,
        outcome: null
      })
      assert.strictEqual((yield* walletOf(id, wallet.id)).openTransactions, 2)
      yield* withStatus(id, yield* signed(id, filler, "0x3"), finalOf("0x3"))
      yield* withStatus(id, second, finalOf("0x2"))
      assert.deepInclude(yield* walletOf(id, wallet.id), { openTransactions: 0, nextSequence: 9n, committed: [] })
      yield* ledgerHolds(id)
      return undefined
    }).pipe(Effect.provide(store))
  )
})

describe("the UTXOs that a transaction takes", () => {
  it.effect("are reserved, spent where it is final, and free again where nothing was signed", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { utxos } = yield* coinsFor(id, wallet, 2)
      const order = usdt({ network: "bitcoin", currency: "BTC", contract: null, units: 150_000n })
      const states = Effect.map(
        Effect.flatMap(Queries, (queries) => queries.records(id, WalletUtxo)),
        (all) => all.map(({ state, transactionId }) => [state, transactionId])
      )
      const both = <A>(one: A) => [one, one]
      const take = Effect.fnUntraced(function* () {
        const operation = yield* accepted(id, { order, defaultFees: [] })
        return yield* reserved(id, wallet, [operation], { _tag: "Utxos", utxos, fee: 1_000n })
      })
      const first = yield* take()
      assert.deepStrictEqual(yield* states, both(["RESERVED", first.id]))
      yield* release(id, first)
      assert.deepStrictEqual(yield* states, both(["FREE", null]))
      const second = yield* take()
      yield* withStatus(id, yield* signed(id, second, "b1"), finalOf("b1"))
      assert.deepStrictEqual(yield* states, both(["SPENT", second.id]))
    }).pipe(Effect.provide(store))
  )

  it("wait for a payment of their wallet while they are free", () => {
    const group = (state: WalletUtxo["state"]) => WalletUtxo.group?.({ state, walletId: "w" } as WalletUtxo) ?? null // all of one that is looked at
    assert.deepStrictEqual([group("FREE"), group("RESERVED"), group("SPENT"), group("GONE")], ["w", null, null, null])
  })
})

describe("what is booked of a transaction", () => {
  const payment = { operationId: null, to: "a", contract: null, units: 100n, memo: null }
  const of = (purpose: OutboundTransaction["purpose"], more: Partial<OutboundTransaction> = {}) =>
    // all of one that is booked
    ({
      id: "t",
      network: "bitcoin",
      purpose,
      payments: [payment],
      drain: false,
      guard: { _tag: "Expiry" },
      ...more
    }) as OutboundTransaction
  const said = (legs: ReturnType<typeof feeLegs>) =>
    legs.map(({ account, currency, direction, units, what }) => `${what} ${direction} ${account} ${units} ${currency}`)

  it("is what moves between the service's own places, and nothing of what leaves them", () => {
    for (const purpose of transactionPurposes) {
      const [from, to, what] =
        purpose === "SWEEP"
          ? ["deposits", "payouts", "sweep"]
          : purpose === "TOP_UP"
            ? ["payouts", "deposits", "top_up"]
            : ["payouts", null, null]
      assert.deepStrictEqual(
        said(movementLegs(of(purpose), 4n, defaultCurrencies)),
        to === null
          ? []
          : [`${what} DEBIT chain:bitcoin:${to} 100 BTC`, `${what} CREDIT chain:bitcoin:${from} 100 BTC`],
        purpose
      )
      assert.deepStrictEqual(said(feeLegs(of(purpose), 4n, defaultCurrencies)), [
        "network_fee DEBIT network_fees 4 BTC",
        `network_fee CREDIT chain:bitcoin:${from} 4 BTC`
      ])
    }
    assert.deepStrictEqual(feeLegs(of("PAYOUT"), 0n, defaultCurrencies), [])
    assert.throws(() => feeLegs(of("PAYOUT", { network: "nowhere" }), 4n, defaultCurrencies), /no currency here/u)
  })

  it("of coins that are drained is what they hold less the fee, which is taken from them", () => {
    const utxos = { drain: true, guard: { _tag: "Utxos", utxos: [] } } as const
    const moved = (more: Partial<OutboundTransaction>, fee = 4n) =>
      movementLegs(of("SWEEP", more), fee, defaultCurrencies)[0]?.units
    assert.strictEqual(moved(utxos), 96n)
    assert.strictEqual(moved({ ...utxos, drain: false }), 100n)
    assert.strictEqual(moved({ drain: true }), 100n)
    assert.isUndefined(moved(utxos, 100n))
    // what moved on the chain and is booked nowhere would be lost to the books
    assert.throws(() => moved({ payments: [{ ...payment, contract: "nobody's" }] }), /no currency here/u)
  })

  it("is borne by its only operation, and by itself where it has several or none", () => {
    const paying = (...ids: ReadonlyArray<string | null>) =>
      bearerOf(of("PAYOUT", { payments: ids.map((operationId) => ({ ...payment, operationId })) }))
    assert.deepStrictEqual([paying("op"), paying(), paying(null), paying("op", "op-2")], ["op", null, null, null])
  })
})
