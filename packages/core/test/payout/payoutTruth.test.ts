import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import { isOver } from "@bursar/core/operation/OperationMachine"
import { attachEvidence, recordEvidence } from "@bursar/core/payout/attachEvidence"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { givenBefore } from "@bursar/core/payout/givenBefore"
import { hearAfterEnd } from "@bursar/core/payout/hearAfterEnd"
import { PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import { settleHeld } from "@bursar/core/payout/settleHeld"
import { hashesGiven } from "@bursar/core/payout/standingEvidence"
import type { Proof, TransactionStatus } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import { type OutboundTransaction, operationsOf } from "@bursar/core/transaction/OutboundTransaction"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import {
  accepted,
  ethereum,
  finalOf,
  float,
  ledgerHolds,
  next,
  payer,
  reserved,
  signed,
  stateOf,
  store,
  submit,
  usdt,
  walletOf,
  withStatus
} from "./world.ts"

/** What happens to one of two payouts. */
interface Step {
  readonly what:
    | "sign"
    | "batch"
    | "bump"
    | "expire"
    | "final"
    | "include"
    | "lose"
    | "give"
    | "ask"
    | "cancel"
    | "hear"
  readonly payout: number
  /** Of which of its transactions, where it is of one. */
  readonly of: number
}

/** A transaction that was signed, as the chain has it. */
interface Signed {
  readonly hash: string
  readonly transactionId: string
  readonly pays: ReadonlyArray<string>
  readonly isThere: boolean
}

const expired: TransactionStatus = { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "" }
const price = 100_000_000n
const fee = 1_000_000n

/** Gives what an operator asks for, where it is not refused. */
const unlessRefused = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.asVoid(Effect.result(effect))

/**
 * Two payouts on a chain whose node says of any transaction that it has expired, and some are there all the same: `coins` says of each that is signed
 * whether it is. Of those that replace each other one is there at most. The node never says of one that it is there which is not.
 */
const lived = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, coins: ReadonlyArray<boolean>) {
  const { id, wallet } = yield* payer()
  const queries = yield* Queries
  const all = yield* Effect.forEach([0, 1], (n) =>
    accepted(id, { order: usdt({ to: `0x00000000000000000000000000000000000000F${n}` }) })
  )
  const chain: Array<Signed> = []
  const hashesFor = (payoutId: string) => chain.filter(({ pays }) => pays.includes(payoutId))
  const asked = (payoutId: string) => hashesGiven(queries, id, payoutId)
  const put = (transaction: OutboundTransaction, hash: string, pays: ReadonlyArray<string>) => {
    const { id: transactionId } = transaction
    const isExcluded = chain.some((one) => one.transactionId === transactionId && one.isThere)
    chain.push({ hash, transactionId, pays, isThere: !isExcluded && coins[chain.length % coins.length] === true })
  }
  const ask = Effect.fnUntraced(function* (payoutId: string) {
    for (const one of yield* queries.records(id, PayoutEvidence, payoutId)) {
      const proof: Proof = chain.some(({ hash, isThere }) => hash === one.txHash && isThere)
        ? { verdict: "PROVEN", detail: "it paid", fee: 7n }
        : { verdict: "NOT_PROVEN", reason: "it did not" }
      yield* submit(id, recordEvidence(one, proof, ethereum))
    }
  })
  /** Whether a payout may be put into a transaction, as the worker asks. */
  const isFree = Effect.fnUntraced(function* (payoutId: string) {
    const { operation, payout } = yield* stateOf(id, payoutId)
    if (isOver(operation.status) || payout.transactionId !== null) return false
    yield* ask(payoutId)
    const given = yield* asked(payoutId)
    return given.length === 0 || (yield* submit(id, settleHeld({ payout, asked: given, nextAt: 1, currencies })))
  })
  const sign = Effect.fnUntraced(function* (payouts: ReadonlyArray<string>) {
    const free = yield* Effect.filter(payouts, isFree)
    if (free.length === 0) return
    const account = yield* walletOf(id, wallet.id)
    const hash = `0xh${chain.length}`
    const transaction = yield* reserved(
      id,
      account,
      free.map((payoutId) => ({ id: payoutId })),
      next(account)
    )
    put(yield* signed(id, transaction, hash), hash, operationsOf(transaction))
  })
  const bump = Effect.fnUntraced(function* (payoutId: string) {
    const { operation, transaction } = yield* stateOf(id, payoutId)
    const replaces = transaction?.hashes.at(-1)
    if (transaction === undefined || replaces === undefined || isOver(operation.status)) return
    if (transaction.phase === "INCLUDED" || transaction.phase === "FINAL") return
    const pays = operationsOf(transaction).filter((one) => !transaction.cancelled.includes(one))
    const hash = `0xh${chain.length}`
    put(yield* signed(id, transaction, hash, { pays, replaces }), hash, pays)
  })
  const hear = Effect.fnUntraced(function* (payoutId: string) {
    yield* ask(payoutId)
    const { payout } = yield* stateOf(id, payoutId)
    yield* submit(id, hearAfterEnd({ payout, asked: yield* asked(payoutId), nextAt: 1 }))
  })
  const give = Effect.fnUntraced(function* (payoutId: string, txHash: string) {
    const { payout } = yield* stateOf(id, payoutId)
    const before = yield* givenBefore(queries, id, { network: payout.network, payout, txHash })
    yield* unlessRefused(submit(id, attachEvidence({ payout, txHash, note: "seen", by: "ann", before })))
  })
  const status = Effect.fnUntraced(function* (payoutId: string, what: "final" | "expire" | "include" | "lose") {
    const { operation, transaction } = yield* stateOf(id, payoutId)
    if (transaction === undefined || transaction.hashes.length === 0 || isOver(operation.status)) return
    const there = chain.find((one) => one.transactionId === transaction.id && one.isThere)
    const together = operationsOf(transaction)
    for (const one of together) yield* ask(one)
    const given = (yield* Effect.forEach(together, asked)).flat()
    const said = (word: TransactionStatus) => withStatus(id, transaction, word, given)
    if (what === "expire") yield* said(expired)
    else if (what === "lose") yield* said({ _tag: "Pending", known: false })
    else if (there !== undefined)
      yield* said(what === "final" ? finalOf(there.hash) : { _tag: "Included", hash: there.hash, blockNumber: 9 })
  })
  const cancel = Effect.fnUntraced(function* (payoutId: string) {
    const { payout, transaction } = yield* stateOf(id, payoutId)
    const given = yield* asked(payoutId)
    yield* unlessRefused(submit(id, cancelPayout({ payout, transaction, given, by: "ann", currencies })))
  })
  for (const { of, payout, what } of steps) {
    const payoutId = all[payout]?.id ?? ""
    const hashes = hashesFor(payoutId)
    const one = hashes[of % Math.max(hashes.length, 1)]
    if (what === "sign") yield* sign([payoutId])
    else if (what === "batch") yield* sign(all.map((each) => each.id))
    else if (what === "bump") yield* bump(payoutId)
    else if (what === "ask") yield* ask(payoutId)
    else if (what === "hear") yield* hear(payoutId)
    else if (what === "cancel") yield* cancel(payoutId)
    else if (what !== "give") yield* status(payoutId, what)
    else if (one !== undefined) yield* give(payoutId, one.hash)
  }
  // the chain comes to rest, and operators give all that they find there
  for (let n = 0; n < 9; n++)
    for (const { id: payoutId } of all) {
      const { transaction } = yield* stateOf(id, payoutId)
      const isThere = chain.some((one) => one.transactionId === transaction?.id && one.isThere)
      yield* status(payoutId, isThere ? "final" : "expire")
      yield* sign([payoutId])
    }
  for (const { id: payoutId } of all) {
    for (const { hash, isThere } of hashesFor(payoutId)) if (isThere) yield* give(payoutId, hash)
    yield* hear(payoutId)
  }
  yield* ledgerHolds(id)
  const payouts = yield* Effect.forEach(all, ({ id: payoutId }) =>
    Effect.map(stateOf(id, payoutId), ({ operation }) => ({
      operation,
      left: hashesFor(payoutId).flatMap(({ hash, isThere }) => (isThere ? [hash] : [])),
      told: contradictionsOf(operation).flatMap(({ reference = "" }) => reference)
    }))
  )
  return { payouts, held: yield* float(id) }
})

const lives: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.record({
    what: fc.constantFrom<Step["what"]>(
      ...(["sign", "sign", "batch", "batch", "bump", "expire", "expire", "expire", "expire"] as const),
      ...(["final", "include", "lose", "give", "give", "ask", "cancel", "hear"] as const)
    ),
    payout: fc.nat(1),
    of: fc.nat(2)
  }),
  { minLength: 5, maxLength: 30 }
)

describe("what has left the chain for payouts", () => {
  it("is booked, or told to operators, whatever a node says of expiries, and in whatever order", () =>
    fc.assert(
      fc.asyncProperty(lives, fc.array(fc.boolean(), { minLength: 3, maxLength: 7 }), async (steps, coins) => {
        const { held, payouts } = await Effect.runPromise(Effect.provide(lived(steps, coins), store))
        for (const { left, operation, told } of payouts) {
          assert.include(["SETTLED", "FAILED"], operation.status)
          const booked = operation.status === "SETTLED" ? [operation.txHash ?? "none"] : []
          assert.deepStrictEqual([...booked, ...told].toSorted(), left.toSorted())
        }
        const settled = payouts.filter(({ operation }) => operation.status === "SETTLED")
        const spent = BigInt(settled.length) * (price + fee)
        assert.deepStrictEqual(held, { available: 1_000_000_000n - spent, held: 0n })
      }),
      { numRuns: 60 }
    ))
})
