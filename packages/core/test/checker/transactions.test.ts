import type { Invariant } from "@bursar/core/checker/Invariant"
import { payoutsInTransactions, transactionGuards, walletCounters } from "@bursar/core/checker/transactionInvariants"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { newPayout, type Payout } from "@bursar/core/payout/Payout"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import type { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import type { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { withDetails } from "@bursar/core/transfer/transferCase"
import { assert, describe, it } from "@effect/vitest"
import { operationOf } from "../transfer/operationOf.ts"
import { foundBy, type Rows } from "./foundBy.ts"

const holds = (rule: Invariant, rows: Rows, why = "") =>
  assert.strictEqual(foundBy(rule, rows) ?? "nothing", "nothing", why)

const breaks = (rule: Invariant, rows: Rows, why = "") => assert.isDefined(foundBy(rule, rows), why)

const contract = defaultCurrencies.byCode("USDC_BASE")?.asset?.contract ?? assert.fail("there is no contract")

/** A chain payout of 5 USDC on base. */
const operation = (more: Partial<Operation> = {}) =>
  operationOf("BANK_TRANSFER", {
    ...{ id: "o", kind: "CHAIN_PAYOUT", status: "PROCESSING", network: "base", amount: of(5n, "USDC_BASE") },
    details: { destination: { address: "0xa", memo: null, memo_type: null } },
    ...more
  })

const order = { network: "base", currency: "USDC_BASE", contract, units: 5n, to: "0xa", memo: null }

const payout = (more: Partial<Payout> = {}): Payout => ({ ...newPayout("o", order, "maker"), ...more })

const sequence = (number: bigint) => ({ _tag: "Sequence", account: "0xw", sequence: number }) as const

const coin = (txHash: string) => ({ txHash, vout: 0, units: 9n, address: "w" })

const transaction = (more: Partial<OutboundTransaction> = {}): OutboundTransaction => ({
  ...{ id: "t", network: "base", purpose: "PAYOUT", walletId: "w", from: "0xw", guard: sequence(7n), counterId: "w" },
  payments: [{ operationId: "o", to: "0xa", contract, units: 5n, memo: null }],
  ...{ trustlines: [], drain: false, salt: 1, phase: "SIGNED", outcome: null, hashes: ["0x1"], feeMax: 3n },
  ...{ cancelled: [], asked: null, givenUpAfter: null, signingUntil: null, problem: null, reservedAt: 0 },
  ...{ signedAt: 0, sentAt: null, lastSentAt: null, blockNumber: null, fee: null, freed: [], endedAt: null },
  ...more
})

const done = transaction({ phase: "FINAL", outcome: "done" })
const expired = (id: string) => transaction({ id, phase: "FINAL", outcome: "expired" })

describe("a chain payout", () => {
  const rule = payoutsInTransactions
  const inOne = (
    more: Partial<Payout> = {},
    of_: Partial<Operation> = {},
    ...all: ReadonlyArray<OutboundTransaction>
  ) => ({
    operation: [operation(of_)],
    payout: [payout({ transactionId: "t", ...more })],
    transaction: all.length === 0 ? [transaction()] : all
  })

  it("has one order, which pays what was asked for to whom it was asked for", () => {
    holds(rule, { operation: [operation()], payout: [payout()] })
    breaks(rule, { operation: [operation()] })
    breaks(rule, { payout: [payout()] })
    breaks(rule, { operation: [operation({ kind: "WITHDRAWAL" })], payout: [payout()] })
    const named = foundBy(rule, { operation: [operation()], payout: [payout({ to: "0xb" })] })
    assert.strictEqual(named, "payout o goes to 0xb, its operation to 0xa")
    for (const more of [
      { units: 6n },
      { currency: "USDT_BASE" },
      { currency: "GONE_BASE" },
      { network: "ethereum" },
      { contract: null },
      { to: "0xb" },
      { memo: { type: "id", value: "1" } }
    ] as const)
      breaks(rule, { operation: [operation()], payout: [payout(more)] }, JSON.stringify(Object.keys(more)))
    const details = { destination: { address: "0xa", memo: "1", memo_type: "id" } }
    const memo = { type: "id", value: "1" } as const
    holds(rule, { operation: [operation({ details })], payout: [payout({ memo })] })
    const unaddressed = foundBy(rule, { operation: [operation({ details: {} })], payout: [payout({ memo })] })
    assert.strictEqual(unaddressed, "payout o goes to 0xa with memo id:1, its operation to nobody")
    const gone = { amount: of(5n, "GONE_BASE") }
    holds(rule, { operation: [operation(gone)], payout: [payout({ currency: "GONE_BASE", contract: "0xold" })] })
  })

  it("is in one transaction at most that is not over, which it names and which pays it as it says", () => {
    holds(rule, inOne())
    breaks(rule, inOne({ transactionId: null }), "the transaction has it")
    breaks(rule, inOne({ transactionId: "u" }))
    breaks(rule, { ...inOne(), transaction: [] })
    const both = [transaction(), transaction({ id: "u" })] as const
    for (const transactionId of ["t", "u"])
      assert.match(foundBy(rule, inOne({ transactionId }, {}, ...both)) ?? "", /in the transactions t and u/u)
    const [own] = transaction().payments
    const shared = transaction({ payments: [{ ...own!, operationId: "p", units: 6n }, own!] })
    holds(rule, inOne({}, {}, shared), "it pays others as well")
    holds(rule, inOne({}, {}, transaction(), transaction({ id: "u", payments: [] })))
    for (const more of [{ to: "0xb" }, { units: 6n }, { contract: null }]) {
      const payments = transaction().payments.map((one) => ({ ...one, ...more }))
      breaks(rule, inOne({}, {}, transaction({ payments })), JSON.stringify(Object.keys(more)))
    }
  })

  it("names those before of which nothing can take effect", () => {
    const both = [expired("s"), expired("r"), transaction()] as const
    holds(rule, inOne({ earlierTransactions: ["r", "s"] }, {}, ...both))
    holds(rule, inOne({ earlierTransactions: ["s", "r"] }, {}, ...both))
    const told = foundBy(rule, inOne({ earlierTransactions: [] }, {}, ...both)) ?? ""
    assert.match(told, /was in none before, the transactions of it that expired are s, r/u)
    for (const outcome of ["released", "reverted", "replaced"] as const) {
      const other = transaction({ id: "r", phase: "FINAL", outcome })
      holds(rule, inOne({}, {}, other, transaction()), `${outcome} is not named`)
    }
    for (const earlierTransactions of [[], ["r"], ["r", "s", "q"]])
      breaks(rule, inOne({ earlierTransactions }, {}, ...both), earlierTransactions.join())
    const waiting = { operation: [operation()], transaction: [expired("s")] }
    holds(rule, { ...waiting, payout: [payout({ earlierTransactions: ["s"] })] })
    const failed = { ...waiting, operation: [operation({ status: "FAILED" })] }
    holds(rule, { ...failed, payout: [payout({ transactionId: "s" })] }, "it failed in its last")
  })

  it("is settled by what the chain has made of it, and over where its transaction is", () => {
    const settled = { status: "SETTLED", txHash: "0x1" } as const
    holds(rule, inOne({}, settled, done))
    breaks(rule, inOne({}, { ...settled, txHash: "0x2" }, done))
    breaks(rule, inOne({}, { ...settled, txHash: null }, done))
    breaks(rule, inOne({}, settled))
    breaks(rule, { operation: [operation(settled)], payout: [payout()] })
    breaks(rule, inOne({}, {}, done), "it has not settled")
    breaks(rule, inOne({}, { status: "FAILED" }))
    holds(rule, { operation: [operation({ status: "FAILED" })], payout: [payout()] }, "it was in none")
    holds(rule, inOne({}, { status: "FAILED" }, transaction({ phase: "FINAL", outcome: "reverted" })))
    breaks(rule, inOne({}, settled, transaction({ phase: "FINAL", outcome: "reverted" })))
    const proven: Partial<Operation> = {
      ...{ status: "SETTLED", txHash: "0xe" },
      details: withDetails(operation(), { proven_by: { tx_hash: "0xe", given_by: "alice" } })
    }
    for (const outcome of ["replaced", "expired", "done", "reverted"] as const)
      holds(rule, inOne({}, proven, transaction({ phase: "FINAL", outcome })), outcome)
    breaks(rule, inOne({}, proven, transaction({ phase: "FINAL", outcome: "released" })))
    breaks(rule, inOne({}, proven), "its own may yet pay it")
    holds(rule, { operation: [operation(proven)], payout: [payout()] }, "nothing is stored of what paid it")
    breaks(rule, inOne({}, { ...proven, txHash: "0xf" }, transaction({ phase: "FINAL", outcome: "replaced" })))
    breaks(rule, inOne({}, { status: "SETTLED", txHash: null }, transaction({ phase: "FINAL", outcome: "replaced" })))
  })
})

describe("what an outbound transaction uses up", () => {
  const rule = transactionGuards
  const attempt = (more: Partial<TransactionAttempt> = {}): TransactionAttempt => ({
    ...{ network: "base", hash: "0x1", transactionId: "t", raw: new Uint8Array(), validUntil: null, replaces: null },
    ...{ pays: ["o"], feeMax: 3n, signedAt: 0, sentAt: null },
    ...more
  })
  const utxo = (txHash: string, transactionId: string | null, state: WalletUtxo["state"] = "FREE"): WalletUtxo =>
    ({ ...coin(txHash), network: "bitcoin", transactionId, state }) as WalletUtxo // all of it that is looked at
  const spends = (id: string, hashes: ReadonlyArray<string>, more: Partial<OutboundTransaction> = {}) =>
    transaction({
      ...{ id, network: "bitcoin", hashes: [], counterId: null },
      guard: { _tag: "Utxos", utxos: hashes.map(coin) },
      ...more
    })

  it("is used by no other, but where it was given up or can take no effect", () => {
    const bare = { hashes: [] }
    const one = transaction(bare)
    const other = (more: Partial<OutboundTransaction>) => ({
      transaction: [one, transaction({ id: "u", ...bare, ...more })]
    })
    breaks(rule, other({}))
    for (const more of [
      { guard: sequence(8n) },
      { network: "ethereum" },
      { guard: { ...sequence(7n), account: "0xv" } },
      { guard: { _tag: "Expiry" } },
      { phase: "FINAL", outcome: "expired" },
      { phase: "FINAL", outcome: "released" }
    ] as const)
      holds(rule, other(more), JSON.stringify(Object.keys(more)))
    for (const outcome of ["done", "reverted", "replaced"] as const)
      breaks(rule, other({ phase: "FINAL", outcome }), outcome)
    holds(rule, { transaction: [spends("t", ["a"]), spends("u", ["b"])] })
    const coins = foundBy(rule, { transaction: [spends("t", ["a", "b"]), spends("u", ["b"])] })
    assert.match(coins ?? "", /^utxo .*\bb\b.* is used by the transactions t and u$/u)
    const twice = foundBy(rule, other({}))
    assert.strictEqual(twice, "sequence 7 of 0xw on base is used by the transactions t and u")
    const replaced = { phase: "FINAL", outcome: "replaced" } as const
    for (const more of [replaced, { purpose: "SWEEP" }, { purpose: "SWEEP", phase: "FINAL", outcome: "done" }] as const)
      breaks(rule, { transaction: [spends("t", ["b"], more), spends("u", ["b"])] }, JSON.stringify(more))
    const freed = { phase: "FINAL", outcome: "replaced", freed: [{ txHash: "b", vout: 0 }] } as const
    holds(rule, { transaction: [spends("t", ["a", "b"], freed), spends("u", ["b"])] })
    const swept = { purpose: "SWEEP", phase: "FINAL", outcome: "replaced" } as const
    holds(rule, { transaction: [spends("t", ["b"], swept), spends("u", ["b"])] })
    breaks(rule, { transaction: [transaction({ ...bare, ...swept }), transaction({ id: "u", ...bare })] })
  })

  it("is used by a later sweep too while an earlier one that was given up has moved what it spends after all", () => {
    const swept = { purpose: "SWEEP", phase: "FINAL", outcome: "done", reservedAt: 1, endedAt: 5 } as const
    const earlier = spends("t", ["a", "b"], swept)
    const later = (more: Partial<OutboundTransaction> = {}) =>
      spends("u", ["b"], { purpose: "SWEEP", reservedAt: 3, ...more })
    for (const all of [
      [earlier, later()],
      [later(), earlier]
    ]) {
      holds(rule, { transaction: all })
      breaks(rule, { transaction: [...all, spends("v", ["a"])] })
    }
    for (const more of [
      { reservedAt: 0 },
      { reservedAt: 6 },
      { purpose: "PAYOUT" },
      { phase: "FINAL", outcome: "done", endedAt: 7 }
    ] as const)
      for (const all of [
        [earlier, later(more)],
        [later(more), earlier]
      ])
        breaks(rule, { transaction: all }, JSON.stringify(more))
    const third = later({ id: "v", reservedAt: 4 })
    for (const all of [
      [earlier, later(), third],
      [later(), earlier, third],
      [later(), third, earlier]
    ])
      breaks(rule, { transaction: all }, `two are open to it: ${all.map(({ id }) => id).join()}`)
    holds(rule, { transaction: [earlier, later(), spends("v", ["a"], { purpose: "SWEEP", reservedAt: 4 })] })
    breaks(rule, { transaction: [spends("t", ["b"], { ...swept, phase: "BROADCAST", outcome: null }), later()] })
    breaks(rule, { transaction: [spends("t", ["b"], { ...swept, purpose: "PAYOUT" }), later()] })
  })

  it("is told by the coins of the wallet as well", () => {
    const one = spends("t", ["a"])
    holds(rule, { transaction: [one], utxo: [utxo("a", "t"), utxo("b", null)] })
    breaks(rule, { transaction: [one], utxo: [utxo("a", null)] })
    breaks(rule, { transaction: [one], utxo: [utxo("a", "u")] })
    breaks(rule, { utxo: [utxo("a", "t")] })
    holds(rule, { utxo: [utxo("a", "t", "GONE")] }, "what is gone is looked at no more")
  })

  it("is freed by what was replaced alone, and nothing but a sweep is given up", () => {
    const freed = [{ txHash: "a", vout: 0 }]
    const sweep = { purpose: "SWEEP", givenUpAfter: 0 } as const
    breaks(rule, { transaction: [spends("t", ["a"], { freed })] })
    breaks(rule, { transaction: [spends("t", ["a"], { freed, phase: "FINAL", outcome: "done" })] })
    holds(rule, { transaction: [spends("t", ["a"], { freed, phase: "FINAL", outcome: "replaced" })] })
    holds(rule, { transaction: [spends("t", ["a"], { freed, ...sweep })] })
    breaks(rule, { transaction: [spends("t", ["a"], { freed, ...sweep, phase: "FINAL", outcome: "done" })] })
    breaks(rule, { transaction: [spends("t", ["a"], { givenUpAfter: 0 })] })
  })

  it("is used by attempts that are one chain of replacements, all of which are there", () => {
    const one = transaction({ hashes: ["0x1", "0x2"] })
    const [first, second] = [attempt(), attempt({ hash: "0x2", replaces: "0x1" })]
    holds(rule, { transaction: [one], attempt: [first, second] })
    for (const missing of [[first], [second], []]) breaks(rule, { transaction: [one], attempt: missing })
    breaks(rule, { attempt: [first] })
    for (const more of [
      { replaces: null },
      { hash: "0x3" },
      { network: "ethereum" },
      { pays: ["p"] },
      { pays: ["o", "p"] }
    ])
      breaks(rule, { transaction: [one], attempt: [first, { ...second, ...more }] }, JSON.stringify(more))
    holds(rule, { transaction: [one], attempt: [first, { ...second, pays: [] }] }, "what was cancelled is left out")
    breaks(rule, { transaction: [one], attempt: [{ ...first, replaces: "0x0" }, second] })
    breaks(
      rule,
      { transaction: [one], attempt: [first, second, attempt({ hash: "0x3" })] },
      "one that it does not name"
    )
  })
})

describe("the counters of a wallet", () => {
  const rule = walletCounters
  const wallet = (more: Partial<PayoutWallet> = {}): PayoutWallet => ({
    ...{ id: "w", network: "base", role: "PAYOUT", address: "0xw", seedId: "s", custodied: null, index: 0 },
    ...{ nextSequence: 8n, nextSalt: 1, openTransactions: 1, createdAt: 0 },
    committed: [
      { contract, units: 5n },
      { contract: null, units: 3n }
    ],
    ...more
  })
  /** What it finds in transactions and the wallets that they are of. */
  const found = (transactions: ReadonlyArray<OutboundTransaction>, wallets: ReadonlyArray<PayoutWallet>) => {
    const run = rule.run?.({
      ...{ balances: [], currencies: defaultCurrencies },
      head: {} as never // it is not looked at
    })
    for (const one of transactions) {
      const wrong = run?.transaction?.(one)
      if (wrong !== undefined) return wrong
    }
    for (const one of wallets) {
      const wrong = run?.wallet?.(one)
      if (wrong !== undefined) return wrong
    }
    return run?.finish?.()
  }
  const idle = { openTransactions: 0, committed: [] }

  it("are its open transactions, and what of them is in no block takes", () => {
    assert.isUndefined(found([transaction()], [wallet()]))
    assert.isUndefined(found([], [wallet({ ...idle, nextSequence: null })]))
    for (const more of [
      { openTransactions: 0 },
      { openTransactions: 2 },
      { committed: [] },
      { committed: [{ contract, units: 5n }] },
      { committed: [...wallet().committed, { contract: "0xc", units: 1n }] },
      {
        committed: [
          { contract, units: 6n },
          { contract: null, units: 3n }
        ]
      }
    ])
      assert.isDefined(found([transaction()], [wallet(more)]), JSON.stringify(Object.keys(more)))
    assert.isUndefined(found([transaction()], [wallet({ committed: wallet().committed.toReversed() })]))
    const nothing = found([transaction({ feeMax: 0n })], [wallet({ committed: [] })])
    assert.strictEqual(nothing, `wallet w has committed nothing, its open transactions take 5 of ${contract}`)
    const included = transaction({ phase: "INCLUDED" })
    assert.isUndefined(found([included], [wallet({ committed: [] })]), "the chain counts it")
    assert.isUndefined(found([done], [wallet(idle)]))
    const two = [transaction(), transaction({ id: "u", guard: sequence(6n) })]
    const committed = wallet().committed.map((one) => ({ ...one, units: 2n * one.units }))
    assert.isUndefined(found(two, [wallet({ openTransactions: 2, committed })]))
  })

  it("go above every number that was used, or still may be", () => {
    for (const nextSequence of [null, 6n, 7n]) assert.isDefined(found([transaction()], [wallet({ nextSequence })]))
    assert.isUndefined(found([transaction()], [wallet({ nextSequence: 9n })]))
    for (const outcome of ["expired", "released"] as const)
      assert.isUndefined(
        found([transaction({ phase: "FINAL", outcome })], [wallet({ ...idle, nextSequence: 7n })]),
        outcome
      )
    assert.isDefined(found([done, transaction({ id: "u", guard: sequence(3n) })], [wallet({ nextSequence: 7n })]))
    const numberless = transaction({ guard: { _tag: "Expiry" } })
    assert.isUndefined(found([numberless], [wallet({ nextSequence: null })]))
  })

  it("are of the account that lends its number, too, and of one network", () => {
    const lent = transaction({ counterId: "c" })
    const channel = wallet({ id: "c", role: "CHANNEL", openTransactions: 1, committed: [] })
    assert.isUndefined(found([lent], [wallet({ nextSequence: null }), channel]))
    assert.isDefined(found([lent], [wallet({ nextSequence: null })]), "there is no such account")
    assert.isDefined(found([lent], [wallet({ nextSequence: null }), { ...channel, openTransactions: 0 }]))
    assert.isDefined(found([transaction()], [wallet({ network: "ethereum" })]))
    const elsewhere = transaction({ id: "u", network: "ethereum", guard: sequence(6n) })
    const apart = found([transaction(), elsewhere], [wallet({ openTransactions: 2 })])
    assert.match(apart ?? "", /transaction u is on ethereum, t of the same wallet w is on base/u)
    const nobodys = transaction({ walletId: null, counterId: null })
    assert.isUndefined(found([nobodys], [wallet(idle)]))
  })
})
