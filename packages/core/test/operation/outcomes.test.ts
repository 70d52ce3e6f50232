import type { Change } from "@bursar/core/engine/Change"
import { isPut } from "@bursar/core/engine/Records"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { movedAmount, returnedOf, wholeOf } from "@bursar/core/operation/movedAmount"
import { canMove, concluded, moved, operationEventData, unresolved } from "@bursar/core/operation/moveOperation"
import { newOperation } from "@bursar/core/operation/newOperation"
import { Operation, operationKinds } from "@bursar/core/operation/Operation"
import {
  answeredLate,
  isWatched,
  providerFailed,
  resolutionWatchMs,
  resolvedOf,
  watchAgain,
  watchedSince
} from "@bursar/core/operation/resolved"
import { assert, describe, it } from "@effect/vitest"
import { operationOf, viewAt } from "./world.ts"

const now = 1_000

const toldBy = (changes: ReadonlyArray<Change>) =>
  changes.flatMap((change) => (change._tag === "EventEmitted" ? [[change.event.kind, change.event.data] as const] : []))

const putBy = (changes: ReadonlyArray<Change>) =>
  changes.flatMap((change) => (isPut(Operation, change) ? [change.record] : []))

describe("an operation that begins", () => {
  it("is the tenant's own, accepted, with nothing beside what is given", () => {
    const amount = { units: 5n, currency: "EUR" }
    const made = newOperation(viewAt(now), { kind: "DEPOSIT", amount, network: "base" })
    assert.deepStrictEqual(made, {
      ...operationOf("DEPOSIT"),
      id: made.id,
      status: "ACCEPTED",
      amount,
      customerFee: { units: 0n, currency: "EUR" },
      network: "base",
      provider: null,
      providerReference: null,
      partnerReference: null,
      txHash: null,
      createdAt: now
    })
  })
})

describe("an operation that moves on", () => {
  it("waits for nothing any more, and is settled when it settles", () => {
    const waits = { reason: "switched_off", detail: "it is", since: 1 }
    const before = operationOf("SWAP", { details: { waits, made_by: "maker" } })
    const after = moved(viewAt(now), before, "settled", { txHash: "0x2" })
    assert.deepStrictEqual(after, {
      ...before,
      status: "SETTLED",
      settledAt: now,
      txHash: "0x2",
      details: { made_by: "maker" }
    })
    assert.strictEqual(moved(viewAt(now), before, "failed").settledAt, null)
  })

  it("does so only where it can", () => {
    const over = operationOf("SWAP", { status: "FAILED" })
    assert.isFalse(canMove(over, "settled"))
    assert.throws(() => moved(viewAt(now), over, "settled"), /a SWAP that is FAILED cannot be settled/u)
    assert.isTrue(canMove(operationOf("SWAP"), "settled"))
  })
})

describe("the outcome of an operation", () => {
  it("is told with its amount in whole units, and without the tenant's own reference", () => {
    assert.deepStrictEqual(operationEventData(operationOf("SWAP"), currencies), {
      operation_id: "op-1",
      kind: "SWAP",
      status: "PROCESSING",
      amount: "100",
      currency: "EUR",
      provider_reference: "theirs-1",
      tx_hash: "0x1"
    })
    // base units would pass for whole ones
    const unknown = () => operationEventData(operationOf("SWAP"), currencies, { units: 7n, currency: "XXX" })
    assert.throws(unknown, /currency XXX is not in the table/u)
  })

  /** The events that tell of each outcome, by kind; a kind that is not here tells of none. */
  const families: Partial<Record<Operation["kind"], string>> = {
    CHAIN_PAYOUT: "chain_payout",
    WITHDRAWAL: "withdrawal",
    SWAP: "swap",
    OFF_RAMP: "payout",
    BANK_TRANSFER: "payout",
    REFUND: "payout",
    ON_RAMP: "transfer",
    INTERNAL_TRANSFER: "transfer"
  }
  const comesBack = new Set(["OFF_RAMP", "BANK_TRANSFER", "REFUND", "ON_RAMP", "INTERNAL_TRANSFER"])

  for (const kind of operationKinds) {
    it(`of a ${kind} is told once, by an event of its family or by none`, () => {
      const family = families[kind]
      const expected = (outcome: string) => (family === undefined ? [] : [`${family}.${outcome}`])
      for (const [trigger, outcome, status] of [
        ["settled", "settled", "PROCESSING"],
        ["failed", "failed", "PROCESSING"],
        ["rejected", "failed", "IN_REVIEW"]
      ] as const) {
        const flagged = operationOf(kind, { status, unresolved: true })
        const { changes, operation } = concluded(viewAt(now), currencies, flagged, trigger)
        assert.isFalse(operation.unresolved)
        assert.deepStrictEqual(putBy(changes), [operation])
        assert.deepStrictEqual(
          toldBy(changes).map(([event]) => event),
          expected(outcome),
          trigger
        )
      }
      const settled = operationOf(kind, { status: "SETTLED" })
      const back = concluded(viewAt(now), currencies, settled, "returned")
      assert.deepStrictEqual(
        toldBy(back.changes).map(([event]) => event),
        comesBack.has(kind) ? expected("returned") : []
      )
      const flagged = unresolved(viewAt(now), currencies, operationOf(kind), { txHash: "0x2" })
      assert.deepInclude(flagged.operation, { unresolved: true, status: "PROCESSING", txHash: "0x2" })
      assert.deepStrictEqual(putBy(flagged.changes), [flagged.operation])
      assert.deepStrictEqual(
        toldBy(flagged.changes).map(([event]) => event),
        expected("unresolved")
      )
      const again = unresolved(viewAt(now), currencies, flagged.operation, { txHash: "0x3" })
      assert.deepStrictEqual(again, { operation: flagged.operation, changes: [] })
    })
  }

  it("closes a review that was pending, with the reason of the outcome", () => {
    const pending = (more: Operation["details"]) =>
      operationOf("SWAP", { status: "IN_REVIEW", details: { review: { state: "PENDING" }, ...more } })
    const reviewAfter = (before: Operation, patch: Partial<Operation> = {}) =>
      concluded(viewAt(now), currencies, before, "rejected", patch).operation.details.review
    const closed = { state: "REJECTED", by: null, at: now } as const
    assert.deepStrictEqual(reviewAfter(pending({})), { ...closed, reason: "rejected" })
    assert.deepStrictEqual(reviewAfter(pending({ failure_reason: "too much" })), { ...closed, reason: "too much" })
    const patched = { details: { ...pending({}).details, failure_reason: "patched" } }
    assert.deepStrictEqual(reviewAfter(pending({}), patched), { ...closed, reason: "patched" })
    const approved = { state: "APPROVED", by: "vera", at: 5 } as const
    assert.deepStrictEqual(
      reviewAfter(operationOf("SWAP", { status: "IN_REVIEW", details: { review: approved } })),
      approved
    )
  })

  it("moves its amount, but for what arrived for an ON_RAMP, and what came back", () => {
    const arrived = operationOf("ON_RAMP", { details: { arrived: "9000", arrived_currency: "USD" } })
    assert.deepStrictEqual(wholeOf(arrived), { units: 9_000n, currency: "USD" })
    assert.deepStrictEqual(wholeOf(operationOf("ON_RAMP", { details: { arrived: "9000" } })), {
      units: 9_000n,
      currency: "EUR"
    })
    for (const other of [operationOf("ON_RAMP"), operationOf("REFUND", { details: { arrived: "9000" } })])
      assert.deepStrictEqual(wholeOf(other), other.amount)
    for (const wrong of ["", "12x", "x12", "-5", "1.5"])
      assert.strictEqual(wholeOf(operationOf("ON_RAMP", { details: { arrived: wrong } })).units, 10_000n, wrong)
    assert.deepStrictEqual(movedAmount(arrived, arrived, "settled"), { units: 9_000n, currency: "USD" })
    assert.deepStrictEqual(movedAmount(arrived, arrived, "failed"), arrived.amount)
    const back = (units: string) => operationOf("OFF_RAMP", { status: "RETURNED", details: { returned: units } })
    assert.deepStrictEqual(movedAmount(back("1000"), back("4000"), "returned"), { units: 3_000n, currency: "EUR" })
    assert.strictEqual(returnedOf(operationOf("OFF_RAMP")), 0n)
    assert.strictEqual(returnedOf(operationOf("OFF_RAMP", { status: "RETURNED" })), 10_000n)
    assert.strictEqual(returnedOf(back("25")), 25n)
  })
})

describe("an operation that is over and still watched", () => {
  const day = 86_400_000
  const since = 10 * day
  const failed = operationOf("SWAP", { status: "FAILED", details: providerFailed(since) })
  const resolution = { at: since, received_units: "48", received_currency: "USD" }
  const resolved = operationOf("SWAP", { status: "SETTLED", details: { resolution } })

  it("is one that its provider failed, or operators resolved", () => {
    assert.deepStrictEqual(resolvedOf(resolved), { at: since, received: { units: 48n, currency: "USD" } })
    for (const more of [{ received_units: null }, { received_currency: null }])
      assert.deepStrictEqual(resolvedOf(operationOf("SWAP", { details: { resolution: { ...resolution, ...more } } })), {
        at: since,
        received: null
      })
    assert.isNull(resolvedOf(failed))
    const both = operationOf("SWAP", { details: { resolution, failed_at: 5 } })
    assert.deepStrictEqual([failed, resolved, both, operationOf("SWAP")].map(watchedSince), [since, since, since, null])
  })

  it("is watched for ninety days", () => {
    assert.strictEqual(resolutionWatchMs, 90 * day)
    assert.isTrue(isWatched(failed, since + 90 * day - 1))
    assert.isFalse(isWatched(failed, since + 90 * day))
    assert.isFalse(isWatched(operationOf("SWAP"), since))
  })

  it("is asked about ever more seldom: after a minute at first, every day in the end, and then not at all", () => {
    const dueAfter = (age: number, one = failed) => {
      const change = watchAgain("queue", one, since + age)
      return change._tag === "Scheduled" && change.dueAt !== null ? change.dueAt - since - age : null
    }
    assert.deepStrictEqual(
      [0, 4 * 60_000, 40 * 60_000, 80 * day, 90 * day].map((age) => dueAfter(age)),
      [60_000, 60_000, 600_000, day, null]
    )
    assert.isNull(dueAfter(0, operationOf("SWAP")))
  })

  it("notes the first contradiction, and changes nothing else by what is said late", () => {
    const late = (said: string | undefined, before = failed, at = since + 1) =>
      answeredLate("queue", before, said === undefined ? undefined : { said, moved: false }, at)
    const news = late("it is done")
    assert.deepStrictEqual(news.operation, {
      ...failed,
      details: { ...failed.details, contradiction: { said: "it is done", at: since + 1, moved: false } }
    })
    assert.deepStrictEqual(putBy(news.changes), [news.operation])
    assert.lengthOf(news.changes, 2, "and it is asked again")
    for (const { changes, operation } of [
      late(undefined),
      late("again", news.operation),
      late("too late", failed, since + 90 * day)
    ]) {
      assert.deepStrictEqual(putBy(changes), [])
      assert.lengthOf(changes, 1)
      assert.notStrictEqual(operation.details.contradiction?.said, "again")
      assert.notStrictEqual(operation.details.contradiction?.said, "too late")
    }
  })
})
