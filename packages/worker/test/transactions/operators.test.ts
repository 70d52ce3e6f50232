import { attachEvidence } from "@bursar/core/payout/attachEvidence"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { expeditePayout } from "@bursar/core/payout/expeditePayout"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { type ExpediteAction, OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { Claimed, Proof } from "@bursar/core/port/ChainSender"
import { ChainError } from "@bursar/core/port/Chain"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { fakeNetwork } from "../fakeNetwork.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, type Layer, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
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
import { Payout } from "@bursar/core/payout/Payout"
import { PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"

/** A network on which nothing happens by itself for an hour: what is sent again or outbid, somebody asked for. */
const patient = (network: Tested) =>
  fakeNetwork({ network, rebroadcastAfterMs: 3_600_000, replaceAfterMs: 3_600_000, validityMs: 600_000 })

const test = (
  name: string,
  network: Tested,
  run: (
    fake: FakeSender
  ) => Effect.Effect<unknown, unknown, Layer.Success<ReturnType<typeof processOver>> | Scope.Scope>
) =>
  it.effect(name, () => {
    const fake = patient(network)
    return Effect.andThen(TestClock.setTime(1_700_000_000_000), run(fake)).pipe(
      Effect.provide(processOver(emptyState(), fake))
    )
  })

/** A payout with its outbound transaction, as they are stored now. */
const look = Effect.fnUntraced(function* (tenantId: TenantId, { id }: Operation) {
  const queries = yield* Queries
  const payout = yield* queries.record(tenantId, Payout, id)
  if (payout === undefined) return yield* Effect.die(new Error("no payout"))
  const transaction =
    payout.transactionId === null
      ? undefined
      : yield* queries.record(tenantId, OutboundTransaction, payout.transactionId)
  const evidence = yield* queries.records(tenantId, PayoutEvidence, id)
  return { payout, transaction, evidence }
})

const expedite = Effect.fnUntraced(function* (tenantId: TenantId, made: Operation, request: ExpediteAction) {
  const { payout, transaction } = yield* look(tenantId, made)
  return yield* submit(tenantId, expeditePayout({ payout, transaction, request }))
})

const attach = Effect.fnUntraced(function* (tenantId: TenantId, made: Operation, txHash: string | null) {
  const { payout } = yield* look(tenantId, made)
  return yield* submit(tenantId, attachEvidence({ payout, txHash, note: "seen by us", by: "alice" }))
})

const refused = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => (error as { readonly code?: string }).code) // a Refusal

const statusOf = (tenantId: TenantId, made: Operation) =>
  Effect.map(operationsOf(tenantId, [made]), ([one]) => [one?.status, one?.details.failure_reason ?? null])

/** A network whose proofs say what the test says. */
const proving = (fake: FakeSender, prove: (claimed: Claimed) => Proof): FakeSender => ({
  ...fake,
  sender: { ...fake.sender, prove: (claimed) => Effect.sync(() => prove(claimed)) }
})

/** A network that notes what it is given, as text. */
const counting = (fake: FakeSender): { readonly fake: FakeSender; readonly given: ReadonlyArray<string> } => {
  const given: Array<string> = []
  const broadcast = (raw: Uint8Array) => {
    given.push(Buffer.from(raw).toString("hex"))
    return fake.sender.broadcast(raw)
  }
  return { fake: { ...fake, sender: { ...fake.sender, broadcast } }, given }
}

/** A network whose transactions succeed and do nothing. */
const idle = (fake: FakeSender): FakeSender => ({
  ...fake,
  sender: {
    ...fake.sender,
    status: (order, transactions) =>
      Effect.map(fake.sender.status(order, transactions), (status) =>
        status._tag === "Final" ? { ...status, effect: "missing" } : status
      )
  }
})

describe("an operator can ask of a payout that does not come further", () => {
  test("that the same bytes are given to a node again", "ethereum", (plain) =>
    Effect.gen(function* () {
      const { fake, given } = counting(plain)
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      const made = yield* pay(id, "ethereum", 1)
      assert.strictEqual(yield* refused(expedite(id, made, "BUMP")), "state_conflict")
      for (let n = 0; n < 60; n++) yield* tick
      const [first = ""] = given
      assert.lengthOf(given, 1)
      yield* expedite(id, made, "REBROADCAST")
      for (let n = 0; n < 2; n++) yield* tick
      assert.deepStrictEqual(given, [first, first])
      assert.strictEqual(fake.signed(), 1)
      assert.strictEqual((yield* look(id, made)).transaction?.asked, null)
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      assert.strictEqual(timesPaid(fake, receiver("ethereum", 1)), 1)
      assert.strictEqual(yield* refused(expedite(id, made, "REBROADCAST")), "state_conflict")
      yield* ledgerHolds(id)
    })
  )

  test("nothing where a node has forgotten it: it is given again unasked", "ethereum", (plain) =>
    Effect.gen(function* () {
      const { fake, given } = counting(plain)
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      const made = yield* pay(id, "ethereum", 1)
      for (let n = 0; n < 3; n++) yield* tick
      const [first] = fake.waiting()
      fake.forget()
      for (let n = 0; n < 10; n++) yield* tick
      assert.deepStrictEqual(fake.waiting(), first === undefined ? [] : [first])
      const [bytes = ""] = given
      assert.deepStrictEqual(given, [bytes, bytes])
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      assert.strictEqual(timesPaid(fake, receiver("ethereum", 1)), 1)
      yield* ledgerHolds(id)
    })
  )

  test("that it bids more, under the same number", "ethereum", (fake) =>
    Effect.gen(function* () {
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      const made = yield* pay(id, "ethereum", 1)
      for (let n = 0; n < 3; n++) yield* tick
      yield* expedite(id, made, "BUMP")
      for (let n = 0; n < 3; n++) yield* tick
      const { transaction } = yield* look(id, made)
      assert.deepStrictEqual([transaction?.hashes.length, transaction?.asked, fake.signed()], [2, null, 2])
      assert.deepStrictEqual(
        fake.waiting().map(({ bid, hash }) => [bid, hash]),
        [[2, transaction?.hashes[1]]]
      )
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      assert.strictEqual(timesPaid(fake, receiver("ethereum", 1)), 1)
      yield* ledgerHolds(id)
    })
  )

  test("but no bid where a network has none", "tron", (fake) =>
    Effect.gen(function* () {
      const { id } = yield* payer("tron", fake)
      yield* Effect.forkScoped(sending(fake))
      const made = yield* pay(id, "tron", 1)
      for (let n = 0; n < 3; n++) yield* tick
      assert.strictEqual(yield* refused(expedite(id, made, "BUMP")), "state_conflict")
    })
  )

  test("that it is tried at once where nothing was signed", "ethereum", (fake) =>
    Effect.gen(function* () {
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake, undefined, { retryFirstMs: 600_000, retryLongestMs: 600_000 }))
      fake.fail(1)
      const made = yield* pay(id, "ethereum", 1)
      for (let n = 0; n < 5; n++) yield* tick
      assert.strictEqual(fake.signed(), 0)
      yield* expedite(id, made, "REBROADCAST")
      for (let n = 0; n < 3; n++) yield* tick
      assert.strictEqual(fake.signed(), 1)
    })
  )
})

describe("what an operator knows of a payout", () => {
  const paysIt =
    (asked: Array<Claimed>) =>
    (claimed: Claimed): Proof => {
      asked.push(claimed)
      return { verdict: "PROVEN", detail: "it paid that", fee: 1_500n }
    }

  test("settles it once its own transaction can never take effect, and not before", "ethereum", (fake) => {
    const asked: Array<Claimed> = []
    return Effect.gen(function* () {
      const { contract, id, wallet } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(proving(fake, paysIt(asked))))
      const made = yield* pay(id, "ethereum", 1)
      for (let n = 0; n < 3; n++) yield* tick
      fake.forget()
      const note = yield* attach(id, made, null)
      assert.deepInclude(note, { txHash: null, note: "seen by us", givenBy: "alice", verdict: null })
      yield* attach(id, made, "rival-0")
      yield* attach(id, made, "rival-0")
      for (let n = 0; n < 90; n++) yield* tick
      const before = yield* look(id, made)
      assert.deepStrictEqual(
        before.evidence.map(({ txHash, verdict }) => [txHash, verdict]).toSorted(),
        [
          ["rival-0", "PROVEN"],
          [null, null]
        ].toSorted()
      )
      assert.deepStrictEqual(asked[0], {
        txHash: "rival-0",
        contract,
        units: 10_000n,
        to: receiver("ethereum", 1),
        senders: [wallet.address],
        memo: null
      })
      // the chain has proven it, and yet its own may still come into a block
      assert.deepStrictEqual(yield* statusOf(id, made), ["SENT", null])
      const { transaction } = before
      if (transaction === undefined) return yield* Effect.die(new Error("no outbound transaction"))
      fake.rival(transaction.guard, yield* Clock.currentTimeMillis)
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      const [settled] = yield* operationsOf(id, [made])
      assert.deepInclude(settled, { status: "SETTLED", txHash: "rival-0", unresolved: false })
      assert.deepStrictEqual(settled?.networkFee, { currency: "ETH", units: 1_500n })
      assert.deepStrictEqual(settled?.details.proven_by, { tx_hash: "rival-0", given_by: "alice", network_fee: "1500" })
      // what the network took for it is a cost in the books
      const all = yield* (yield* LedgerSnapshot).snapshot(id, ({ legs }) => Stream.runCollect(legs))
      assert.deepStrictEqual(
        all
          .filter(({ account, operationId }) => operationId === made.id && account === "network_fees")
          .map(({ currency, direction, units, what }) => [direction, currency, units, what]),
        [["DEBIT", "ETH", 1_500n, "network_fee"]]
      )
      return yield* ledgerHolds(id)
    })
  })

  test("is read where no node can say what became of its own transaction, and ends nothing", "ethereum", (plain) =>
    Effect.gen(function* () {
      const contradiction = new ChainError({
        network: "ethereum",
        reason: "inconsistent",
        doing: "follow an order",
        detail: "the node contradicts itself"
      })
      const proven = proving(plain, () => ({ verdict: "PROVEN", detail: "it paid", fee: 700n }))
      const fake = { ...proven, sender: { ...proven.sender, status: () => Effect.fail(contradiction) } }
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      const made = yield* pay(id, "ethereum", 1)
      for (let n = 0; n < 3; n++) yield* tick
      yield* attach(id, made, "rival-0")
      for (let n = 0; n < 180; n++) yield* tick
      assert.deepStrictEqual(
        (yield* look(id, made)).evidence.map(({ txHash, verdict }) => [txHash, verdict]),
        [["rival-0", "PROVEN"]]
      )
      assert.deepStrictEqual(yield* statusOf(id, made), ["SENT", null])
      yield* ledgerHolds(id)
    })
  )

  test("settles it where its own transaction is final and has not paid", "ethereum", (plain) =>
    Effect.gen(function* () {
      const fake = proving(idle(plain), () => ({ verdict: "PROVEN", detail: "it paid", fee: 700n }))
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      const made = yield* pay(id, "ethereum", 1)
      for (let n = 0; n < 10; n++) {
        fake.mine(yield* Clock.currentTimeMillis)
        yield* tick
      }
      const [open] = yield* operationsOf(id, [made])
      assert.deepInclude(open, { status: "SENT", unresolved: true })
      yield* attach(id, made, "rival-0")
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      const [settled] = yield* operationsOf(id, [made])
      assert.deepInclude(settled, { status: "SETTLED", txHash: "rival-0", unresolved: false })
      assert.isNotNull(settled?.networkFee)
      yield* ledgerHolds(id)
    })
  )

  test("is waited for while its block is not final yet", "ethereum", (fake) =>
    Effect.gen(function* () {
      const { id } = yield* payer("ethereum", fake)
      let isFinal = false
      const prove = (): Proof =>
        isFinal
          ? { verdict: "PROVEN", detail: "it paid", fee: 700n }
          : { verdict: "NOT_FINAL", reason: "it is in block 9" }
      yield* Effect.forkScoped(sending(proving(fake, prove)))
      const made = yield* pay(id, "ethereum", 1)
      for (let n = 0; n < 3; n++) yield* tick
      yield* attach(id, made, "rival-0")
      const { transaction } = yield* look(id, made)
      if (transaction !== undefined) fake.rival(transaction.guard, yield* Clock.currentTimeMillis)
      for (let n = 0; n < 30; n++) {
        fake.mine(yield* Clock.currentTimeMillis)
        yield* tick
      }
      assert.deepInclude((yield* operationsOf(id, [made]))[0], { status: "SENT", unresolved: true })
      assert.match((yield* look(id, made)).transaction?.problem ?? "", /rival-0.* not final yet/u)
      isFinal = true
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      assert.deepStrictEqual(yield* statusOf(id, made), ["SETTLED", null])
      yield* ledgerHolds(id)
    })
  )

  test("counts for nothing where the chain does not prove it, and holds nothing up", "ethereum", (fake) =>
    Effect.gen(function* () {
      const { id } = yield* payer("ethereum", fake)
      const prove = (): Proof => ({ verdict: "NOT_PROVEN", reason: "it paid somebody else" })
      yield* Effect.forkScoped(sending(proving(fake, prove)))
      const made = yield* pay(id, "ethereum", 1)
      for (let n = 0; n < 3; n++) yield* tick
      yield* attach(id, made, "rival-0")
      const { transaction } = yield* look(id, made)
      if (transaction !== undefined) fake.rival(transaction.guard, yield* Clock.currentTimeMillis)
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      assert.deepStrictEqual(yield* statusOf(id, made), ["FAILED", "replaced_on_chain"])
      assert.strictEqual((yield* look(id, made)).evidence[0]?.found, "it paid somebody else")
      yield* ledgerHolds(id)
    })
  )

  test("is waited for where no node can read it, for a day", "ethereum", (fake) =>
    Effect.gen(function* () {
      const { id } = yield* payer("ethereum", fake)
      const prove = (): Proof => ({ verdict: "UNREADABLE", reason: "the node is down" })
      const process = yield* Effect.forkChild(sending(proving(fake, prove)))
      const made = yield* pay(id, "ethereum", 1)
      for (let n = 0; n < 3; n++) yield* tick
      yield* attach(id, made, "rival-0")
      const { transaction } = yield* look(id, made)
      if (transaction !== undefined) fake.rival(transaction.guard, yield* Clock.currentTimeMillis)
      for (let n = 0; n < 30; n++) {
        fake.mine(yield* Clock.currentTimeMillis)
        yield* tick
      }
      const [open] = yield* operationsOf(id, [made])
      assert.deepInclude(open, { status: "SENT", unresolved: true })
      assert.match((yield* look(id, made)).transaction?.problem ?? "", /rival-0/u)
      yield* Fiber.interrupt(process)
      yield* TestClock.adjust("24 hours")
      yield* Effect.forkChild(sending(proving(fake, prove)))
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      assert.deepStrictEqual(yield* statusOf(id, made), ["FAILED", "replaced_on_chain"])
    })
  )

  test("keeps an expired payout from being made again", "tron", (fake) =>
    Effect.gen(function* () {
      const { id } = yield* payer("tron", fake)
      yield* Effect.forkScoped(sending(proving(fake, paysIt([]))))
      const made = yield* pay(id, "tron", 1)
      for (let n = 0; n < 3; n++) yield* tick
      fake.forget()
      yield* attach(id, made, "paid by hand")
      yield* TestClock.adjust("11 minutes")
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      assert.deepStrictEqual(yield* statusOf(id, made), ["SETTLED", null])
      assert.strictEqual(fake.signed(), 1)
      yield* ledgerHolds(id)
    })
  )

  test("is not taken where it speaks of another payout, or of one of which nothing was signed", "ethereum", (fake) =>
    Effect.gen(function* () {
      const { id } = yield* payer("ethereum", fake)
      const [one, other] = [yield* pay(id, "ethereum", 1), yield* pay(id, "ethereum", 2)]
      assert.strictEqual(yield* refused(attach(id, one, "rival-0")), "state_conflict")
      yield* Effect.forkScoped(sending(fake))
      for (let n = 0; n < 3; n++) yield* tick
      yield* attach(id, one, "rival-0")
      assert.strictEqual(yield* refused(attach(id, other, "rival-0")), "state_conflict")
      const own = (yield* look(id, one)).transaction?.hashes[0] ?? ""
      assert.strictEqual(yield* refused(attach(id, other, own)), "state_conflict")
      const { payout, transaction } = yield* look(id, one)
      yield* submit(id, cancelPayout({ payout, transaction, by: "alice", currencies: defaultCurrencies }))
      yield* mineUntil(fake, "both are over", allOver(id, [one, other]))
      assert.strictEqual(yield* refused(attach(id, other, "rival-1")), "state_conflict")
      assert.isNull((yield* attach(id, other, null)).txHash)
    })
  )
})
