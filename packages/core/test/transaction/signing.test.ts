import { setTenantStatus } from "@bursar/core/access/tenantCommands"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { leavingConditions, leavingOf } from "@bursar/core/payout/mayPayoutLeave"
import { Payout } from "@bursar/core/payout/Payout"
import { purposes, signingConditions } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { beginSigning, endSigning, signedUnknownUntil } from "@bursar/core/transaction/beingSigned"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { unconditional } from "@bursar/core/transaction/PurposeRule"
import { transactionQueue } from "@bursar/core/transaction/queues"
import { recordSigned, type RecordSigned } from "@bursar/core/transaction/recordSigned"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  accepted,
  finalOf,
  ledgerHolds,
  payer,
  reserved,
  signed,
  store,
  submit,
  transactionOf,
  withStatus
} from "../payout/world.ts"

const minuteMs = 60_000

/** An outbound transaction of one payout that is reserved. */
const paying = Effect.gen(function* () {
  const made = yield* payer()
  const operation = yield* accepted(made.id)
  return { ...made, operation, transaction: yield* reserved(made.id, made.wallet, [operation]) }
})

type Paying = Effect.Success<typeof paying>

const begin = ({ id, operation, transaction }: Paying) =>
  submit(id, beginSigning({ transaction, pays: [operation.id], purposes }))

const release = (id: TenantId, transaction: OutboundTransaction, askedAt?: number) =>
  submit(
    id,
    releaseTransaction({
      transaction,
      outcome: { _tag: "Requeue", reason: "fees_unknown", detail: "", at: 0, alone: false },
      ...(askedAt === undefined ? {} : { askedAt }),
      purposes,
      currencies: defaultCurrencies
    })
  )

const signing = Effect.fnUntraced(function* ({ id, operation, transaction }: Paying, more: Partial<RecordSigned> = {}) {
  const payout = yield* (yield* Queries).record(id, Payout, operation.id)
  if (payout === undefined) return yield* Effect.die(new Error("there is no payout"))
  const conditions = signingConditions(transaction, {
    payouts: [leavingOf(payout)],
    sweeps: [],
    network: presetNetworks.of(transaction.network)
  })
  return recordSigned({
    transaction,
    hash: `0x${id}`,
    raw: new Uint8Array([1]),
    validUntil: null,
    feeMax: 9n,
    pays: [operation.id],
    replaces: null,
    conditions,
    purposes,
    ...more
  })
})

const refusal = Effect.fnUntraced(function* (made: Paying, more: Partial<RecordSigned> = {}) {
  const command = yield* signing(made, more)
  const error = yield* Effect.flip(submit(made.id, command))
  return error._tag === "Refusal" ? error.code : error._tag
})

const dueAt = Effect.fnUntraced(function* ({ network, id }: OutboundTransaction) {
  const jobs = yield* (yield* JobQueue).due(transactionQueue(network), Number.MAX_SAFE_INTEGER, 100)
  return jobs.find(({ key }) => key === id)?.dueAt
})

describe("a signer that is asked for a first attempt", () => {
  it.effect("has a minute, and until a minute later nothing is given up: a signature may come to be", () =>
    Effect.gen(function* () {
      const made = yield* paying
      const { id, transaction } = made
      yield* TestClock.setTime(5_000)
      const asked = yield* begin(made)
      assert.deepStrictEqual(asked, { _tag: "Asked", until: 5_000 + minuteMs, earlier: null })
      const now = yield* transactionOf(id, transaction.id)
      assert.deepStrictEqual(now, { ...transaction, signingUntil: 5_000 + minuteMs })
      const known = 5_000 + 2 * minuteMs + 1
      assert.isNull(yield* release(id, now))
      assert.strictEqual(yield* dueAt(now), known)
      assert.strictEqual((yield* transactionOf(id, transaction.id)).phase, "RESERVED")
      for (const at of [0, known - 1]) assert.strictEqual(signedUnknownUntil(now, at), known)
      assert.isUndefined(signedUnknownUntil(now, known))
      assert.isUndefined(signedUnknownUntil(transaction, 0))
      assert.strictEqual((yield* release(id, now, known))?.id, transaction.id)
      assert.deepInclude(yield* transactionOf(id, transaction.id), { phase: "FINAL", outcome: "released" })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("may be asked again while it is not known what became of that, and the later time counts", () =>
    Effect.gen(function* () {
      const made = yield* paying
      const { id, transaction } = made
      yield* TestClock.setTime(5_000)
      yield* begin(made)
      yield* TestClock.setTime(6_000)
      const again = yield* begin(made)
      assert.deepStrictEqual(again, { _tag: "Asked", until: 6_000 + minuteMs, earlier: 5_000 + minuteMs })
      const end = (until: number, earlier: number | null = null) =>
        submit(id, endSigning({ transaction, until, earlier, purposes }))
      yield* end(5_000 + minuteMs)
      assert.strictEqual((yield* transactionOf(id, transaction.id)).signingUntil, 6_000 + minuteMs, "another's answer")
      yield* end(6_000 + minuteMs, 5_000 + minuteMs)
      assert.strictEqual((yield* transactionOf(id, transaction.id)).signingUntil, 5_000 + minuteMs)
      yield* end(5_000 + minuteMs)
      assert.isNull((yield* transactionOf(id, transaction.id)).signingUntil)
      // what is known of an earlier time by now is no more asked about
      yield* begin(made)
      yield* TestClock.setTime(6_000 + 2 * minuteMs + 1)
      assert.deepInclude(yield* begin(made), { earlier: null })
    }).pipe(Effect.provide(store))
  )

  it.effect("is not asked for what has moved on, pays others, or may not be signed", () =>
    Effect.gen(function* () {
      const made = yield* paying
      const { id, operation, transaction } = made
      const asking = (more: Partial<Parameters<typeof beginSigning>[0]>) =>
        submit(id, beginSigning({ transaction, pays: [operation.id], purposes, ...more }))
      for (const pays of [[], ["other"], [operation.id, "other"]])
        assert.strictEqual((yield* Effect.flip(asking({ pays })))._tag, "Refusal", pays.join())
      const conditions = { ...unconditional("PAYOUT"), objection: () => "the tenant is suspended" }
      assert.deepStrictEqual(yield* asking({ conditions }), { _tag: "Objected", objection: "the tenant is suspended" })
      assert.isNull((yield* transactionOf(id, transaction.id)).signingUntil)
      yield* signed(id, transaction, "0x1")
      assert.strictEqual((yield* Effect.flip(asking({})))._tag, "Refusal", "it is signed")
      assert.isNull(yield* submit(id, endSigning({ transaction, until: 1, earlier: 0, purposes })))
      assert.isNull((yield* transactionOf(id, transaction.id)).signingUntil)
      assert.isNull(yield* release(id, transaction), "nor given up")
      assert.strictEqual((yield* transactionOf(id, transaction.id)).phase, "SIGNED")
    }).pipe(Effect.provide(store))
  )
})

describe("the commit that begins a signing", () => {
  it.effect("asks whether the payouts may leave, and notes nothing of those that may not", () =>
    Effect.gen(function* () {
      const { id, operation, transaction } = yield* paying
      const network = presetNetworks.of("ethereum")
      const begun = (through: typeof network) =>
        submit(
          id,
          beginSigning({
            transaction,
            pays: [operation.id],
            conditions: leavingConditions([operation], through, {}),
            purposes
          })
        )
      const elsewhere = { ...network, environment: network.environment === "LIVE" ? "SANDBOX" : "LIVE" } as const
      const refused = yield* begun(elsewhere)
      assert.strictEqual(refused._tag === "Objected" ? refused.objection.reason : refused._tag, "other_environment")
      assert.isNull((yield* transactionOf(id, transaction.id)).signingUntil)
      // as things stand in that commit, and not when it was read
      yield* submit(id, setTenantStatus("SUSPENDED"))
      const suspended = yield* begun(network)
      assert.strictEqual(suspended._tag === "Objected" ? suspended.objection.reason : "asked", "tenant_not_active")
      yield* submit(id, setTenantStatus("ACTIVE"))
      assert.strictEqual((yield* begun(network))._tag, "Asked")
      assert.isNotNull((yield* transactionOf(id, transaction.id)).signingUntil)
    }).pipe(Effect.provide(store))
  )
})

describe("a signed attempt", () => {
  it.effect("is stored before anybody else sees it, once, and nothing is asked of its transaction any more", () =>
    Effect.gen(function* () {
      const made = yield* paying
      const { id, operation, transaction } = made
      yield* begin(made)
      yield* TestClock.setTime(7_000)
      const command = yield* signing(made)
      const attempt = yield* submit(id, command)
      assert.deepStrictEqual(attempt, {
        network: "ethereum",
        hash: `0x${id}`,
        transactionId: transaction.id,
        raw: new Uint8Array([1]),
        validUntil: null,
        replaces: null,
        pays: [operation.id],
        feeMax: 9n,
        signedAt: 7_000,
        sentAt: null
      })
      const after = yield* transactionOf(id, transaction.id)
      assert.deepStrictEqual(after, {
        ...transaction,
        phase: "SIGNED",
        hashes: [`0x${id}`],
        feeMax: 9n,
        signedAt: 7_000
      })
      assert.strictEqual(yield* dueAt(transaction), 7_000)
      yield* TestClock.setTime(8_000)
      assert.deepStrictEqual(yield* submit(id, command), attempt)
      assert.deepStrictEqual(yield* transactionOf(id, transaction.id), after)
      const replacing = yield* signing(made, { hash: "0x2", replaces: `0x${id}`, feeMax: 20n })
      yield* submit(id, replacing)
      assert.deepInclude(yield* transactionOf(id, transaction.id), {
        hashes: [`0x${id}`, "0x2"],
        feeMax: 20n,
        signedAt: 7_000
      })
      const all = yield* (yield* Queries).records(id, TransactionAttempt, transaction.id)
      assert.sameMembers(
        all.map(({ hash }) => hash),
        [`0x${id}`, "0x2"]
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("is thrown away unseen where it does not belong to its transaction as it stands", () =>
    Effect.gen(function* () {
      const made = yield* paying
      const { id, operation, transaction, wallet } = made
      const moved = { ...unconditional("PAYOUT"), objection: () => "it may not leave" }
      const wrong: ReadonlyArray<readonly [string, Partial<RecordSigned>]> = [
        ["a transaction that is not there", { transaction: { ...transaction, id: "nowhere" } }],
        ["a replacement of what was never signed", { replaces: "0x0" }],
        ["what was given up since", { transaction: { ...transaction, givenUpAfter: 0 } }],
        ["others than it pays", { pays: [] }],
        ["more than it pays", { pays: [operation.id, "other"] }],
        ["another in its place", { pays: ["other"] }],
        ["what was looked at for something else", { conditions: unconditional("SWEEP") }],
        ["what may not leave", { conditions: moved }]
      ]
      for (const [what, more] of wrong) {
        assert.strictEqual(yield* refusal(made, more), "stale", what)
        assert.deepStrictEqual(yield* transactionOf(id, transaction.id), transaction, what)
      }
      const first = yield* signed(id, transaction, "0x1")
      const other = { ...made, transaction: yield* reserved(id, wallet, [yield* accepted(id)]) }
      assert.strictEqual(yield* refusal(other, { hash: "0x1" }), "stale", "signed for another")
      assert.strictEqual(yield* refusal(made, { hash: "0x2" }), "stale", "it replaces none")
      // payouts that were not sent yet leave by a replacement for the first time
      assert.strictEqual(yield* refusal(made, { hash: "0x2", replaces: "0x1", conditions: moved }), "stale")
      yield* withStatus(id, first, finalOf("0x1"))
      assert.strictEqual(yield* refusal(made, { hash: "0x2", replaces: "0x1" }), "stale", "it is over")
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "leaves out what is to be paid only where it was signed before and got lost, and something is there to be replaced",
    () =>
      Effect.gen(function* () {
        const made = yield* paying
        assert.strictEqual(yield* refusal(made, { pays: [], isLost: true }), "stale")
        yield* submit(made.id, yield* signing(made, { hash: "0x1" }))
        const less = { hash: "0x2", replaces: "0x1", pays: [] }
        assert.strictEqual(yield* refusal(made, less), "stale")
        assert.strictEqual(yield* refusal(made, { ...less, isLost: true, pays: ["another"] }), "stale")
        const stored = yield* submit(made.id, yield* signing(made, { ...less, isLost: true }))
        assert.deepInclude(stored, { hash: "0x2", pays: [], sentAt: null })
        yield* ledgerHolds(made.id)
      }).pipe(Effect.provide(store))
  )

  it.effect("replaces nothing where only an expiry excludes a second payment", () =>
    Effect.gen(function* () {
      const made = yield* payer({}, "tron")
      const { id, wallet } = made
      const contract = defaultCurrencies.byCode("USDT_TRON")?.asset?.contract ?? null
      const order = {
        network: "tron",
        currency: "USDT_TRON",
        contract,
        units: 5_000_000n,
        to: "T",
        memo: null
      } as const
      const operation = yield* accepted(id, { order, defaultFees: [] })
      const transaction = yield* reserved(id, wallet, [operation], { _tag: "Expiry" })
      yield* signed(id, transaction, "0x1")
      const now = yield* Clock.currentTimeMillis
      const again = { hash: "0x2", replaces: "0x1", validUntil: now + minuteMs }
      assert.strictEqual(yield* refusal({ ...made, operation, transaction }, again), "stale")
    }).pipe(Effect.provide(store))
  )
})
