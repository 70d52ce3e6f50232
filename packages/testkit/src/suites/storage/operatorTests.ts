import { putRecord, readGroup } from "@bursar/core/engine/Records"
import type { View } from "@bursar/core/engine/View"
import { FloatAdjustment, waitingAdjustments } from "@bursar/core/adjustment/FloatAdjustment"
import { Payout } from "@bursar/core/payout/Payout"
import { PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import { Resolution } from "@bursar/core/resolution/Resolution"
import { Queries } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { looking, writing } from "../../fixtures/commands.ts"
import { bareOperation, difficultText, hugeUnits } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import { newTxHash } from "../../fixtures/transfers.ts"
import type { StorageIt } from "./services.ts"
import { Operation } from "@bursar/core/operation/Operation"

const recordsOf = (view: View) => {
  const operation = bareOperation(view, { kind: "CHAIN_PAYOUT" })
  const proposed: FloatAdjustment = {
    id: view.newId(),
    amount: { units: -hugeUnits, currency: difficultText },
    against: "chain:base:payouts",
    from: null,
    assigns: operation.id,
    corrects: operation.id,
    reason: difficultText,
    proposedBy: "alice",
    state: "PROPOSED",
    decidedBy: null,
    rejectedReason: null,
    operationId: null,
    createdAt: view.now,
    decidedAt: null
  }
  const decided = { decidedBy: "bob", decidedAt: view.now + 1 }
  const booked: FloatAdjustment = {
    ...proposed,
    ...decided,
    id: view.newId(),
    amount: { units: 1n, currency: "EUR" },
    from: "chain:base:deposits",
    assigns: null,
    corrects: null,
    state: "BOOKED",
    operationId: operation.id
  }
  // whoever proposed one may take it back
  const rejected: FloatAdjustment = {
    ...proposed,
    ...decided,
    id: view.newId(),
    state: "REJECTED",
    decidedBy: "alice",
    rejectedReason: difficultText
  }
  const payout: Payout = {
    operationId: operation.id,
    network: "base",
    currency: "ETH_BASE",
    contract: null,
    units: 1n,
    to: "t",
    memo: null,
    transactionId: null,
    earlierTransactions: [],
    attempts: 0,
    alone: false,
    waits: null,
    madeBy: "maker",
    reviewedBy: null,
    cancelledBy: null
  }
  const note: PayoutEvidence = {
    key: `note|${view.newId()}`,
    operationId: operation.id,
    network: "base",
    txHash: null,
    note: difficultText,
    givenBy: "alice",
    givenAt: view.now,
    verdict: null,
    found: null,
    fee: null,
    checkedAt: null,
    sharedCount: 0,
    costBorneBy: null
  }
  const named: PayoutEvidence = {
    ...note,
    key: `base|${difficultText}`,
    txHash: difficultText,
    verdict: "PROVEN",
    found: difficultText,
    fee: 10n ** 60n,
    checkedAt: view.now + 1,
    sharedCount: 3,
    costBorneBy: operation.id
  }
  const unproven = (["NOT_PROVEN", "UNREADABLE"] as const).map((verdict): PayoutEvidence => {
    const key = `base|${verdict}${view.newId()}`
    return { ...note, key, txHash: key, verdict, found: difficultText, checkedAt: view.now + 1 }
  })
  // one transaction speaks of several payouts of a batch
  const shared: PayoutEvidence = { ...named, key: `${named.key}|t||` }
  const unpriced: PayoutEvidence = { ...named, key: "base|unpriced", txHash: "unpriced", fee: null, sharedCount: null }
  const stated: Resolution = {
    id: view.newId(),
    operationId: operation.id,
    outcome: "FAILED",
    basis: "PROVIDER",
    reference: difficultText,
    source: difficultText,
    text: difficultText,
    providerReference: null,
    txHash: null,
    received: null,
    networkFee: null,
    state: "PROPOSED",
    said: null,
    noted: [],
    proposedBy: "alice",
    decidedBy: null,
    rejectedReason: null,
    createdAt: view.now,
    decidedAt: null
  }
  const applied: Resolution = {
    ...stated,
    ...decided,
    said: difficultText,
    noted: [difficultText, ""],
    id: view.newId(),
    outcome: "SETTLED",
    basis: "CHAIN",
    providerReference: difficultText,
    txHash: difficultText,
    received: { units: hugeUnits, currency: difficultText },
    networkFee: { amount: { units: hugeUnits, currency: difficultText }, borneBy: "SERVICE" },
    state: "APPLIED"
  }
  const takenBack: Resolution = {
    ...stated,
    id: view.newId(),
    outcome: "RETURNED",
    state: "REJECTED",
    decidedBy: "alice",
    decidedAt: view.now + 1,
    rejectedReason: difficultText
  }
  return {
    operation,
    payout,
    adjustments: [proposed, booked, rejected],
    evidence: [note, named, shared, unpriced, ...unproven, { ...note, key: `note|${view.newId()}`, network: null }],
    resolutions: [stated, applied, takenBack]
  }
}

/** What operators propose and know comes back as it was written, by key and by group. */
export const operatorTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "adjustments, evidence and resolutions round-trip; those that are decided wait no more",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const queries = yield* Queries
        let made: ReturnType<typeof recordsOf> | undefined
        yield* commitAt(
          tenant.id,
          past,
          writing((view) => {
            made = recordsOf(view)
            return [
              putRecord(Operation, made.operation),
              putRecord(Payout, made.payout),
              ...made.adjustments.map((record) => putRecord(FloatAdjustment, record)),
              ...made.evidence.map((record) => putRecord(PayoutEvidence, record)),
              ...made.resolutions.map((record) => putRecord(Resolution, record))
            ]
          })
        )
        if (made === undefined) return assert.fail("nothing was written")
        const { adjustments, evidence, operation, resolutions } = made
        assert.sameDeepMembers([...(yield* queries.records(tenant.id, Resolution, operation.id))], resolutions)
        assert.sameDeepMembers([...(yield* queries.records(tenant.id, FloatAdjustment))], adjustments)
        assert.sameDeepMembers([...(yield* queries.records(tenant.id, PayoutEvidence, operation.id))], evidence)
        const [seen] = yield* commitAt(
          tenant.id,
          past,
          looking([readGroup(FloatAdjustment, waitingAdjustments), readGroup(PayoutEvidence, operation.id)], (view) => [
            view.group(FloatAdjustment, waitingAdjustments),
            view.group(PayoutEvidence, operation.id).length
          ])
        )
        assert.deepStrictEqual(seen, [adjustments.slice(0, 1), evidence.length])
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "what was booked in suspense of a transaction is found by it, and nothing else that names it",
    () =>
      Effect.gen(function* () {
        const [tenant, stranger] = [yield* newTenant(), yield* newTenant()]
        const queries = yield* Queries
        const txHash = newTxHash()
        let booked: ReadonlyArray<Operation> = []
        for (const { id } of [stranger, tenant])
          yield* commitAt(
            id,
            past,
            writing((view) => {
              const of = (details: Operation<"ADJUSTMENT">["details"], more: Partial<Operation> = {}) =>
                bareOperation(view, { network: "base", txHash, details, ...more })
              const wallet_arrival = { network: "base", tx_hash: txHash, transfer_index: 0 }
              const first = of({ wallet_arrival, reversed_by: view.newId() })
              const proven_by = { tx_hash: txHash, given_by: "ann" }
              booked = [
                first,
                of({ wallet_arrival, reverses: first.id }),
                of({ uncredited_deposit: view.newId() }),
                { ...of({}, { kind: "CHAIN_PAYOUT" }), details: { proven_by } }
              ]
              const others = [
                of({}, { kind: "CHAIN_PAYOUT" }),
                of({ own_transfer: true }),
                of({}, { kind: "DEPOSIT" }),
                of({ wallet_arrival }, { txHash: newTxHash() }),
                of({ wallet_arrival }, { txHash: null })
              ]
              return [...booked, ...others].map((one) => putRecord(Operation, one))
            })
          )
        assert.sameDeepMembers([...(yield* queries.records(tenant.id, Operation, txHash))], [...booked])
        const [seen] = yield* commitAt(
          tenant.id,
          past,
          looking([readGroup(Operation, txHash)], (view) => view.group(Operation, txHash))
        )
        assert.deepStrictEqual(
          seen,
          booked.toSorted((one, other) => (one.id < other.id ? -1 : 1))
        )
      }),
    timeoutMs
  )
}
