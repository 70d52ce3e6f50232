import { setTenantPolicy, setTenantStatus } from "@bursar/core/access/tenantCommands"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { attachEvidence, recordEvidence } from "@bursar/core/payout/attachEvidence"
import { cancelPayout, type CancelPayout } from "@bursar/core/payout/cancelPayout"
import { expeditePayout } from "@bursar/core/payout/expeditePayout"
import { keptSignatures } from "@bursar/core/payout/keptSignatures"
import { askLeaving, leavingOf } from "@bursar/core/payout/mayPayoutLeave"
import { payoutQueue } from "@bursar/core/payout/payoutQueue"
import { switchedOffForAll } from "@bursar/core/payout/payoutSwitches"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import { purposes } from "@bursar/core/purposes"
import type { EarlierSignature } from "@bursar/core/port/TransactionSigner"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { beginSigning } from "@bursar/core/transaction/beingSigned"
import type { ExpediteAction } from "@bursar/core/transaction/OutboundTransaction"
import { transactionQueue } from "@bursar/core/transaction/queues"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { coinsFor } from "./coins.ts"
import {
  accepted,
  evidence,
  finalOf,
  float,
  ledgerHolds,
  payer,
  reserved,
  signed,
  stateOf,
  store,
  submit,
  transactionOf,
  usdt,
  walletOf,
  withStatus,
  ethereum
} from "./world.ts"

const codeOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) =>
    typeof error === "object" && error !== null && "code" in error ? error.code : "no refusal"
  )

const dueAt = Effect.fnUntraced(function* (queue: string, key: string) {
  const jobs = yield* (yield* JobQueue).due(queue, Number.MAX_SAFE_INTEGER, 100)
  return jobs.find((job) => job.key === key)?.dueAt
})

const expedite = Effect.fnUntraced(function* (id: TenantId, operationId: string, request: ExpediteAction) {
  const { payout, transaction } = yield* stateOf(id, operationId)
  return yield* submit(id, expeditePayout({ payout, transaction, request }))
})

const cancel = Effect.fnUntraced(function* (id: TenantId, operationId: string, more: Partial<CancelPayout> = {}) {
  const { payout, transaction } = yield* stateOf(id, operationId)
  return yield* submit(id, cancelPayout({ payout, transaction, by: "vera", currencies, ...more }))
})

const included = { _tag: "Included", hash: "0x1", blockNumber: 9 } as const

describe("a payout that operators want to go on", () => {
  it.effect("is tried at once where it waits, and nothing of it can be outbid", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      yield* TestClock.setTime(4_000)
      assert.strictEqual((yield* expedite(id, operation.id, "REBROADCAST")).id, operation.id)
      assert.strictEqual(yield* dueAt(payoutQueue("ethereum"), operation.id), 4_000)
      assert.strictEqual(yield* codeOf(expedite(id, operation.id, "BUMP")), "state_conflict")
      const transaction = yield* reserved(id, wallet, [operation])
      assert.strictEqual(yield* codeOf(expedite(id, operation.id, "BUMP")), "state_conflict")
      yield* TestClock.setTime(5_000)
      yield* expedite(id, operation.id, "REBROADCAST")
      assert.isNull((yield* transactionOf(id, transaction.id)).asked, "nothing is signed that could be sent again")
      assert.strictEqual(yield* dueAt(transactionQueue("ethereum"), transaction.id), 5_000)
    }).pipe(Effect.provide(store))
  )

  it.effect("is sent again or outbid where it was signed, until it is in a block", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      const transaction = yield* signed(id, yield* reserved(id, wallet, [operation]), "0x1")
      for (const request of ["REBROADCAST", "BUMP"] as const) {
        yield* TestClock.adjust(1_000)
        yield* expedite(id, operation.id, request)
        assert.strictEqual((yield* transactionOf(id, transaction.id)).asked, request)
      }
      yield* withStatus(id, transaction, included)
      assert.strictEqual(yield* codeOf(expedite(id, operation.id, "REBROADCAST")), "state_conflict")
      yield* withStatus(id, transaction, finalOf("0x1"))
      assert.strictEqual(yield* codeOf(expedite(id, operation.id, "REBROADCAST")), "state_conflict")
    }).pipe(Effect.provide(store))
  )

  it.effect("is not outbid where nothing takes the place of a transaction", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "tron")
      const contract = currencies.byCode("USDT_TRON")?.asset?.contract ?? null
      const order = usdt({ network: "tron", currency: "USDT_TRON", contract })
      const operation = yield* accepted(id, { order, defaultFees: [] })
      yield* signed(id, yield* reserved(id, wallet, [operation], { _tag: "Expiry" }), "0x1")
      assert.strictEqual(yield* codeOf(expedite(id, operation.id, "BUMP")), "state_conflict")
      yield* expedite(id, operation.id, "REBROADCAST")
    }).pipe(Effect.provide(store))
  )

  it.effect("is not where it is in review, is not there, or has moved on", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({ payoutReviewUsd: "50" })
      const large = yield* accepted(id)
      assert.strictEqual(yield* codeOf(expedite(id, large.id, "REBROADCAST")), "state_conflict")
      const small = yield* accepted(id, { order: usdt({ units: 1_000_000n }) })
      const { payout } = yield* stateOf(id, small.id)
      yield* reserved(id, wallet, [small])
      const ask = (more: Partial<Parameters<typeof expeditePayout>[0]>) =>
        codeOf(submit(id, expeditePayout({ payout, transaction: undefined, request: "REBROADCAST", ...more })))
      assert.strictEqual(yield* ask({}), "stale")
      assert.strictEqual(yield* ask({ payout: { ...payout, operationId: "nowhere" } }), "not_found")
    }).pipe(Effect.provide(store))
  )
})

const signature = (hash: string, more: Partial<EarlierSignature> = {}): EarlierSignature =>
  ({
    hash,
    raw: new TextEncoder().encode(hash),
    validUntil: 99_000,
    feeMax: 30n,
    shares: "same",
    ...more
  }) as EarlierSignature // all of it that is looked at

describe("what the signer has signed and nobody has stored", () => {
  it("is sorted by what it is for", () => {
    const [one, two, place, other] = [
      signature("1"),
      signature("2"),
      signature("3", { shares: "guard" }),
      signature("4", { shares: "requests" })
    ]
    assert.deepStrictEqual(keptSignatures([other, one, place, two]), {
      own: [one, two],
      inPlace: place,
      elsewhere: [other]
    })
    assert.deepStrictEqual(keptSignatures([]), { own: [], inPlace: undefined, elsewhere: [] })
  })

  it.effect("is stored where its payout is cancelled, and what replaces it excludes it", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      const transaction = yield* reserved(id, wallet, [operation])
      yield* TestClock.setTime(6_000)
      const kept = keptSignatures([signature("0x1"), signature("0x2", { feeMax: 50n })])
      assert.strictEqual((yield* cancel(id, operation.id, { kept })).state, "trying")
      const after = yield* transactionOf(id, transaction.id)
      assert.deepInclude(after, {
        phase: "SIGNED",
        hashes: ["0x1", "0x2"],
        cancelled: [operation.id],
        feeMax: 50n,
        signedAt: 6_000,
        signingUntil: null
      })
      const attempts = yield* (yield* Queries).records(id, TransactionAttempt, transaction.id)
      assert.deepStrictEqual(
        attempts.map(({ feeMax, hash, pays, replaces, sentAt, validUntil }) => [
          hash,
          replaces,
          pays,
          feeMax,
          validUntil,
          sentAt
        ]),
        [
          ["0x1", null, [operation.id], 30n, 99_000, null],
          ["0x2", "0x1", [operation.id], 50n, 99_000, null]
        ]
      )
      assert.strictEqual((yield* stateOf(id, operation.id)).payout.cancelledBy, "vera")
      assert.strictEqual(yield* dueAt(transactionQueue("ethereum"), transaction.id), 6_000)
      const noop = yield* signed(id, after, "0xnoop", { pays: [], replaces: "0x2" })
      yield* withStatus(id, noop, finalOf("0xnoop"))
      assert.strictEqual((yield* stateOf(id, operation.id)).operation.details.failure_reason, "cancelled_by_operator")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is not stored twice, and a single one says what it takes at most", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const [one, other] = [yield* accepted(id), yield* accepted(id)]
      yield* signed(id, yield* reserved(id, wallet, [one]), "0x1")
      const transaction = yield* reserved(id, wallet, [other])
      const known = keptSignatures([signature("0x5"), signature("0x1")])
      assert.strictEqual(yield* codeOf(cancel(id, other.id, { kept: known })), "stale")
      assert.strictEqual((yield* transactionOf(id, transaction.id)).phase, "RESERVED")
      yield* cancel(id, other.id, { kept: keptSignatures([signature("0x6", { feeMax: 40n })]) })
      assert.deepInclude(yield* transactionOf(id, transaction.id), { hashes: ["0x6"], feeMax: 40n })
    }).pipe(Effect.provide(store))
  )

  it.effect("under its guard for something else uses that up, and elsewhere keeps it from being cancelled", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const [one, other] = [yield* accepted(id), yield* accepted(id)]
      const transaction = yield* reserved(id, wallet, [one])
      const inPlace = keptSignatures([signature("0x9", { shares: "guard" })])
      assert.strictEqual((yield* cancel(id, one.id, { kept: inPlace })).state, "cancelled")
      assert.deepInclude(yield* transactionOf(id, transaction.id), {
        purpose: "CANCEL",
        payments: [],
        phase: "RESERVED"
      })
      assert.strictEqual((yield* walletOf(id, wallet.id)).nextSequence, 8n)
      yield* reserved(id, wallet, [other])
      const elsewhere = keptSignatures([signature("0x8", { shares: "requests" })])
      assert.strictEqual(yield* codeOf(cancel(id, other.id, { kept: elsewhere })), "state_conflict")
      assert.strictEqual((yield* stateOf(id, other.id)).operation.status, "PROCESSING")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})

describe("a payout of UTXOs that operators cancel", () => {
  it.effect("gives them back, though the signer has signed one of them for something else", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { utxos } = yield* coinsFor(id, wallet, 2)
      const order = usdt({ network: "bitcoin", currency: "BTC", contract: null, units: 150_000n })
      const one = yield* accepted(id, { order, defaultFees: [] })
      const transaction = yield* reserved(id, wallet, [one], { _tag: "Utxos", utxos, fee: 1_000n })
      const inPlace = keptSignatures([signature("0x9", { shares: "guard" })])
      assert.strictEqual((yield* cancel(id, one.id, { kept: inPlace })).state, "cancelled")
      assert.deepInclude(yield* transactionOf(id, transaction.id), { phase: "FINAL", outcome: "released" })
      const states = (yield* (yield* Queries).records(id, WalletUtxo)).map(({ state }) => state)
      assert.deepStrictEqual(states, ["FREE", "FREE"])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})

describe("a payout that operators cancel", () => {
  it.effect("leaves its transaction to the others that are in it", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const [one, two] = [yield* accepted(id), yield* accepted(id)]
      const transaction = yield* reserved(id, wallet, [one, two])
      assert.strictEqual((yield* cancel(id, one.id)).state, "cancelled")
      const left = yield* transactionOf(id, transaction.id)
      assert.deepStrictEqual(
        left.payments.map(({ operationId }) => operationId),
        [two.id]
      )
      assert.deepInclude((yield* stateOf(id, one.id)).payout, { transactionId: null, cancelledBy: "vera" })
      assert.deepStrictEqual(yield* float(id), { available: 899_000_000n, held: 101_000_000n })
      yield* withStatus(id, yield* signed(id, left, "0x1"), finalOf("0x1"))
      assert.strictEqual((yield* stateOf(id, two.id)).operation.status, "SETTLED")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is not while it may be being signed, in a block, over, or where it has moved on", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      const { payout } = yield* stateOf(id, operation.id)
      const transaction = yield* reserved(id, wallet, [operation])
      const stale = cancelPayout({ payout, transaction: undefined, by: "vera", currencies })
      assert.strictEqual(yield* codeOf(submit(id, stale)), "stale")
      const nobodys = { payout: { ...payout, operationId: "nowhere" }, transaction: undefined, by: "vera", currencies }
      assert.strictEqual(yield* codeOf(submit(id, cancelPayout(nobodys))), "not_found")
      yield* submit(id, beginSigning({ transaction, pays: [operation.id], purposes }))
      assert.strictEqual(yield* codeOf(cancel(id, operation.id)), "state_conflict")
      const one = yield* signed(id, yield* transactionOf(id, transaction.id), "0x1")
      yield* withStatus(id, one, included)
      assert.strictEqual(yield* codeOf(cancel(id, operation.id)), "state_conflict")
      yield* withStatus(id, one, finalOf("0x1"))
      assert.strictEqual(yield* codeOf(cancel(id, operation.id)), "state_conflict")
      assert.strictEqual((yield* stateOf(id, operation.id)).operation.status, "SETTLED")
    }).pipe(Effect.provide(store))
  )

  it.effect("is once it is known that the signer has signed nothing", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      const transaction = yield* reserved(id, wallet, [operation])
      yield* submit(id, beginSigning({ transaction, pays: [operation.id], purposes }))
      yield* TestClock.adjust(1_000_000)
      assert.strictEqual((yield* cancel(id, operation.id, { askedAt: 1_000_000 })).state, "cancelled")
      assert.deepInclude(yield* transactionOf(id, transaction.id), { phase: "FINAL", outcome: "released" })
    }).pipe(Effect.provide(store))
  )
})

describe("evidence for a payout", () => {
  const attach = Effect.fnUntraced(function* (id: TenantId, operationId: string, txHash: string | null) {
    const { payout } = yield* stateOf(id, operationId)
    return yield* submit(id, attachEvidence({ payout, txHash, note: "seen", by: "alice" }))
  })

  it.effect("has the chain asked about the transaction that it names, at once; a note alone asks nothing", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      const note = yield* attach(id, operation.id, null)
      assert.strictEqual(yield* codeOf(attach(id, operation.id, "0xe")), "state_conflict", "nothing is signed")
      const transaction = yield* reserved(id, wallet, [operation])
      assert.strictEqual(yield* codeOf(attach(id, operation.id, "0xe")), "state_conflict", "nor is it now")
      yield* signed(id, transaction, "0x1")
      yield* TestClock.setTime(8_000)
      const given = yield* attach(id, operation.id, "0xe")
      assert.deepStrictEqual(given, {
        key: given.key,
        operationId: operation.id,
        network: "ethereum",
        txHash: "0xe",
        note: "seen",
        givenBy: "alice",
        givenAt: 8_000,
        verdict: null,
        found: null,
        fee: null,
        checkedAt: null,
        sharedCount: 0,
        costBorneBy: null
      })
      assert.deepInclude(note, { txHash: null, givenAt: 0 })
      assert.strictEqual(yield* dueAt(transactionQueue("ethereum"), transaction.id), 8_000)
      assert.deepStrictEqual(yield* attach(id, operation.id, "0xe"), given, "again it changes nothing")
      assert.strictEqual((yield* attach(id, operation.id, "0x1")).txHash, "0x1", "its own may be named")
    }).pipe(Effect.provide(store))
  )

  it.effect("is not a transaction that speaks for another payout, and none counts once it is over", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const [one, other] = [yield* accepted(id), yield* accepted(id)]
      const first = yield* signed(id, yield* reserved(id, wallet, [one]), "0x1")
      yield* signed(id, yield* reserved(id, wallet, [other]), "0x2")
      yield* attach(id, one.id, "0xe")
      assert.strictEqual(yield* codeOf(attach(id, other.id, "0xe")), "state_conflict")
      assert.strictEqual(yield* codeOf(attach(id, other.id, "0x1")), "state_conflict")
      const { payout } = yield* stateOf(id, one.id)
      const moved = { ...payout, transactionId: null }
      const stale = attachEvidence({ payout: moved, txHash: "0xf", note: "seen", by: "alice" })
      assert.strictEqual(yield* codeOf(submit(id, stale)), "stale")
      const gone = attachEvidence({ payout: { ...payout, operationId: "nowhere" }, txHash: null, note: "", by: "a" })
      assert.strictEqual(yield* codeOf(submit(id, gone)), "not_found")
      yield* withStatus(id, first, finalOf("0x1"))
      assert.strictEqual(yield* codeOf(attach(id, one.id, "0xf")), "state_conflict")
    }).pipe(Effect.provide(store))
  )

  it.effect("is what the chain said last, until it is proven", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      yield* signed(id, yield* reserved(id, wallet, [operation]), "0x1")
      const given = yield* attach(id, operation.id, "0xe")
      yield* TestClock.setTime(9_000)
      const denied = yield* submit(
        id,
        recordEvidence(given, { verdict: "NOT_PROVEN", reason: "it is not there" }, ethereum)
      )
      assert.deepStrictEqual(denied, { ...given, verdict: "NOT_PROVEN", found: "it is not there", checkedAt: 9_000 })
      const proven = yield* submit(
        id,
        recordEvidence(given, { verdict: "PROVEN", detail: "it paid", fee: 7n }, ethereum)
      )
      assert.deepStrictEqual(proven, { ...given, verdict: "PROVEN", found: "it paid", fee: 7n, checkedAt: 9_000 })
      assert.isNull(yield* submit(id, recordEvidence(given, { verdict: "UNREADABLE", reason: "no answer" }, ethereum)))
      assert.isNull(
        yield* submit(id, recordEvidence({ ...given, key: "nothing" }, { verdict: "UNREADABLE", reason: "" }, ethereum))
      )
    }).pipe(Effect.provide(store))
  )
})

describe("whether a payout may leave", () => {
  it.effect("is asked of its tenant, its network, its float and its wallet, in this order", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const operation = yield* accepted(id)
      const { payout } = yield* stateOf(id, operation.id)
      const reason = (through = presetNetworks.of("ethereum")) =>
        Effect.map(submit(id, askLeaving([leavingOf(payout)], through)), (all) => all.get(operation.id)?.reason)
      assert.isUndefined(yield* reason())
      assert.strictEqual(
        yield* reason({ ...presetNetworks.of("ethereum"), environment: "SANDBOX" }),
        "other_environment"
      )
      yield* submit(id, setTenantPolicy({ payoutsOffOn: ["base"] }))
      assert.isUndefined(yield* reason())
      for (const policy of [{ payoutsOffOn: ["ethereum"] }, { payoutsOffOn: [], payoutsEnabled: false }]) {
        yield* submit(id, setTenantPolicy(policy))
        assert.strictEqual(yield* reason(), "switched_off")
      }
      yield* submit(id, setTenantPolicy({ payoutsEnabled: true }))
      const switched = yield* submit(fleetTenantId, switchNetwork("ethereum", "the node is wrong", "vera"))
      assert.deepInclude(switched, {
        network: "ethereum",
        payoutsOff: true,
        reason: "the node is wrong",
        changedBy: "vera"
      })
      assert.strictEqual(yield* reason(), "switched_off")
      assert.strictEqual(switchedOffForAll([switched], [], "ethereum"), "Chain payouts on ethereum are switched off.")
      assert.isNull(switchedOffForAll([switched], [], "base"))
      const other = { ...switched, network: "base", payoutsOff: false }
      assert.isNotNull(switchedOffForAll([other, switched], [], "ethereum"))
      assert.isNotNull(switchedOffForAll([], ["base"], "base"))
      const on = yield* submit(fleetTenantId, switchNetwork("ethereum", null, "vera"))
      assert.deepInclude(on, { payoutsOff: false, reason: null })
      assert.isNull(switchedOffForAll([on], [], "ethereum"))
      assert.isUndefined(yield* reason())
      yield* submit(id, setTenantStatus("SUSPENDED"))
      assert.strictEqual(yield* reason(), "tenant_not_active")
    }).pipe(Effect.provide(store))
  )
})

describe("what a signer is shown of the requests for payouts", () => {
  it.effect("is the signed request of each, with when an operator approved it", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const operation = yield* accepted(id)
      const plain = { keyid: evidence.keyid, signatureBase: "b", signature: "s", body: evidence.body }
      const review = (state: "APPROVED" | "REJECTED", at: number | null) => ({
        ...operation,
        details: { ...operation.details, review: { state, at, by: "vera" } }
      })
      const unsigned = { ...operation, details: {} }
      assert.deepStrictEqual(
        requestsFor([operation, unsigned, review("APPROVED", 5), review("REJECTED", 5), review("APPROVED", null)]),
        [plain, { ...plain, approvedAt: 5 }, plain, plain]
      )
    }).pipe(Effect.provide(store))
  )
})
